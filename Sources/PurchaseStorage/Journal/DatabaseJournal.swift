public import PurchaseCore
public import ReceiptTypes

/// The journal of a purchase service in a ``PurchaseDatabase``.
///
/// Any number of services and processes can share one database. A row that another program has changed is ignored and
/// reported to the database's `onDamage`: the purchase counts again once the store has delivered it again.
public struct DatabaseJournal: PurchaseJournal {
    /// The database of the journal.
    public let database: PurchaseDatabase

    /// Creates a journal.
    public init(_ database: PurchaseDatabase) {
        self.database = database
    }

    /// Runs a transaction that changes the journal; nil means that the entry is missing or at an earlier stage.
    private func change<Value: Sendable>(
        _ body: @Sendable (isolated PurchaseDatabase) throws(DatabaseError) -> Value?
    ) async throws(JournalError) -> Value {
        do throws(DatabaseError) {
            if let value = try await database.write(body) { return value }
        } catch {
            throw JournalError(.notWritten, error.message, underlying: error)
        }
        throw JournalError(.outOfOrder, "the entry is missing or has not reached the required stage")
    }

    /// Runs a transaction that reads the journal.
    private func read<Value: Sendable>(
        _ body: @Sendable (isolated PurchaseDatabase) throws(DatabaseError) -> Value
    ) async throws(JournalError) -> Value {
        do throws(DatabaseError) {
            return try await database.read(body)
        } catch {
            throw JournalError(.notReadable, error.message, underlying: error)
        }
    }

    // MARK: Deliveries

