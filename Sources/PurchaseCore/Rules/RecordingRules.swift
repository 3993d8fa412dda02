package import ReceiptTypes

// Whose purchase a delivery is, what contradicts it, and which renewal info counts.
extension LedgerRows {
    /// Moves a verified delivery to ``DeliveryStage/recorded``, unless it conflicts with a recorded one.
    ///
    /// A conflict is another recorded delivery with the same transaction id that ``Transaction/contradicts(_:)``, or a
    /// recorded one of the same purchase with a different account: two transactions of one billing event are one
    /// purchase. An account takes over the deliveries of its purchase without one, and a delivery that is recorded
    /// without an account gets that of its purchase.
    ///
    /// The purchases that the app shows, and their events, change in the same transaction.
    ///
    /// - Parameters:
    ///   - key: The reference of the key that has verified the signature; nil if it is not known.
    ///   - now: The time by the device's clock.
    package mutating func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?, verifiedBy key: String? = nil,
        at now: Timestamp
    ) throws(LedgerError) -> RecordOutcome {
        let row = try delivery(signedText, from: .verified)
        let purchase = transaction.purchaseKey
        let versions = try deliveries(ofVersion: transaction.versionID).filter {
            $0.text != row.text && $0.stage >= .recorded
        }
        // Other transactions of the same billing event.
        let siblings = try deliveries(of: purchase).filter { sibling in
            sibling.text != row.text && sibling.stage >= .recorded && !versions.contains { $0.text == sibling.text }
        }
        let others = versions + siblings
        // A consumable that was granted to a user that has been deleted.
        if transaction.type == .consumable, others.isEmpty, row.stage < .recorded, try tombstone(of: purchase) != nil {
            return .conflict(.belongsToAnotherAccount)
        }
        let common = try digest(of: transaction.commonFacts)
        guard (versions + [row]).allSatisfy({ ($0.verified?.commonFacts ?? common) == common }) else {
            return .conflict(.differentPurchase)
        }
        // The account is that of the purchase.
        let owner = (others + [row]).lazy.compactMap(\.account).first
        if let owner, let account, owner != account { return .conflict(.belongsToAnotherAccount) }
        let newOwner = account ?? owner
        for var entry in others + [row] where entry.stage < .recorded || entry.account != newOwner {
            entry.stage = max(entry.stage, .recorded)
            entry.account = newOwner
            try replace(entry.text, by: entry)
        }
        let id = Purchase.ID(transaction)
        for other in siblings {
            try move(
                Purchase.ID(transactionID: other.transactionID, origin: id.origin, environment: id.environment),
                to: newOwner, at: now)
        }
        try show(transaction, row.text, of: newOwner, verifiedBy: key, isNew: row.stage < .recorded, at: now)
        guard row.stage < .recorded else { return .unchanged }
        guard versions.isEmpty else { return .merged }
        // What can be restored is granted to the account that restores it, although a deleted user had it before.
        if transaction.type != .consumable { try deleteTombstone(of: purchase) }
        return .inserted
    }

    /// Stores a verified renewal info unless the one of the subscription has the same or a later signing date, and
    /// returns whether it is stored.
    package mutating func record(_ renewalInfo: RenewalInfo, jws: String) throws(LedgerError) -> Bool {
        let id = renewalInfo.originalTransactionID
        if let known = try renewal(of: id), known.signedDate >= renewalInfo.signedDate { return false }
        try put(RenewalRow(originalID: id, signedDate: renewalInfo.signedDate, text: digest(of: jws)), jws: jws)
        return true
    }

    /// Returns the JWS of each stored renewal info.
    package func renewalInfos() throws(LedgerError) -> [String] {
        var infos: [String] = []
        for row in try renewals() {
            if case .jws(let jws)? = try content(row.text) { infos.append(jws) }
        }
        return infos
    }

    /// Applies a change to the stored memory, and returns the memory with the change.
    package mutating func updateMemory(
        _ change: (inout LedgerMemory) -> Void
    ) throws(LedgerError) -> LedgerMemory {
        let before = try memory()
        var memory = before
        change(&memory)
        if memory != before { try put(memory) }
        return memory
    }
}
