public import PurchaseCore
import SQLite

extension PurchaseDatabase {
    /// Deletes everything of all users and everything that belongs to no account, so that none of it can be read in the
    /// files of the database, not even without its key.
    ///
    /// An app without accounts deletes the data of its user so. These are all purchases, receipts and events, the
    /// entries of the ledger and what it remembers, the log, the analytics events that wait, and the cached products.
    /// The files that recoveries have set aside are deleted too.
    ///
    /// What stays are the marks that keep a clock that was set back from extending access, and of each purchase that
    /// was granted a keyed digest, as of a deleted user: see ``erase(_:)``.
    ///
    /// The app also removes what it has elsewhere, such as values of a ``SealedStore``, and ends services that still
    /// work with the database first.
    ///
    /// - Returns: What was deleted; a repeated call deletes what was left behind by one that has failed.
    /// - Throws: A `DatabaseError`. With the code `busy`, the rows are deleted, and another process still reads the
    ///   file; with `read-only`, a file that was set aside cannot be deleted. Call it again.
    @discardableResult
    public nonisolated func eraseEverything() async throws(DatabaseError) -> ErasedUser {
        try await performErasure { (database) throws(DatabaseError) in try database.eraseAllRows() }
    }
}

extension DatabaseSession {
    /// The tables that are emptied after the ledger, in an order in which a row goes before those that it refers to.
    private static let erasedTables = [
        "renewal_infos", "signed_texts", "analytics_events", "analytics_cursors", "log_entries", "reported_cases",
        "cached_products",
    ]

    fileprivate func eraseAllRows() throws(DatabaseError) -> ErasedUser {
        try rememberLostConsumables("true", [])
        let entries = try references("")
        _ = try erase(entries)
        let events = try connection.execute("DELETE FROM purchase_events")
        let purchases = try connection.execute("DELETE FROM purchases")
        for table in Self.erasedTables { try connection.execute("DELETE FROM \(table)") }
        try store(LedgerMemory(clock: try ledgerMemory().clock))
        purchasesHaveChanged()
        return ErasedUser(purchases: purchases, events: events, ledgerEntries: entries.count)
    }
}
