import PurchaseCore
import ReceiptTypes

// The steps of a delivery. Each function is part of a transaction of the caller.
extension PurchaseDatabase {
    /// Records a delivery, or returns the existing entry.
    func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) throws(DatabaseError) -> JournalEntry {
        let text = try SignedText(transaction.content)
        if let row = try entryRow(text.digest), let known = try entry(row) { return known }
        let entry = JournalEntry(transaction: transaction, source: source, observedAt: now)
        // A row of this text that was changed is in the way.
        try deleteEntry(text.digest)
        try store(text)
        let row = EntryRow(entry, text)
        try insert(row.values(key), content: row.content, into: EntryRow.table)
        return entry
    }

    /// Moves an entry to `verified`, and merges it with the entry of the same facts; nil if there is no entry of the
    /// text.
    func markVerified(_ transaction: Transaction, signedText: String) throws(DatabaseError) -> JournalEntry? {
        let digest = try SignedText.digest(of: signedText)
        guard var row = try entryRow(digest) else { return nil }
        let verified = try EntryRow.Verified(transaction)
        let twin = try entryRows(
            "WHERE verified_id = ? AND facts_digest = ? AND text_digest <> ? ORDER BY number LIMIT 1",
            [.text(verified.id), .blob(verified.factsDigest), .blob(digest)]
        ).first
        if var twin {
            try connection.execute(
                "DELETE FROM journal_entries WHERE text_digest = ?", [.blob(digest)])
            let before = twin.textDigest
            if let known = twin.verified, known.signedDate <= verified.signedDate {
                row.verified = verified
                twin.takeDelivery(of: row)
                if try hasReturned(verified, since: known.signedDate, otherThan: before) {
                    twin.stage = min(twin.stage, .verified)
                }
            }
            return try moveToVerified(&twin, from: before, unused: digest)
        }
        if row.verified == nil { row.verified = verified }
        return try moveToVerified(&row, from: digest, unused: digest)
    }

    /// Returns whether a purchase was in another state between an earlier signature and a later one, for example
    /// refunded, and returns to the state that both have.
    private func hasReturned(
        _ verified: EntryRow.Verified, since earlier: Timestamp, otherThan digest: [UInt8]
    ) throws(DatabaseError) -> Bool {
        guard earlier < verified.signedDate else { return false }
        return try !entryRows(
            "WHERE purchase_key = ? AND stage >= ? AND signed_date >= ? AND text_digest <> ? LIMIT 1",
            [
                .text(verified.purchaseKey), .integer(Int64(JournalStage.recorded.rawValue)),
                .integer(earlier.millisecondsSince1970), .blob(digest),
            ]
        ).isEmpty
    }

    /// Moves a verified entry to `recorded`, unless it conflicts with a recorded one; nil if it is not verified.
    func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?
    ) throws(DatabaseError) -> RecordOutcome? {
        let digest = try SignedText.digest(of: signedText)
        guard let row = try entryRow(digest), row.stage >= .verified else { return nil }
        // Other versions of the transaction, and other transactions of the same billing event.
        let others = try entryRows(
            """
            WHERE (verified_id = ?1 OR purchase_key = ?2) AND stage >= ?3 AND text_digest <> ?4
            ORDER BY number
            """,
            [
                .text(transaction.versionID), .text(transaction.purchaseKey.description),
                .integer(Int64(JournalStage.recorded.rawValue)), .blob(digest),
            ])
        // A consumable that was granted to a user that has been deleted.
        if transaction.type == .consumable, others.isEmpty, row.stage < .recorded,
            try tombstone(of: [.text(transaction.purchaseKey.description)]) != nil
        {
            return .conflict(.belongsToAnotherAccount)
        }
        let versions = others.filter { $0.verified?.id.isIdentical(to: transaction.versionID) ?? false }
        let common = try SignedText.digest(of: transaction.commonFacts)
        guard (versions + [row]).allSatisfy({ $0.verified?.commonDigest ?? common == common }) else {
            return .conflict(.differentPurchase)
        }
        // The account is that of the purchase.
        let owner = (others + [row]).lazy.compactMap(\.account).first.map { UUIDText($0) }
        if let owner, let account, owner != account { return .conflict(.belongsToAnotherAccount) }
        let newOwner = (account ?? owner)?.rawValue
        let isRecorded = row.stage >= .recorded
        for var entry in others + [row] where entry.stage < .recorded || entry.account != newOwner {
            entry.stage = max(entry.stage, .recorded)
            entry.account = newOwner
            try replace(entry.textDigest, by: entry)
        }
        if isRecorded { return .unchanged }
        guard versions.isEmpty else { return .merged }
        // What can be restored is granted to the account that restores it, also if it was granted to a deleted user.
        if transaction.type != .consumable {
            try deleteTombstone(of: [.text(transaction.purchaseKey.description)])
        }
        return .inserted
    }

    /// Stores a renewal info if it is the latest of its subscription, and returns whether it is.
    func record(_ renewalInfo: RenewalInfo, jws: String) throws(DatabaseError) -> Bool {
        let id = SQLiteValue.text(renewalInfo.originalTransactionID)
        let known = try renewalRows("WHERE original_id = ?", [id]).first
        if let known, known.signedDate >= renewalInfo.signedDate { return false }
        let text = try SignedText(jws: jws)
        try store(text)
        try connection.execute("DELETE FROM renewal_infos WHERE original_id = ?", [id])
        try insert(
            [id, .integer(renewalInfo.signedDate.millisecondsSince1970), .blob(text.digest)],
            into: Self.renewalInfos)
        if let known { try deleteUnusedText(known.textDigest) }
        return true
    }
}
