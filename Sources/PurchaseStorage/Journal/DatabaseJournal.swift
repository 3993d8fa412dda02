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
            try database.observe(transaction, from: source, at: now)
        }
    }

    /// Moves an entry to `verified` and out of quarantine, deletes the store's objection, and merges it with the entry
    /// of the same facts.
    public func markVerified(_ transaction: Transaction, signedText: String) async throws(JournalError) -> JournalEntry
    {
        try await change { (database) throws(DatabaseError) in
            try database.markVerified(transaction, signedText: signedText)
        }
    }

    /// Moves an entry that is not recorded into quarantine.
    public func quarantine(signedText: String, because code: VerificationFailure.Code) async throws(JournalError) {
        try await change { (database) throws(DatabaseError) in
            try database.update(signedText, from: .observed) { row in
                guard row.stage <= .verified else { return false }
                row.quarantineReason = code.rawValue
                row.stage = .observed
                return true
            }
        }
    }

    /// Moves a verified entry to `recorded`, unless it conflicts with a recorded one.
    public func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?
    ) async throws(JournalError) -> RecordOutcome {
        try await change { (database) throws(DatabaseError) in
            try database.record(transaction, signedText: signedText, for: account)
        }
    }

    // MARK: Fulfilment

    /// Claims a purchase, unless another claim is in force.
    public func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        try await change { (database) throws(DatabaseError) -> FulfilmentClaim?? in
            let known = try database.claim(of: key)
            if let known, known.isInForce(at: now) { return .some(nil) }
            try database.deleteClaim(of: key)
            return try database.insertClaim(of: key, from: now, until: end, followsUnanswered: known != nil)
        }
    }

    /// Moves the times of a claim, unless it was ended or replaced.
    public func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        try await change { (database) throws(DatabaseError) -> FulfilmentClaim?? in
            guard let renewed = try database.stored(claim)?.renewed(from: now, until: end) else { return .some(nil) }
            try database.update(renewed)
            return renewed
        }
    }

    /// Ends a claim whose fulfilment has failed; a later claim of the same purchase stays.
    public func release(_ claim: FulfilmentClaim) async throws(JournalError) {
        try await change { (database) throws(DatabaseError) in
            guard let stored = try database.stored(claim) else { return () }
            guard let rest = stored.afterRelease else { return try database.deleteClaim(of: claim.key) }
            return try database.update(rest)
        }
    }

    /// Moves a recorded entry to `granted`, stores the fulfilment of the claimed purchase, and ends the claim.
    public func markGranted(
        signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) async throws(JournalError) {
        let isGranted = try await change { (database) throws(DatabaseError) -> Bool? in
            let digest = try SignedText.digest(of: signedText)
            guard var row = try database.entryRow(digest), row.stage >= .recorded else { return nil }
            let isHeld = try database.stored(claim) != nil
            let done = try database.fulfilment(of: claim.key)
            if row.stage < .granted || done != fulfilment {
                guard isHeld else { return false }
                row.stage = max(row.stage, .granted)
                try database.replace(digest, by: row)
                try database.store(fulfilment, of: claim.key)
            }
            if isHeld { try database.deleteClaim(of: claim.key) }
            return true
        }
        if !isGranted {
            throw JournalError(.claimLost, "the claim of the purchase has ended, or another one has replaced it")
        }
    }

    /// Moves a granted entry to `finished`.
    public func markFinished(signedText: String) async throws(JournalError) {
        try await change { (database) throws(DatabaseError) in
            try database.advance(signedText, from: .granted, to: .finished)
        }
    }

    /// Returns the last fulfilment of a purchase.
    public func fulfilment(of key: PurchaseKey) async throws(JournalError) -> FulfilledAmount? {
        try await read { (database) throws(DatabaseError) in
            try database.fulfilment(of: key)
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

    /// Deletes every entry in quarantine for which a later delivery of the same transaction has the same reason, and
    /// every entry that is not verified for which there is a later one from the same source.
    public func compact() async throws(JournalError) {
        try await change { (database) throws(DatabaseError) in
            let digests = try database.connection.rows(
                """
                SELECT text_digest FROM journal_entries WHERE stage = ?1 AND number NOT IN (
                    SELECT max(number) FROM journal_entries WHERE stage = ?1
                    GROUP BY transaction_id, product_id, quarantine_reason,
                        CASE WHEN quarantine_reason IS NULL THEN source END
                )
                """, [.integer(Int64(JournalStage.observed.rawValue))]
            ) { (row) throws(DatabaseError) in try row.blob(0) }
            for digest in digests { try database.deleteEntry(digest) }
            return ()
        }
    }

    // MARK: Renewal infos and memory

    /// Stores a renewal info if it is the latest of its subscription.
    public func record(_ renewalInfo: RenewalInfo, jws: String) async throws(JournalError) {
        try await change { (database) throws(DatabaseError) in
            _ = try database.record(renewalInfo, jws: jws)
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
        _ change: @escaping @Sendable (inout JournalMemory) -> Void
    ) async throws(JournalError) -> JournalMemory {
        try await self.change { (database) throws(DatabaseError) in
            let before = try database.journalMemory()
            var memory = before
            change(&memory)
            if memory != before { try database.store(memory) }
            return memory
        }
    }
}
