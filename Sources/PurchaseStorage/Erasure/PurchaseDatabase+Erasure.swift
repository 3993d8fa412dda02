public import PurchaseCore
public import ReceiptTypes
import SQLite

/// What was deleted of a user, or of all users.
public struct ErasedUser: Sendable, Hashable {
    /// The number of the deleted purchases.
    public let purchases: Int
    /// The number of the deleted events.
    public let events: Int
    /// The number of the deleted deliveries of the ``DatabaseLedger``.
    public let ledgerEntries: Int
}

extension PurchaseDatabase {
    /// Deletes everything of a user, so that none of it can be read in the files of the database, not even without its
    /// key.
    ///
    /// These are the user's purchases and events, the analytics events that wait, the entries of the ledger for this
    /// account and what belongs to them, and the entries of the log from the time when the user was signed in or about
    /// one of these transactions. Entries of the log that name no account are deleted if no other row has their
    /// transaction. The rows of other users stay. The files that recoveries have set aside are deleted, because they
    /// contain the purchases of all users.
    ///
    /// A keyed digest stays of each purchase that was granted, so that a consumable that the store delivers again is a
    /// conflict and is not granted again. Subscriptions and non-consumables can be recorded again, for the account that
    /// restores them.
    ///
    /// The app also removes what it has of the user elsewhere, such as values of a ``SealedStore`` by their names, and
    /// ends services that still work for the user first.
    ///
    /// - Returns: What was deleted; a repeated call deletes what was left behind by one that has failed.
    /// - Throws: A `DatabaseError`. With the code `busy`, the rows are deleted, and another process still reads the
    ///   file; with `read-only`, a file that was set aside cannot be deleted. Call it again.
    @discardableResult
    public nonisolated func erase(_ user: UUIDText) async throws(DatabaseError) -> ErasedUser {
        let user = user.lowercased
        return try await performErasure { (database) throws(DatabaseError) in
            try database.eraseRows(of: user)
        }
    }

    /// Runs the transaction of a deletion, and then deletes what the rows have left in the files.
    nonisolated func performErasure(
        _ rows: @Sendable (DatabaseSession) throws(DatabaseError) -> ErasedUser
    ) async throws(DatabaseError) -> ErasedUser {
        let erased = try await write { (database) throws(DatabaseError) in
            // Before the rows: a process that is killed after the transaction leaves a note of what is to be done.
            try database.file.noteErasure(DatabaseKey.random())
            return try rows(database)
        }
        try await finishErasure()
        return erased
    }

    /// Deletes everything of a user as ``erase(_:)`` does; nil, without a change, if the database has nothing of the
    /// user.
    ///
    /// Damaged files that recoveries have set aside are not searched for the user.
    ///
    /// - Parameter eraseCopies: Deletes what else can have values of the user, before the rows.
    package nonisolated func eraseKnown(
        _ user: UUIDText, after eraseCopies: () throws(DatabaseError) -> Void = {}
    ) async throws(DatabaseError) -> ErasedUser? {
        let user = user.lowercased
        let isKnown = try await read { (database) throws(DatabaseError) in
            try database.hasTraces(of: user)
        }
        guard isKnown else { return nil }
        try eraseCopies()
        return try await erase(user)
    }

    /// Returns the paths of the damaged files that recoveries have set aside.
    package nonisolated func filesSetAside() throws(DatabaseError) -> [String] { try file.pathsSetAside() }

    /// Whether rows of a user were deleted and ``finishErasure()`` is left to do.
    package nonisolated var hasUnfinishedErasure: Bool { file.isErasing }

