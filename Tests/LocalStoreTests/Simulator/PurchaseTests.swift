import LocalStore
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import Testing

@Suite("Purchases in a store simulator")
struct PurchaseTests {
    @Test("[PSE-1] a purchase is signed, verified, granted and finished")
    func buys() async throws {
        let store = try SampleStore.simulator()
        let app = try TestDevice().launch(store)
        for product in ["pro.basic", "template.a", "pro.season"] {
            let answer = await app.service.purchase(productID: product)
            guard case .success(verified: true) = answer else {
                Issue.record("\(product) was not bought: \(answer)")
                continue
            }
        }
        let entitlements = await app.refreshed()
        #expect(entitlements.isPro)
        #expect(entitlements.templates == [TemplateID(rawValue: "A")])
        #expect(store.engine.unfinishedTransactions(of: "anna").isEmpty)
    }

    @Test("the signed transaction contains the facts of the purchase")
    func signsWhatWasBought() throws {
        let store = try SampleStore.simulator()
        let token = UUIDText("3f2c7a4e-0f5c-4a7e-9a0e-0d7f6f0c1a2b")
        let answer = try store.perform { engine in
            try engine.buy("coins", for: "anna", PurchaseOrder(quantity: 3, appAccountToken: token))
        }
        let bought = try #require(answer.transaction)
        let jws = try store.signedTransaction(bought.id)
        let payload = try #require(try SampleStore.verifier().verifyTransaction(jws).verifiedPayload)
        #expect(payload.transactionId == bought.id)
        #expect(payload.originalTransactionId == bought.id)
        #expect(payload.webOrderLineItemId == nil)
        #expect(payload.bundleId == SampleStore.bundleID)
        #expect(payload.productId == "coins")
        #expect(payload.type == .consumable)
        #expect(payload.quantity == 3)
        #expect(payload.price == Milliunits(2970))
        #expect(payload.currency == "USD")
        #expect(payload.storefront == "USA")
        #expect(payload.storefrontId == "143441")
        #expect(payload.environment == .sandbox)
        #expect(payload.appAccountToken == token)
        #expect(payload.purchaseDate == SampleStore.start)
        #expect(payload.transactionReason == .purchase)
        #expect(payload.inAppOwnershipType == .purchased)
        #expect(bought.id.utf8.count == 16)
        #expect(try store.signedTransaction(bought.id) == jws)
    }
}
