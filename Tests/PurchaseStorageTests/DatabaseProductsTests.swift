import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import Testing

@testable import PurchaseStorage

@Suite("DatabaseProducts")
struct DatabaseProductsTests {
    private let files = TestDatabase()

    private func product(_ id: String, price: Int64 = 49_990, subscription: SubscriptionTerms? = nil) -> Product {
        Product(
            id: id, type: subscription == nil ? .nonConsumable : .autoRenewableSubscription, displayName: "Pro ✓",
            description: "", price: Milliunits(price), currency: "JPY", displayPrice: "¥\(price)",
            isFamilyShareable: subscription == nil, subscription: subscription)
    }

    private func cache(_ seconds: Int64 = 0, _ damage: DamageRecorder = DamageRecorder()) throws -> DatabaseProducts {
        DatabaseProducts(
            try files.open(damage: damage), environment: PurchaseEnvironment(clock: { PurchaseSample.at(seconds) }))
    }

    @Test("Products of every shape are there after a restart without the store, in the order of their ids [OTP-1.4]")
    func restart() async throws {
        let trial = ProductOffer(
            type: .introductory, paymentMode: .freeTrial, period: .week, periodCount: 2, price: Milliunits(0))
        let discount = ProductOffer(
            id: "spring", type: .promotional, paymentMode: .payAsYouGo, period: .month, price: Milliunits(.max))
        let terms = [
            SubscriptionTerms(groupID: "pro", level: 1, period: .year),
            SubscriptionTerms(groupID: "pro", level: 2, period: .month, introductoryOffer: trial),
            SubscriptionTerms(
                groupID: "", level: .max, period: .week, introductoryOffer: trial,
                promotionalOffers: [discount, discount],
                winBackOffers: [discount]),
        ]
        let products =
            [product("0", price: 0)]
            + terms.enumerated().map { product("\($0.offset + 1)", subscription: $0.element) }
        try await cache().cacheProducts(products.reversed())
        let cached = try await cache().getCachedProducts()
        #expect(cached == products.map { CachedProduct(product: $0, loadedAt: PurchaseSample.start) })
    }

    @Test("A product that the store has returned again replaces the cached one, and the others stay [OTP-1.4]")
    func replaces() async throws {
        try await cache().cacheProducts([product("a"), product("b")])
        try await cache(60).cacheProducts([product("a", price: 1)])
        let products = try await cache().getCachedProducts()
        #expect(products.map(\.product.price) == [Milliunits(1), Milliunits(49_990)])
        #expect(products.map(\.loadedAt) == [PurchaseSample.at(60), PurchaseSample.at(0)])
        try await cache().removeCachedProducts()
        #expect(try await cache().getCachedProducts().isEmpty)
    }

    @Test(
        "A row that another program has changed is reported and not returned [OTP-9.1]",
        arguments: [
            "product_id = 'c'", "loaded_at = loaded_at + 1", "seal = zeroblob(40)",
            "seal = (SELECT seal FROM cached_products WHERE product_id = 'b')",
        ])
    func editedRow(_ change: String) async throws {
        try await cache().cacheProducts([product("a"), product("b", price: 1)])
        try files.execute("UPDATE cached_products SET \(change) WHERE product_id = 'a'")
        let damage = DamageRecorder()
        #expect(try await cache(0, damage).getCachedProducts().map(\.product.id) == ["b"])
        #expect(damage.all.map(\.table) == ["cached_products"])
    }

    @Test("Bytes that are not a product, or that end too early, are read as none")
    func cutFields() {
        let subscription = SubscriptionTerms(groupID: "pro", level: 1, period: .year)
        let bytes = product("a", subscription: subscription).fields.bytes
        func isProduct(_ bytes: some Collection<UInt8>) -> Bool {
            [UInt8](bytes).readFields(of: Product.fieldsName, Product.init) != nil
        }
        #expect(isProduct(bytes))
        for count in 0..<bytes.count { #expect(!isProduct(bytes.prefix(count))) }
    }
}