    /// Deletes what the rows of deleted users have left in the files; does nothing if there is nothing left.
    ///
    /// A process that was killed leaves this to the next call of it or of ``erase(_:)``.
    ///
    /// - Returns: Whether there was something left.
    @discardableResult
    package func finishErasure() throws(DatabaseError) -> Bool {
        guard let number = try file.erasureToFinish() else { return false }
        do throws(DatabaseError) {
            try withCurrentFile { () throws(DatabaseError) in try eraseRemains() }
        } catch {
            throw DatabaseError(
                error.code, "the rows are deleted, but not yet what they have left in the files: \(error.message)",
                underlying: error)
        }
        // Under this lock no transaction runs, so none is between its note and its deletion.
        try file.lock.exclusive { () throws(DatabaseError) in try file.removeErasureNote(number) }
        return true
    }

    /// Empties the write-ahead log, whose pages go to the file without what was deleted; see ``ErasingFileSystem``.
    private func eraseRemains() throws(DatabaseError) {
        try file.removeSetAside()
        file.removeIncomplete()
        try file.removeUnfinished()
        try file.removeUnfinishedBackup()
        guard try connection.emptyLog() else {
            throw DatabaseError(.busy, "another process still reads what was deleted")
        }
    }
}

extension DatabaseSession {
    /// Returns whether the database has a row of a user, or a row that names one.
    fileprivate func hasTraces(of account: UUIDText) throws(DatabaseError) -> Bool {
        let digest = SQLiteValue.blob(try key.digest(ofUser: account))
        let columns = [
            "purchases": "user_digest", "purchase_events": "user_digest", "analytics_events": "user_digest",
            "analytics_cursors": "user_digest", "deliveries": "account_digest", "log_entries": "user_digest",
        ]
        for (table, column) in columns {
            let found = try connection.first(
                "SELECT 1 FROM \(table) WHERE \(column) = ? LIMIT 1", [digest]
            ) { (_) throws(DatabaseError) in true }
            if found != nil { return true }
        }
        if try ledgerMemory().pending.contains(where: { $0.account?.lowercased == account }) { return true }
        return try !unrecordedEntries(naming: account).isEmpty
    }

    fileprivate func eraseRows(of account: UUIDText) throws(DatabaseError) -> ErasedUser {
        let digest = SQLiteValue.blob(try key.digest(ofUser: account))
        let transactions = try transactionIDs()
        try rememberLostConsumables("user_digest = ?", [digest])
        let ledgerEntries = try eraseLedger(of: account, digest)
        let texts = try connection.rows("SELECT text_digest FROM purchases WHERE user_digest = ?", [digest]) {
            (row) throws(DatabaseError) in try row.blob(0)
        }
        // A purchase that belonged to no account before has events without the user.
        let events = try connection.execute(
            """
            DELETE FROM purchase_events WHERE user_digest = ?1
            OR purchase_id IN (SELECT id FROM purchases WHERE user_digest = ?1)
            """, [digest])
        try connection.execute("DELETE FROM purchases WHERE user_digest = ?", [digest])
        for text in texts { try deleteUnusedText(text) }
        try eraseAnalytics(of: key.digest(ofUser: account))
        try eraseLogEntries(of: key.digest(ofUser: account), formerTransactions: transactions)
        purchasesHaveChanged()
        return ErasedUser(purchases: texts.count, events: events, ledgerEntries: ledgerEntries)
    }

    /// Leaves a tombstone of each consumable among some purchases whose deliveries were lost with a damaged file, and
    /// of each row that was changed, which can have been one: it can have been granted.
    func rememberLostConsumables(_ condition: String, _ values: [SQLiteValue]) throws(DatabaseError) {
        let lost = try connection.rows(
            """
            SELECT id, transaction_id, store, environment, purchased_at FROM purchases WHERE \(condition)
            AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.transaction_id = purchases.transaction_id
            AND deliveries.store = purchases.store AND purchase_key IS NOT NULL)
            """, values
        ) { (row) throws(DatabaseError) in
            (
                number: try row.integer(0),
                key: PurchaseKey(
                    transactionID: try row.text(1), Purchase.Origin(rawValue: try row.text(2)),
                    StoreEnvironment(rawValue: try row.text(3)), purchasedAt: Timestamp(clamping: try row.integer(4)))
            )
        }
        for purchase in lost {
            let type = try purchaseRows("WHERE id = ?", [.integer(purchase.number)]).first?.purchase.type
            guard type ?? .consumable == .consumable else { continue }
            let key = purchase.key.description
            try storeTombstone(of: [.text(key)], lastFulfilment(of: key) ?? Self.columns(of: .revoked))
        }
    }

