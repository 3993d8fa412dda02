public import ReceiptTypes

/// The recorded purchases of one user of the app, in a ledger.
///
/// A ``PurchaseService`` over the same ledger records a purchase together with its delivery, in one commit; these are
/// reads of it, and what the app adds itself. No call returns or changes a purchase of another user. Each change is one
/// commit, which is durable when the call returns, together with its events.
public struct PurchaseRecords: Sendable {
    /// The ledger of all users.
    public let ledger: any PurchaseLedger
    /// The user whose purchases these are; without accounts, all purchases of the ledger.
    public let user: AppUser
    private let catalog: TemplatePriceCatalog?
    private let environment: PurchaseEnvironment

    /// Creates the purchases of a user.
    ///
    /// - Parameters:
    ///   - ledger: The ledger of all users.
    ///   - user: The user.
    ///   - catalog: Says what each purchase unlocks; without a catalog, none unlocks a feature.
    ///   - environment: The clock, for the times of the events.
    public init(
        _ ledger: any PurchaseLedger, user: AppUser, catalog: TemplatePriceCatalog?,
        environment: PurchaseEnvironment = .system
    ) {
        self.ledger = ledger
        self.user = user.normalized
        self.catalog = catalog
        self.environment = environment
    }

    // MARK: Changing

    /// Records a purchase that the app itself has verified, or merges it with the recorded version of its transaction.
    ///
    /// A redelivery is ``RecordOutcome/unchanged``. A transaction that is recorded for another user, or signed for one,
    /// is a conflict and is not recorded. A service over the ledger hands the purchase over at its next launch.
    public func recordPurchase(_ purchase: VerifiedPurchase) async throws(DatabaseError) -> RecordOutcome {
        let now = environment.clock()
        do throws(LedgerError) {
            return try await ledger.transact(.record) { [user] (rows: inout any LedgerRows) throws(LedgerError) in
                try rows.record(purchase, for: user, at: now)
            }
        } catch {
            if let refusal = error.underlying as? RecordRefusal { return .conflict(refusal.conflict) }
            throw DatabaseError(error)
        }
    }

    /// Stores whether the app's own server has acknowledged a purchase.
    ///
    /// - Throws: ``DatabaseError`` with the code `not-found` if the user has no such purchase.
    public func updateSyncStatus(
        of id: Purchase.ID, _ synchronization: Purchase.Synchronization
    ) async throws(DatabaseError) {
        try await change(id) { $0.purchase.synchronization = synchronization }
    }

    /// Stores that the app's own server has acknowledged a version of a purchase, in one commit with the comparison.
    ///
    /// - Returns: False if the records now have another version, or none; nothing is stored then.
    public func acknowledge(
        _ id: Purchase.ID, _ content: SignedContent, at date: Timestamp
    ) async throws(DatabaseError) -> Bool {
        let now = environment.clock()
        return try await transact(.changePurchase) { [user] (rows: inout any LedgerRows) throws(LedgerError) -> Bool in
            guard try rows.purchase(id)?.text == rows.digest(of: content.text) else { return false }
            return try rows.change(id, of: user, at: now) { $0.purchase.synchronization = .synced(at: date) }
        }
    }

    /// Stores the result of a later verification; an unverified purchase unlocks nothing.
    ///
    /// - Throws: ``DatabaseError`` with the code `not-found` if the user has no such purchase.
    public func updateVerificationStatus(
        of id: Purchase.ID, _ verification: Purchase.Verification
    ) async throws(DatabaseError) {
        try await change(id) { $0.purchase.verification = verification }
    }

    private func change(
        _ id: Purchase.ID, _ change: @escaping @Sendable (inout PurchaseRow) -> Void
    ) async throws(DatabaseError) {
        let now = environment.clock()
        let isFound = try await transact(.changePurchase) {
            [user] (rows: inout any LedgerRows) throws(LedgerError) in
            try rows.change(id, of: user, at: now, change)
        }
        guard isFound else { throw DatabaseError(.notFound, "the ledger has no such purchase of this user") }
    }

    private func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(DatabaseError) -> Value {
        do throws(LedgerError) {
            return try await ledger.transact(step, body)
        } catch {
            throw DatabaseError(error)
        }
    }

    // MARK: Reading

    /// Returns a purchase; nil if the user has none with this identity.
    public func getPurchase(_ id: Purchase.ID) async throws(DatabaseError) -> Purchase? {
        try await read { (rows) throws(LedgerError) in
            try rows.purchase(id).map { [$0] } ?? []
        }.first
    }

    /// Returns the purchases with a transaction id, of any store and environment, the latest first.
    ///
    /// The id is compared byte by byte.
    public func getPurchases(ofTransaction transactionID: String) async throws(DatabaseError) -> [Purchase] {
        try await read { (rows) throws(LedgerError) in
            try rows.purchases(ofTransaction: transactionID).sorted {
                $0.purchase.purchasedAt > $1.purchase.purchasedAt
            }
        }
    }