    /// Records a delivery, or returns the existing entry.
    public func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) async throws(JournalError) -> JournalEntry {
        try await change { (database) throws(DatabaseError) in
            let text = try SignedText(transaction.content)
            if let entry = try database.entryRow(text.digest).flatMap({ (row) throws(DatabaseError) in
                try database.entry(row)
            }) {
                return entry
            }
            let entry = JournalEntry(transaction: transaction, source: source, observedAt: now)
            // A row of this text that was changed is in the way.
            try database.deleteEntry(text.digest)
            try database.store(text)
            try EntryRow.table.insert(EntryRow(entry, text).values, into: database.connection, database.key)
            return entry
        }
    }

    /// Moves an entry to `verified` and out of quarantine, deletes the store's objection, and merges it with the entry of
    /// the same facts.
    public func markVerified(_ transaction: Transaction, jws: String) async throws(JournalError) -> JournalEntry {
        try await change { (database) throws(DatabaseError) in
            let digest = try SignedText.digest(of: jws)
            guard var row = try database.entryRow(digest) else { return nil }
            let verified = try EntryRow.Verified(transaction)
            let twin = try database.entryRows(
                "WHERE verified_id = ? AND facts_digest = ? AND text_digest <> ? ORDER BY number LIMIT 1",
                [.text(verified.id), .blob(verified.factsDigest), .blob(digest)]
            ).first
            if var twin {
                try database.connection.execute(
                    "DELETE FROM journal_entries WHERE text_digest = ?", [.blob(digest)])
                let before = twin.textDigest
                if let known = twin.verified, known.signedDate < verified.signedDate {
                    row.verified = verified
                    twin.takeDelivery(of: row)
                    // The purchase was in another state in between, for example refunded, and returns to this one.
                    let later = try database.entryRows(
                        "WHERE purchase_key = ? AND stage >= ? AND signed_date >= ? AND text_digest <> ? LIMIT 1",
                        [
                            .text(verified.purchaseKey), .integer(Int64(JournalStage.recorded.rawValue)),
                            .integer(known.signedDate.millisecondsSince1970), .blob(before),
                        ])
                    if !later.isEmpty { twin.stage = min(twin.stage, .verified) }
                }
                return try database.moveToVerified(&twin, from: before, unused: digest)
            }
            if row.verified == nil { row.verified = verified }
            return try database.moveToVerified(&row, from: digest, unused: digest)
        }
    }

    /// Moves an entry that is not recorded into quarantine.
    public func quarantine(jws: String, because code: VerificationFailure.Code) async throws(JournalError) {
        try await change { (database) throws(DatabaseError) in
            try database.update(jws, from: .observed) { row in
                guard row.stage <= .verified else { return false }
                row.quarantineReason = code.rawValue
                row.stage = .observed
                return true
            }
        }
    }

    /// Moves a verified entry to `recorded`, unless it conflicts with a recorded one.
    public func record(
        _ transaction: Transaction, jws: String, for account: UUIDText?
    ) async throws(JournalError) -> RecordOutcome {
        try await change { (database) throws(DatabaseError) in
            let digest = try SignedText.digest(of: jws)
            guard var row = try database.entryRow(digest), row.stage >= .verified else { return nil }
            var versions = try database.entryRows(
                "WHERE verified_id = ? AND stage >= ? AND text_digest <> ? ORDER BY number",
                [.text(transaction.id), .integer(Int64(JournalStage.recorded.rawValue)), .blob(digest)])
            let isFirst = versions.isEmpty && row.stage < .recorded
            if let conflict = Self.conflict(of: transaction, for: account, with: versions + [row]) {
                return .conflict(conflict)
            }
            let owner = account?.rawValue ?? (versions + [row]).lazy.compactMap(\.account).first
            for index in versions.indices where versions[index].account != owner {
                versions[index].account = owner
                try database.replace(versions[index].textDigest, by: versions[index])
            }
            let isRecorded = row.stage >= .recorded
            if !isRecorded || row.account != owner {
                row.stage = max(row.stage, .recorded)
                row.account = owner
                try database.replace(digest, by: row)
            }
            return isRecorded ? .unchanged : isFirst ? .inserted : .merged
        }
    }

    private static func conflict(
        of transaction: Transaction, for account: UUIDText?, with versions: [EntryRow]
    ) -> RecordConflict? {
        for version in versions {
            if let verified = version.verified,
                !verified.productID.isIdentical(to: transaction.productID)
                    || !verified.originalID.isIdentical(to: transaction.originalID)
            {
                return .differentPurchase
            }
            if let owner = version.account, let account, owner != account.rawValue { return .belongsToAnotherAccount }
        }
        return nil
    }

    // MARK: Fulfilment

    /// Claims a purchase, unless another claim is in force.
    public func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        try await change { (database) throws(DatabaseError) -> FulfilmentClaim?? in
            let known = try database.connection.first(
                "SELECT number, start_at, end_at FROM claims WHERE purchase_key = ?", [.text(key.description)]
            ) { (row) throws(DatabaseError) in
                FulfilmentClaim(
                    key: key, number: Int(truncatingIfNeeded: try row.integer(0)),
                    start: Timestamp(clamping: try row.integer(1)), end: Timestamp(clamping: try row.integer(2)))
            }
            if let known, known.isInForce(at: now) { return .some(nil) }
            try database.deleteClaim(of: key)
            try database.connection.execute(
                "INSERT INTO claims (purchase_key, start_at, end_at) VALUES (?, ?, ?)",
                [
                    .text(key.description), .integer(now.millisecondsSince1970), .integer(end.millisecondsSince1970),
                ])
            let number = Int(truncatingIfNeeded: database.connection.lastInsertedRow)
            return FulfilmentClaim(key: key, number: number, start: now, end: end)
        }
    }

    /// Ends a claim whose fulfilment has failed; a later claim of the same purchase stays.
    public func release(_ claim: FulfilmentClaim) async throws(JournalError) {
        try await change { (database) throws(DatabaseError) in
            try database.connection.execute(
                "DELETE FROM claims WHERE purchase_key = ? AND number = ?",
                [.text(claim.key.description), .integer(Int64(claim.number))])
            return ()
        }
    }

    /// Moves a recorded entry to `granted`, stores the fulfilment of its purchase, and ends the claim of it.
    public func markGranted(jws: String, _ fulfilment: Fulfilment, of key: PurchaseKey) async throws(JournalError) {
        try await change { (database) throws(DatabaseError) -> Void? in
            guard try database.advance(jws, from: .recorded, to: .granted) != nil else { return nil }
            try database.deleteClaim(of: key)
            try database.connection.execute(
                "DELETE FROM fulfilments WHERE purchase_key = ?", [.text(key.description)])
            try PurchaseDatabase.fulfilments.insert(
                [.text(key.description), .text(fulfilment.rawValue)], into: database.connection, database.key)
            return ()
        }
    }

    /// Moves a granted entry to `finished`.
    public func markFinished(jws: String) async throws(JournalError) {
        try await change { (database) throws(DatabaseError) in
            try database.advance(jws, from: .granted, to: .finished)
        }
    }

    /// Returns the last fulfilment of a purchase.
    public func fulfilment(of key: PurchaseKey) async throws(JournalError) -> Fulfilment? {
        try await read { (database) throws(DatabaseError) in
            let rows = try PurchaseDatabase.fulfilments.rows(
                "WHERE purchase_key = ?", [.text(key.description)], in: database.connection, database.key
            ) { database.onDamage(DamagedRow("fulfilments", $0)) }
            guard case .text(let fulfilment)? = rows.first?.last else { return nil }
            return Fulfilment(rawValue: fulfilment)
        }
    }

    // MARK: Reading

    /// Returns all entries in the order of their first delivery.
    public func entries() async throws(JournalError) -> [JournalEntry] {
        try await read { (database) throws(DatabaseError) in try database.entries("ORDER BY number") }
    }

    /// Returns the recorded entries of one purchase.
    public func recordedEntries(of key: PurchaseKey) async throws(JournalError) -> [JournalEntry] {
        try await read { (database) throws(DatabaseError) in
            try database.entries(
                "WHERE purchase_key = ? AND stage >= ? ORDER BY number",
                [.text(key.description), .integer(Int64(JournalStage.recorded.rawValue))])
        }
    }

    /// Deletes every entry in quarantine for which a later delivery of the same transaction has the same reason.
    public func compact() async throws(JournalError) {
        try await change { (database) throws(DatabaseError) in
            let digests = try database.connection.rows(
                """
                SELECT text_digest FROM journal_entries WHERE quarantine_reason IS NOT NULL AND number NOT IN (
                    SELECT max(number) FROM journal_entries WHERE quarantine_reason IS NOT NULL
                    GROUP BY transaction_id, product_id, quarantine_reason
                )
                """
            ) { (row) throws(DatabaseError) in try row.blob(0) }
            for digest in digests { try database.deleteEntry(digest) }
            return ()
        }
    }

    // MARK: Renewal infos and memory

    /// Stores a renewal info if it is the latest of its subscription.
    public func record(_ renewalInfo: RenewalInfo, jws: String) async throws(JournalError) {
        try await change { (database) throws(DatabaseError) in
            let id = SQLiteValue.text(renewalInfo.originalTransactionID)
            let known = try database.renewalRows("WHERE original_id = ?", [id]).first
            if let known, known.signedDate >= renewalInfo.signedDate { return () }
            let text = try SignedText(jws: jws)
            try database.store(text)
            try database.connection.execute("DELETE FROM renewal_infos WHERE original_id = ?", [id])
            try PurchaseDatabase.renewalInfos.insert(
                [id, .integer(renewalInfo.signedDate.millisecondsSince1970), .blob(text.digest)],
                into: database.connection, database.key)
            if let known { try database.deleteUnusedText(known.textDigest) }
            return ()
        }
    }

    /// Returns the JWS of each stored renewal info, one for each subscription.
    public func renewalInfos() async throws(JournalError) -> [String] {
        try await read { (database) throws(DatabaseError) in
            var infos: [String] = []
            for row in try database.renewalRows("ORDER BY original_id") {
                if let jws = try database.signedText(row.textDigest)?.first { infos.append(jws) }
            }
            return infos
        }
    }

    /// Returns the stored clock marks, pending purchases, absences and listings.
    public func memory() async throws(JournalError) -> JournalMemory {
        try await read { (database) throws(DatabaseError) in try database.journalMemory() }
    }

    /// Applies a change to the stored memory in one transaction, and returns the memory with the change.
    @discardableResult
    public func updateMemory(
        _ change: @Sendable (inout JournalMemory) -> Void
    ) async throws(JournalError) -> JournalMemory {
        try await self.change { (database) throws(DatabaseError) in
            let before = try database.journalMemory()
            var memory = before
            change(&memory)
            if memory != before { try database.store(memory) }
            return memory
        }
    }

    public func save(_ memory: JournalMemory) async throws(JournalError) {
        _ = try await updateMemory { $0 = memory }
    }
}
