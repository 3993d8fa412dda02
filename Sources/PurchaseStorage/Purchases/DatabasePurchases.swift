public import PurchaseCore
public import ReceiptTypes

/// The purchases of one user in a ``PurchaseDatabase``.
///
/// Any number of processes can share one database. A row that another program has changed unlocks nothing and is
/// reported to the database's `onDamage`; the purchase counts again once it is recorded again.
public struct DatabasePurchases: PurchaseRecords {
    /// The database of the purchases.
    public let database: PurchaseDatabase
    /// The user whose purchases these are; nil for the purchases that belong to no account.
    public let user: UUIDText?
    private let clock: @Sendable () -> Timestamp

    /// Creates the purchases of a user.
    ///
    /// - Parameters:
    ///   - database: The database of all users.
    ///   - user: The user's id, which the rows contain only as a keyed digest; nil for purchases that belong to no
    ///     account.
    ///   - clock: The device's clock, for the times of the events.
    public init(
        _ database: PurchaseDatabase, user: UUIDText?, clock: @escaping @Sendable () -> Timestamp = DeviceClock.now
    ) {
        self.database = database
        self.user = user?.lowercased
        self.clock = clock
    }

    // MARK: Recording

    /// Records a verified purchase, or merges it with the recorded version of its transaction.
    public func recordPurchase(_ purchase: VerifiedPurchase) async throws(DatabaseError) -> RecordOutcome {
        if let user, let account = purchase.transaction.appAccountToken, account != user {
            return .conflict(.belongsToAnotherAccount)
        }
        return try await write { (database, scope, now) throws(DatabaseError) in
            try database.recordPurchase(purchase, for: scope, at: now)
        }
    }

    /// Stores whether the app's own server has acknowledged a purchase.
    public func updateSyncStatus(
        of id: Purchase.ID, _ synchronization: Purchase.Synchronization
    ) async throws(DatabaseError) {
        try await write { (database, scope, now) throws(DatabaseError) in
            try database.update(id, of: scope, at: now) { $0.synchronization = synchronization }
        }
    }

    /// Stores that the app's own server has acknowledged a version of a purchase; false if another one is recorded.
    public func acknowledge(
        _ id: Purchase.ID, _ content: SignedContent, at date: Timestamp
    ) async throws(DatabaseError) -> Bool {
        try await write { (database, scope, now) throws(DatabaseError) in
            let digest = try SignedText(content).digest
            guard try database.purchaseRow(id, of: scope)?.textDigest == digest else { return false }
            try database.update(id, of: scope, at: now) { $0.synchronization = .synced(at: date) }
            return true
        }
    }

    /// Stores the result of a later verification; an unverified purchase unlocks nothing.
    public func updateVerificationStatus(
        of id: Purchase.ID, _ verification: Purchase.Verification
    ) async throws(DatabaseError) {
        try await write { (database, scope, now) throws(DatabaseError) in
            try database.update(id, of: scope, at: now) { $0.verification = verification }
        }
    }

    /// Deletes a purchase, its events, its entries in the ``DatabaseLedger`` and the log, so that none of it can be
    /// read in the files; does nothing if the user has no such purchase.
    ///
    /// It writes the pages of the purchase, and not the whole file. As ``PurchaseDatabase/erase(_:)`` it empties the
    /// write-ahead log, deletes the files that recoveries have set aside, and leaves a keyed digest of a consumable
    /// that was granted. Anything else that the store delivers again is recorded again.
    ///
    /// - Throws: A `DatabaseError`. With the code `busy`, the purchase is deleted, and another process still reads the
    ///   file. Call it again.
    public func deletePurchase(_ id: Purchase.ID) async throws(DatabaseError) {
        try await write { (database, scope, now) throws(DatabaseError) in
            try database.delete(id, of: scope, at: now)
        }
        try await database.finishErasure()
    }

    // MARK: Reading

    /// Returns a purchase; nil if the user has none with this identity.
    public func getPurchase(_ id: Purchase.ID) async throws(DatabaseError) -> Purchase? {
        try await database.read(purchase(id))
    }