    /// Returns all purchases, the latest first.
    public func getAllPurchases() async throws(DatabaseError) -> [Purchase] {
        try await read { [user] (rows) throws(LedgerError) in try rows.purchases(of: user) }
    }

    /// Returns the purchases that unlock a feature, the latest first.
    public func getPurchasesByFeature(_ featureID: String) async throws(DatabaseError) -> [Purchase] {
        try await getAllPurchases().filter { $0.unlocks(featureID) }
    }

    /// Returns the verified purchases that the app's own server has not acknowledged, the oldest first.
    public func getUnsyncedPurchases() async throws(DatabaseError) -> [Purchase] {
        try await getAllPurchases().reversed().filter { $0.isVerified && !$0.isSynced }
    }

    /// Returns the signed content of a purchase, to verify it again; nil if the user has no such purchase.
    public func signedContent(of id: Purchase.ID) async throws(DatabaseError) -> SignedContent? {
        try await readRows { [user] (rows) throws(LedgerError) -> SignedContent? in
            guard let row = try rows.purchase(id), user.owns(row.purchase) else { return nil }
            return try rows.content(row.text)
        }
    }

    /// Returns the kept events after the one with an id, in ascending order; nil returns them from the first one.
    public func events(since id: PurchaseEvent.ID?) async throws(DatabaseError) -> [PurchaseEvent] {
        let events = try await readRows { [user] (rows) throws(LedgerError) in try rows.events(of: user, since: id) }
        return events.map { event in
            PurchaseEvent(
                id: event.id, kind: event.kind, occurredAt: event.occurredAt, purchase: event.purchase.map(withFeatures)
            )
        }
    }

    private func read(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> [PurchaseRow]
    ) async throws(DatabaseError) -> [Purchase] {
        // In one pass: there can be very many rows, and they are large.
        try await readRows(body).compactMap { user.owns($0.purchase) ? withFeatures($0.purchase) : nil }
    }

    private func withFeatures(_ purchase: Purchase) -> Purchase { catalog?.withFeatures(purchase) ?? purchase }

    private func readRows<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(DatabaseError) -> Value {
        do throws(LedgerError) {
            return try await ledger.read(.readPurchases, body)
        } catch {
            throw DatabaseError(error)
        }
    }

    // MARK: Observing

    /// Returns a sequence of all purchases: now, and after each change, also one that another process has made.
    ///
    /// Equal values do not follow each other, and a slow observer receives only the latest value. The sequence ends
    /// when it is released or its task is cancelled; it throws a ``DatabaseError`` if the ledger cannot be read. While
    /// another process keeps the ledger busy, or until a damaged file is recovered, the next change is awaited.
    public func purchaseUpdates() -> AsyncThrowingStream<[Purchase], any Error> {
        observe { () throws(DatabaseError) in try await getAllPurchases() }
    }

    /// Returns a sequence of the purchases that unlock a feature, as ``purchaseUpdates()`` does.
    public func purchaseUpdates(unlocking featureID: String) -> AsyncThrowingStream<[Purchase], any Error> {
        observe { () throws(DatabaseError) in try await getPurchasesByFeature(featureID) }
    }

    /// Returns a sequence of the states of one purchase, nil while there is none, as ``purchaseUpdates()`` does.
    public func purchaseUpdates(of id: Purchase.ID) -> AsyncThrowingStream<Purchase?, any Error> {
        observe { () throws(DatabaseError) in try await getPurchase(id) }
    }

    private func observe<Value: Sendable & Equatable>(
        _ value: @escaping @Sendable () async throws(DatabaseError) -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        // Before the first read, so that no change is missed.
        let wakeUps = ledger.changes()
        let task = Task {
            var last: Value?
            var changes = wakeUps.makeAsyncIterator()
            do throws(DatabaseError) {
                repeat {
                    guard let next = try await Self.valueIfReadable(value) else { continue }
                    if next != last { continuation.yield(next) }
                    last = next
                } while await changes.next() != nil
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Returns a value that is read; nil if it can be read again after the next change.
    private static func valueIfReadable<Value>(
        _ value: () async throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value? {
        do throws(DatabaseError) {
            return try await value()
        } catch {
            guard [.busy, .damaged].contains(error.code) else { throw error }
            return nil
        }
    }
}

extension DatabaseError {
    /// The error of the database behind a ledger, or one of a ledger without a database.
    init(_ error: LedgerError) {
        self =
            error.underlying as? DatabaseError
            ?? DatabaseError(error.code == .timedOut ? .busy : .inputOutput, error.message, underlying: error)
    }
}