    /// Returns the last fulfilment of a purchase as a tombstone has it; nil if the purchase was not granted.
    ///
    /// If its row was changed or is missing, the amount is not known. It is then that of a revoked purchase, so that
    /// nothing is granted again.
    private func lastFulfilment(of purchase: String) throws(DatabaseError) -> [SQLiteValue]? {
        if let row = try fulfilmentRow(of: purchase) { return row }
        let changed = try connection.first(
            "SELECT 1 FROM fulfilments WHERE purchase_digest = ?", [try key.digest(ofPurchase: .text(purchase))]
        ) { (_) throws(DatabaseError) in true }
        let granted = try deliveryRows(
            "WHERE purchase_key = ? AND stage >= ? LIMIT 1",
            [.text(purchase), .integer(Int64(DeliveryStage.granted.rawValue))])
        return changed != nil || !granted.isEmpty ? Self.columns(of: .revoked) : nil
    }

    /// Deletes the entries of an account, other deliveries of the same purchases, and those that name the account and
    /// are not recorded.
    private func eraseLedger(of account: UUIDText, _ digest: SQLiteValue) throws(DatabaseError) -> Int {
        let owned = try references(
            """
            WHERE account_digest = ?1
            OR purchase_key IN (SELECT purchase_key FROM deliveries WHERE account_digest = ?1)
            """, [digest])
        let known = Set(owned.map(\.text))
        let deleted = owned + (try unrecordedEntries(naming: account).filter { !known.contains($0.text) })
        let ids = try erase(deleted)
        try eraseRenewalInfos(ids)
        try changeMemory { memory in
            memory.pending.removeAll { $0.account?.lowercased == account }
            memory.forget(ids)
        }
        return deleted.count
    }

    /// Deletes the deliveries of a purchase of a user, and what belongs to them.
    func eraseDeliveries(of id: Purchase.ID, userDigest: [UInt8]) throws(DatabaseError) {
        let owned = "transaction_id = ?1 AND store = ?2 AND (account_digest = ?3 OR account_digest IS NULL)"
        let entries = try references(
            "WHERE \(owned) OR purchase_key IN (SELECT purchase_key FROM deliveries WHERE \(owned))",
            id.values.prefix(2) + [.blob(userDigest)])
        let ids = try erase(entries)
        // A subscription keeps its renewal info while the ledger has another transaction of it.
        let infos = try renewalInfos().filter { ids.contains($0.id) }
        let kept = infos.isEmpty ? [] : try idsOfEntries()
        try erase(infos.filter { !kept.contains($0.id) })
        try changeMemory { $0.forget(ids) }
    }

    /// Deletes entries and their fulfilments, and returns the ids of their transactions and of the first ones of their
    /// subscriptions.
    func erase(_ entries: [EntryReference]) throws(DatabaseError) -> Set<String> {
        var ids = Set(entries.map(\.id))
        for entry in entries {
            if let original = try delivery(entry.text)?.originalTransactionID { ids.insert(original) }
        }
        for key in Set(entries.compactMap(\.key)) { try eraseFulfilment(of: key) }
        for entry in entries { try deleteDelivery(entry.text) }
        return ids
    }

    typealias EntryReference = (text: [UInt8], id: String, key: String?)

    func references(_ condition: String, _ values: [SQLiteValue] = []) throws(DatabaseError) -> [EntryReference] {
        try connection.rows(
            "SELECT text_digest, transaction_id, purchase_key FROM deliveries \(condition)", values
        ) { (row) throws(DatabaseError) in (try row.blob(0), try row.text(1), try row.optionalText(2)) }
    }

