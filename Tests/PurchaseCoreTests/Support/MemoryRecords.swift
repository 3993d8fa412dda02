import PurchaseCore
import ReceiptTypes

/// The purchases of a user in memory, which a test can make fail or suspend.
actor MemoryRecords: PurchaseRecords {
    nonisolated let user: UUIDText?
    private(set) var recorded: [Purchase.ID: RecordedPurchase] = [:]
    /// The number of calls to record a purchase.
    private(set) var writes = 0
    private var failures: [String: DatabaseError] = [:]
    private var conflicts: Set<String> = []
    private var writeGate: Gate?
    private var readGate: Gate?

    init(user: UUIDText? = nil) {
        self.user = user
    }

    var productIDs: [String] { recorded.values.map(\.purchase.productID).sorted() }

    /// Makes the writes of a transaction fail; nil ends that.
    func fail(_ transactionID: String, with error: DatabaseError?) { failures[transactionID] = error }
    /// Makes a transaction belong to another user.
    func refuse(_ transactionID: String) { conflicts.insert(transactionID) }
    /// Makes each write wait at a gate, before it has any effect.
    func holdWrites(_ gate: Gate?) { writeGate = gate }
    func holdReads(_ gate: Gate?) { readGate = gate }

    func recordPurchase(_ purchase: VerifiedPurchase) async throws(DatabaseError) -> RecordOutcome {
        writes += 1
        await writeGate?.pass()
        if let failure = failures[purchase.transaction.id] { throw failure }
        if conflicts.contains(purchase.transaction.id) { return .conflict(.belongsToAnotherAccount) }
        let version = RecordedPurchase(purchase, user: user)
        guard let old = recorded[version.purchase.id] else {
            recorded[version.purchase.id] = version
            return .inserted
        }
        recorded[version.purchase.id] = old.merged(with: version)
        return old == recorded[version.purchase.id] ? .unchanged : .merged
    }

    func getPurchase(_ id: Purchase.ID) async throws(DatabaseError) -> Purchase? { recorded[id]?.purchase }

    func getAllPurchases() async throws(DatabaseError) -> [Purchase] {
        await readGate?.pass()
        return recorded.values.map(\.purchase).sorted { $0.purchasedAt > $1.purchasedAt }
    }

    func getPurchasesByFeature(_ featureID: String) async throws(DatabaseError) -> [Purchase] {
        recorded.values.map(\.purchase).filter { $0.unlocks(featureID) }
    }

    func updateSyncStatus(of id: Purchase.ID, _ status: Purchase.Synchronization) async throws(DatabaseError) {
        recorded[id]?.purchase.synchronization = status
    }

    func updateVerificationStatus(of id: Purchase.ID, _ status: Purchase.Verification) async throws(DatabaseError) {
        recorded[id]?.purchase.verification = status
    }

    func deletePurchase(_ id: Purchase.ID) async throws(DatabaseError) { recorded[id] = nil }
    func signedContent(of id: Purchase.ID) async throws(DatabaseError) -> SignedContent? { nil }
    func events(since id: PurchaseEvent.ID?) async throws(DatabaseError) -> [PurchaseEvent] { [] }

    nonisolated func purchaseUpdates() -> AsyncThrowingStream<[Purchase], any Error> { AsyncThrowingStream { nil } }

    nonisolated func purchaseUpdates(unlocking featureID: String) -> AsyncThrowingStream<[Purchase], any Error> {
        AsyncThrowingStream { nil }
    }

    nonisolated func purchaseUpdates(of id: Purchase.ID) -> AsyncThrowingStream<Purchase?, any Error> {
        AsyncThrowingStream { nil }
    }
}