    /// Returns the purchases with a transaction id, of any store and environment, the latest first.
    public func getPurchases(ofTransaction transactionID: String) async throws(DatabaseError) -> [Purchase] {
        try await database.read { [user] (database) throws(DatabaseError) in
            try database.purchases(ofTransaction: transactionID, of: database.scope(of: user))
        }
    }

    /// Returns all purchases, the latest first.
    public func getAllPurchases() async throws(DatabaseError) -> [Purchase] {
        try await database.read(allPurchases)
    }

    /// Returns the purchases that unlock a feature, the latest first.
    public func getPurchasesByFeature(_ featureID: String) async throws(DatabaseError) -> [Purchase] {
        try await database.read(purchases(unlocking: featureID))
    }

    /// Returns the verified purchases that the app's own server has not acknowledged, the oldest first.
    public func getUnsyncedPurchases() async throws(DatabaseError) -> [Purchase] {
        try await database.read { [user] (database) throws(DatabaseError) in
            try database.unsyncedPurchases(of: database.scope(of: user))
        }
    }

    /// Returns the signed content of a purchase; nil if the user has no such purchase, or if the content was changed.
    public func signedContent(of id: Purchase.ID) async throws(DatabaseError) -> SignedContent? {
        try await database.read { [user] (database) throws(DatabaseError) -> SignedContent? in
            guard let row = try database.purchaseRow(id, of: database.scope(of: user)) else { return nil }
            return try database.signedText(row.textDigest).flatMap { SignedContent(parts: $0, id.origin) }
        }
    }

    /// Returns the kept events after the one with an id, in ascending order; nil returns them from the first one.
    public func events(since id: PurchaseEvent.ID?) async throws(DatabaseError) -> [PurchaseEvent] {
        try await database.read { [user] (database) throws(DatabaseError) in
            try database.events(since: id, of: database.scope(of: user))
        }
    }

    // MARK: Observing

    /// Returns a sequence of all purchases: now, and after each change, also one that another process has made.
    public func purchaseUpdates() -> AsyncThrowingStream<[Purchase], any Error> {
        database.observe(allPurchases)
    }

    /// Returns a sequence of the purchases that unlock a feature, as ``purchaseUpdates()`` does.
    public func purchaseUpdates(unlocking featureID: String) -> AsyncThrowingStream<[Purchase], any Error> {
        database.observe(purchases(unlocking: featureID))
    }

    /// Returns a sequence of the states of one purchase, nil while there is none, as ``purchaseUpdates()`` does.
    public func purchaseUpdates(of id: Purchase.ID) -> AsyncThrowingStream<Purchase?, any Error> {
        database.observe(purchase(id))
    }
}

extension DatabasePurchases {
    private typealias Query<Value> = @Sendable (DatabaseSession) throws(DatabaseError) -> Value

    private var allPurchases: Query<[Purchase]> {
        { [user] (database) throws(DatabaseError) in try database.purchases(of: database.scope(of: user)) }
    }

    private func purchases(unlocking featureID: String) -> Query<[Purchase]> {
        { [user] (database) throws(DatabaseError) in
            try database.purchases(unlocking: featureID, of: database.scope(of: user))
        }
    }

    private func purchase(_ id: Purchase.ID) -> Query<Purchase?> {
        { [user] (database) throws(DatabaseError) in
            try database.purchaseRow(id, of: database.scope(of: user))?.recorded.purchase
        }
    }

    /// Runs a transaction for the user at the current time.
    private func write<Value: Sendable>(
        _ body: @Sendable (DatabaseSession, PurchaseScope, Timestamp) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        // Read before the transaction, because the clock is the app's.
        let now = clock()
        return try await database.write { [user] (database) throws(DatabaseError) in
            try body(database, database.scope(of: user), now)
        }
    }
}

extension SignedContent {
    /// Creates the content from the parts of a ``SignedText``; nil if they do not fit the store.
    fileprivate init?(parts: [String], _ origin: Purchase.Origin) {
        guard let content = SignedContent(parts: parts) else { return nil }
        switch (origin, content) {
        case (.appStore, .jws), (.googlePlay, .play): self = content
        default: return nil
        }
    }
}
