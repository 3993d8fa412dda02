public import PurchaseCore
public import ReceiptTypes
import SQLite

extension PurchaseDatabase {
    /// Deletes a purchase of an account, its events, its deliveries in the ledger and the log, so that none of it can
    /// be read in the files; does nothing if the account has no such purchase.
    ///
    /// It writes the pages of the purchase, and not the whole file. As ``erase(_:)`` it empties the write-ahead log,
    /// deletes the files that recoveries have set aside, and leaves a keyed digest of what was granted. Anything but a
    /// consumable that the store delivers again is recorded again.
    ///
    /// - Parameters:
    ///   - id: The identity of the purchase.
    ///   - account: The account that the purchase belongs to; nil if it belongs to none.
    ///   - clock: The device's clock, for the time of the event.
    /// - Throws: A `DatabaseError`. With the code `busy`, the purchase is deleted, and another process still reads the
    ///   file. Call it again.
    public nonisolated func deletePurchase(
        _ id: Purchase.ID, of account: UUIDText?, clock: @Sendable () -> Timestamp = PurchaseEnvironment.deviceTime
    ) async throws(DatabaseError) {
        // Read before the transaction, because the clock is the app's.
        let now = clock()
        try await write { (database) throws(DatabaseError) in
            try database.delete(id, of: account?.lowercased, at: now)
        }
        try await finishErasure()
    }
}

extension DatabaseSession {
    /// Deletes a user's purchase, also if its row was changed, with its events, its signed text and what the ledger and
    /// the log have about it.
    fileprivate func delete(_ id: Purchase.ID, of account: UUIDText?, at now: Timestamp) throws(DatabaseError) {
        let digest = try key.digest(ofUser: account)
        let isUsers = try connection.first(
            "SELECT 1 FROM purchases WHERE \(Self.isPurchase) AND user_digest = ?", id.values + [.blob(digest)]
        ) { (_) throws(DatabaseError) in true }
        guard isUsers != nil, let stored = try storedPurchase(id) else { return }
        try file.noteErasure(DatabaseKey.random())
        try rememberLostConsumables("id = ?", [.integer(stored.number)])
        try eraseDeliveries(of: id, userDigest: digest)
        try connection.execute("DELETE FROM purchase_events WHERE purchase_id = ?", [.integer(stored.number)])
        try connection.execute("DELETE FROM purchases WHERE id = ?", [.integer(stored.number)])
        release(stored.text)
        try append(.deleted, of: stored.number, nil, account, at: now)
        try eraseLogEntries(ofTransaction: id.transactionID, of: digest)
        purchasesHaveChanged()
    }
}
