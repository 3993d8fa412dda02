/// Loads products and keeps them for the session, so that the store is asked once for each.
public actor ProductCatalogService {
    private let purchaseService: any PurchaseServicing
    private var cache: [ExactText: Product] = [:]
    private var fetches: [ExactText: Task<Result<[Product], StoreError>, Never>] = [:]
    /// Counts the times that the cache was emptied: what was asked for before does not fill it afterwards.
    private var generation = 0

    /// Makes a catalog without products; nothing is loaded until it is asked for.
    public init(purchaseService: any PurchaseServicing) {
        self.purchaseService = purchaseService
    }

    /// The products, each once, in the order of the ids; one that the store does not know is left out.
    ///
    /// Only what is neither here nor on its way is asked for. A failure is not kept: the next call asks again.
    public func products(for ids: [String]) async throws(StoreError) -> [Product] {
        var seen: Set<ExactText> = []
        let keys = ids.map(ExactText.init).filter { seen.insert($0).inserted }
        let missing = keys.filter { cache[$0] == nil && fetches[$0] == nil }
        if !missing.isEmpty { fetch(missing) }
        // Taken now, because both change while this waits.
        var found = cache.filter { seen.contains($0.key) }
        for fetch in Set(keys.compactMap { fetches[$0] }) {
            for product in try await fetch.value.get() where seen.contains(ExactText(product.id)) {
                found[ExactText(product.id)] = product
            }
        }
        return keys.compactMap { found[$0] }
    }

    /// Forgets all products, whose prices are other ones in another storefront.
    public func removeAll() {
        generation += 1
        cache = [:]
        fetches = [:]
    }

    private func fetch(_ keys: [ExactText]) {
        let generation = generation
        // A task of its own: a caller that stops waiting does not take the products from the others.
        let task = Task { () -> Result<[Product], StoreError> in
            let result: Result<[Product], StoreError>
            do throws(StoreError) {
                result = .success(try await self.purchaseService.products(for: keys.map(\.text)))
            } catch {
                result = .failure(error)
            }
            self.settle(keys, result, generation)
            return result
        }
        for key in keys { fetches[key] = task }
    }

    private func settle(_ keys: [ExactText], _ result: Result<[Product], StoreError>, _ generation: Int) {
        guard generation == self.generation else { return }
        for key in keys { fetches[key] = nil }
        guard case .success(let products) = result else { return }
        let asked = Set(keys)
        for product in products where asked.contains(ExactText(product.id)) { cache[ExactText(product.id)] = product }
    }
}