    /// Returns the entries that are not recorded for any account and whose signed content names a user.
    private func unrecordedEntries(naming user: UUIDText?) throws(DatabaseError) -> [EntryReference] {
        let stage = Int64(DeliveryStage.recorded.rawValue)
        var entries: [EntryReference] = []
        for entry in try references("WHERE account_digest IS NULL AND stage < ?", [.integer(stage)]) {
            if let account = try delivery(entry.text)?.account, account == user { entries.append(entry) }
        }
        return entries
    }

    private func delivery(_ text: [UInt8]) throws(DatabaseError) -> UnverifiedDelivery? {
        try signedText(text).flatMap { SignedContent(parts: $0) }.map { UnverifiedDelivery($0) }
    }

    private func eraseFulfilment(of purchase: String) throws(DatabaseError) {
        if let row = try lastFulfilment(of: purchase) { try storeTombstone(of: [.text(purchase)], row) }
        let digest = try key.digest(ofPurchase: .text(purchase))
        try connection.execute("DELETE FROM fulfilments WHERE purchase_digest = ?", [digest])
        try connection.execute("DELETE FROM claims WHERE purchase_digest = ?", [digest])
    }

    /// Deletes the renewal infos of deleted transactions, and those without an entry, which can be the user's.
    ///
    /// An entry can be lost with a damaged file. The store returns the renewal infos of other users again.
    private func eraseRenewalInfos(_ ids: Set<String>) throws(DatabaseError) {
        let infos = try renewalInfos()
        let owned = try infos.allSatisfy { ids.contains($0.id) } ? [] : idsOfEntries()
        try erase(infos.filter { ids.contains($0.id) || !owned.contains($0.id) })
    }

    private typealias RenewalReference = (id: String, text: [UInt8])

    private func renewalInfos() throws(DatabaseError) -> [RenewalReference] {
        try connection.rows("SELECT original_id, text_digest FROM renewal_infos") {
            (row) throws(DatabaseError) in (id: try row.text(0), text: try row.blob(1))
        }
    }

    private func erase(_ infos: [RenewalReference]) throws(DatabaseError) {
        for info in infos {
            try connection.execute("DELETE FROM renewal_infos WHERE original_id = ?", [.text(info.id)])
            try deleteUnusedText(info.text)
        }
    }

    /// Returns the ids of the transactions in the ledger, and of the first ones of their subscriptions.
    private func idsOfEntries() throws(DatabaseError) -> Set<String> {
        let entries = try connection.rows("SELECT transaction_id, text_digest FROM deliveries") {
            (row) throws(DatabaseError) in (id: try row.text(0), text: try row.blob(1))
        }
        var ids: Set<String> = []
        for entry in entries {
            ids.insert(entry.id)
            if let original = try delivery(entry.text)?.originalTransactionID { ids.insert(original) }
        }
        return ids
    }

    private func changeMemory(_ change: (inout LedgerMemory) -> Void) throws(DatabaseError) {
        let before = try ledgerMemory()
        var memory = before
        change(&memory)
        if memory != before { try store(memory) }
    }
}

extension LedgerMemory {
    /// Removes what concerns transactions.
    fileprivate mutating func forget(_ ids: Set<String>) {
        absences.removeAll { ids.contains($0.transactionID) }
        playListings.removeAll { ids.contains($0.transactionID) }
    }
}

extension PurchaseKey {
    /// The key of a consumable, which no billing event identifies; see `Transaction.purchaseKey`.
    fileprivate init(
        transactionID id: String, _ origin: Purchase.Origin?, _ environment: StoreEnvironment, purchasedAt: Timestamp
    ) {
        let isOfTestStore = environment == .xcode || environment == .localTesting
        self =
            if origin == .googlePlay {
                .playPurchase(token: id)
            } else {
                .transaction(id: isOfTestStore ? "\(id) of \(purchasedAt.millisecondsSince1970)" : id)
            }
    }
}
