import PurchaseCore
import ReceiptTypes

/// A service that only lists products, or fails to.
actor ListedProducts: PurchaseServicing {
    private let listed: [Product]
    private var failure: StoreError?
    private var isHidden = false
    private var gate: FlowGate?
    private(set) var requests: [[String]] = []

    init(_ products: [Product]) {
        listed = products
    }

    func fail(_ failure: StoreError?) { self.failure = failure }

    /// Lets the store answer that it knows no product.
    func hide(_ isHidden: Bool) { self.isHidden = isHidden }

    /// Holds every answer back.
    func wait(for gate: FlowGate) { self.gate = gate }

    func products(for ids: [String]) async throws -> [Product] {
        requests.append(ids)
        await gate?.pass()
        if let failure { throw failure }
        return isHidden ? [] : listed.filter { ids.contains($0.id) }
    }

    func purchase(productID: String) -> PurchaseResult { .failed(StoreError(.unsupported, "only lists products")) }

    nonisolated func listenForTransactions(
        handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never> { Task {} }

    func currentEntitlements() -> [VerificationResult<Transaction>] { [] }
}

extension Product {
    /// A product with a price that has its id in it.
    static func sample(
        _ id: String, _ type: ProductType = .autoRenewableSubscription, period: BillingPeriod = .year,
        level: Int = 1, offer: ProductOffer? = nil
    ) -> Product {
        let terms = SubscriptionTerms(groupID: "pro", level: level, period: period, introductoryOffer: offer)
        return Product(
            id: id, type: type, displayName: "Name of \(id)", description: "", price: Milliunits(9_990),
            currency: "USD",
            displayPrice: "$9.99", subscription: type == .autoRenewableSubscription ? terms : nil)
    }
}

/// A cache of products in memory.
actor InMemoryProducts: ProductCache {
    private var products: [CachedProduct]

    init(_ products: [Product], at date: Timestamp) {
        self.products = products.map { CachedProduct(product: $0, loadedAt: date) }
    }

    func cacheProducts(_ products: [Product]) {}
    func getCachedProducts() -> [CachedProduct] { products }
    func removeCachedProducts() { products = [] }
}
