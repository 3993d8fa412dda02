import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

extension PurchaseDatabase {
    /// Delivers a purchase of Alice to the ledger.
    nonisolated func deliver(_ purchase: VerifiedPurchase) async throws -> RecordOutcome {
        let ledger = DatabaseLedger(self)
        let delivery = SignedTransaction(jws: "jws-1", transactionID: "1", productID: "coins")
        _ = try await ledger.observe(delivery, from: .history, at: SimulatedApp.start)
        _ = try await ledger.markVerified(purchase.transaction, signedText: "jws-1")
        return try await ledger.record(purchase.transaction, signedText: "jws-1", for: PurchaseSample.alice)
    }

    /// Returns coins of Alice that were recorded and granted.
    nonisolated func grantCoins() async throws -> VerifiedPurchase {
        var coins = try PurchaseSample.purchase("1", "coins") { $0.type = .consumable }
        coins = VerifiedPurchase(coins.transaction, .jws("jws-1"))
        let ledger = DatabaseLedger(self)
        #expect(try await deliver(coins) == .inserted)
        let start = SimulatedApp.start
        let claim = try await ledger.claimFulfilment(of: coins.transaction.purchaseKey, from: start, until: start)
        try await ledger.markGranted(
            signedText: "jws-1", .granted(productID: "coins", quantity: 1), under: try #require(claim))
        return coins
    }
}
