public import ReceiptTypes

/// The port to the recorded purchases of one user of the app.
///
/// No call returns or changes a purchase of another user. Each change is one commit, which is durable when the call
/// returns, together with its events.
public protocol PurchaseRecords: Sendable {
    /// The user whose purchases these are; nil for the purchases that belong to no account.
    var user: UUIDText? { get }

    /// Records a verified purchase, or merges it with the recorded version of its transaction.
    ///
    /// A redelivery is ``RecordOutcome/unchanged``. A transaction that is recorded for another user, or signed for one,
    /// is a conflict and is not recorded.
    func recordPurchase(_ purchase: VerifiedPurchase) async throws(DatabaseError) -> RecordOutcome

    /// Returns a purchase; nil if the user has none with this identity.
    func getPurchase(_ id: Purchase.ID) async throws(DatabaseError) -> Purchase?

    /// Returns the purchases with a transaction id, of any store and environment, the latest first.
    ///
    /// The id is compared byte by byte. The default filters all purchases; a database can find these by an index.
    func getPurchases(ofTransaction transactionID: String) async throws(DatabaseError) -> [Purchase]

    /// Returns all purchases, the latest first.
    func getAllPurchases() async throws(DatabaseError) -> [Purchase]

    /// Returns the purchases that unlock a feature, the latest first.
    func getPurchasesByFeature(_ featureID: String) async throws(DatabaseError) -> [Purchase]

    /// Stores whether the app's own server has acknowledged a purchase.
    ///
    /// - Throws: ``DatabaseError`` with the code `not-found` if the user has no such purchase.
    func updateSyncStatus(
        of id: Purchase.ID, _ synchronization: Purchase.Synchronization
    ) async throws(DatabaseError)

    /// Returns the verified purchases that the app's own server has not acknowledged, the oldest first.
    func getUnsyncedPurchases() async throws(DatabaseError) -> [Purchase]

    /// Stores that the app's own server has acknowledged a version of a purchase, in one commit with the comparison.
    ///
    /// - Returns: False if the records now have another version, or none; nothing is stored then.
    func acknowledge(
        _ id: Purchase.ID, _ content: SignedContent, at date: Timestamp
    ) async throws(DatabaseError) -> Bool

    /// Stores the result of a later verification; an unverified purchase unlocks nothing.
    ///
    /// - Throws: ``DatabaseError`` with the code `not-found` if the user has no such purchase.
    func updateVerificationStatus(
        of id: Purchase.ID, _ verification: Purchase.Verification
    ) async throws(DatabaseError)

    /// Deletes every trace of a purchase; does nothing if the user has no such purchase.
    func deletePurchase(_ id: Purchase.ID) async throws(DatabaseError)

    /// Returns the signed content of a purchase, to verify it again; nil if the user has no such purchase.
    func signedContent(of id: Purchase.ID) async throws(DatabaseError) -> SignedContent?

    /// Returns the kept events after the one with an id, in ascending order; nil returns them from the first one.
    func events(since id: PurchaseEvent.ID?) async throws(DatabaseError) -> [PurchaseEvent]

    /// Returns a sequence of all purchases: now, and after each change, also one that another process has made.
    ///
    /// Equal values do not follow each other, and a slow observer receives only the latest value. The sequence ends
    /// when it is released or its task is cancelled; it throws a ``DatabaseError`` if the database cannot be read.
    func purchaseUpdates() -> AsyncThrowingStream<[Purchase], any Error>

    /// Returns a sequence of the purchases that unlock a feature, as ``purchaseUpdates()`` does.
    func purchaseUpdates(unlocking featureID: String) -> AsyncThrowingStream<[Purchase], any Error>

    /// Returns a sequence of the states of one purchase, nil while there is none, as ``purchaseUpdates()`` does.
    func purchaseUpdates(of id: Purchase.ID) -> AsyncThrowingStream<Purchase?, any Error>
}

extension PurchaseRecords {
    /// Filters all purchases.
    public func getPurchases(ofTransaction transactionID: String) async throws(DatabaseError) -> [Purchase] {
        try await getAllPurchases().filter { $0.id.transactionID.isIdentical(to: transactionID) }
    }

    /// Filters all purchases.
    public func getUnsyncedPurchases() async throws(DatabaseError) -> [Purchase] {
        try await getAllPurchases().reversed().filter { $0.isVerified && !$0.isSynced }
    }

    /// Compares the version and stores the acknowledgement in two commits: a version that is recorded in between is
    /// taken for acknowledged until it changes again.
    public func acknowledge(
        _ id: Purchase.ID, _ content: SignedContent, at date: Timestamp
    ) async throws(DatabaseError) -> Bool {
        guard try await signedContent(of: id) == content else { return false }
        try await updateSyncStatus(of: id, .synced(at: date))
        return true
    }
}
