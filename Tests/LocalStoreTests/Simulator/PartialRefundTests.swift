import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

/// Refunds of a part of a purchase, from the simulator's signature to balances and orders.
@Suite("Partial refunds")
struct PartialRefundTests {
    private func bought(
        _ quantity: Int, _ device: TestDevice
    ) async throws -> (store: StoreSimulator, app: TestDevice.Launch) {
        let store = try SampleStore.simulator()
        let app = try device.launch(store)
        let result = await app.service.purchase(productID: "coins", options: PurchaseOptions(quantity: quantity))
        guard case .success = result else { throw StoreSimulatorError(.invalidAction, "not bought") }
        return (store, app)
    }

    /// Restores what the store has, and returns the balance by the ledger and that of the wallet.
    private func balances(_ app: TestDevice.Launch, _ device: TestDevice) async throws -> [Int] {
        _ = try await app.service.requestAllPurchaseHistory()
        return [await app.refreshed().balances["coins"] ?? 0, await device.wallet.balance]
    }

    @Test("a refund of two of five coin packs takes two back, and its reversal returns them")
    func someItems() async throws {
        let device = TestDevice()
        let (store, app) = try await bought(5, device)
        #expect(try await balances(app, device) == [5, 5])
        let id = try #require(store.state.transactions.first?.id)
        try store.perform { try $0.refund(id, share: .quantity(2)) }
        #expect(try await balances(app, device) == [3, 3])
        let orders = await device.wallet.orderCount
        let launched = try device.launch(store)
        #expect(try await balances(launched, device) == [3, 3])
        #expect(await device.wallet.orderCount == orders, "the next launch repeats no order")
        try store.perform { try $0.reverseRefund(id) }
        #expect(try await balances(app, device) == [5, 5])
        try store.perform { try $0.refund(id) }
        #expect(try await balances(app, device) == [0, 0])
    }

    @Test("every number of refunded items of every quantity is taken back exactly, although the store rounds the share")
    func everyNumber() async throws {
        for quantity in 1...10 {
            for count in 1...quantity {
                var engine = SampleStore.engine()
                let bought = try engine.buy("coins", for: "anna", PurchaseOrder(quantity: quantity)).transaction
                try engine.refund(try #require(bought).id, share: .quantity(count))
                var payload = JWSTransactionDecodedPayload()
                payload.transactionId = "1"
                payload.productId = "coins"
                payload.type = .consumable
                payload.purchaseDate = SampleStore.start
                payload.quantity = Int32(quantity)
                payload.revocationDate = SampleStore.start
                payload.revocationPercentage = engine.state.transactions[0].revocation?.percentage
                let transaction = try #require(Transaction(payload))
                #expect(transaction.remainingQuantity == quantity - count)
                #expect(transaction.isRevoked == (count == quantity))
            }
        }
    }

    @Test("of more than 100,000 items, no item is taken that was not refunded")
    func largeQuantity() throws {
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = "1"
        payload.productId = "coins"
        payload.type = .consumable
        payload.purchaseDate = SampleStore.start
        payload.revocationDate = SampleStore.start
        for (quantity, percentage, left) in [
            (200_000, 50_000, 100_000), (200_000, 1, 199_998), (100_000, 1, 99_999), (.max, 99_999, 21_474),
        ] as [(Int32, Int32, Int)] {
            payload.quantity = quantity
            payload.revocationPercentage = percentage
            #expect(try #require(Transaction(payload)).remainingQuantity == left)
        }
    }

    @Test("a refund of half the price leaves a single item, and ends a purchase that is no consumable")
    func shareOfPrice() async throws {
        let device = TestDevice()
        let (store, app) = try await bought(1, device)
        try store.perform { try $0.refund($0.state.transactions[0].id, share: .percentage(50_000)) }
        #expect(try await balances(app, device) == [1, 1])
        _ = await app.service.purchase(productID: "template.a")
        try store.perform { try $0.refund($0.state.transactions[1].id, share: .percentage(50_000)) }
        #expect(try await balances(app, device) == [1, 1])
        #expect(await app.refreshed().denials["template.a"] == .revoked)
    }
}
