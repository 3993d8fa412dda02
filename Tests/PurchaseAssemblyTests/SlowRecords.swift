import PurchaseCore
import ReceiptTypes

/// Records whose writes let other tasks go first.
struct SlowRecords: PurchaseRecords {
    let base: any PurchaseRecords

    var user: UUIDText? { base.user }

    func recordPurchase(_ purchase: VerifiedPurchase) async throws(DatabaseError) -> RecordOutcome {
        for _ in 0..<1_000 { await Task.yield() }
        return try await base.recordPurchase(purchase)
    }

    func getPurchase(_ id: Purchase.ID) async throws(DatabaseError) -> Purchase? { try await base.getPurchase(id) }
    func getAllPurchases() async throws(DatabaseError) -> [Purchase] { try await base.getAllPurchases() }

    func getPurchasesByFeature(_ featureID: String) async throws(DatabaseError) -> [Purchase] {
        try await base.getPurchasesByFeature(featureID)
    }

    func updateSyncStatus(
        of id: Purchase.ID, _ synchronization: Purchase.Synchronization
    ) async throws(DatabaseError) {
        try await base.updateSyncStatus(of: id, synchronization)
    }

    func updateVerificationStatus(
        of id: Purchase.ID, _ verification: Purchase.Verification
    ) async throws(DatabaseError) {
        try await base.updateVerificationStatus(of: id, verification)
    }

    func deletePurchase(_ id: Purchase.ID) async throws(DatabaseError) { try await base.deletePurchase(id) }

    func signedContent(of id: Purchase.ID) async throws(DatabaseError) -> SignedContent? {
        try await base.signedContent(of: id)
    }

    func events(since id: PurchaseEvent.ID?) async throws(DatabaseError) -> [PurchaseEvent] {
        try await base.events(since: id)
    }

    func purchaseUpdates() -> AsyncThrowingStream<[Purchase], any Error> { base.purchaseUpdates() }

    func purchaseUpdates(unlocking featureID: String) -> AsyncThrowingStream<[Purchase], any Error> {
        base.purchaseUpdates(unlocking: featureID)
    }

    func purchaseUpdates(of id: Purchase.ID) -> AsyncThrowingStream<Purchase?, any Error> {
        base.purchaseUpdates(of: id)
    }
}
