/// A cache of products for the session, which loads each product once.
public actor ProductCatalogService {
    private let purchaseService: any PurchaseServicing
    private var cache: [ExactString: Product] = [:]
    private var fetches: [ExactString: Task<Result<[Product], StoreError>, Never>] = [:]
    /// The number of times that the cache was emptied; a fetch that began before does not fill it afterwards.
    private var generation = 0

    /// Creates an empty cache; nothing is loaded until products are requested.
    public init(purchaseService: any PurchaseServicing) {
        self.purchaseService = purchaseService
    }

    /// Returns the products, each once, in the order of the ids; an id that the store does not know is left out.
    ///
    /// Only ids that are neither cached nor being fetched are requested from the store. A failure is not cached: the next
    /// call requests the ids again.
    public func products(for ids: [String]) async throws(StoreError) -> [Product] {
        var seen: Set<ExactString> = []
        let keys = ids.map(ExactString.init).filter { seen.insert($0).inserted }
        let missing = keys.filter { cache[$0] == nil && fetches[$0] == nil }
        if !missing.isEmpty { fetch(missing) }
        // Copied before the first suspension, because other calls change both while this one waits.
        var found = cache.filter { seen.contains($0.key) }
        for fetch in Set(keys.compactMap { fetches[$0] }) {
            for product in try await fetch.value.get() where seen.contains(ExactString(product.id)) {
                found[ExactString(product.id)] = product
            }
        }
        return keys.compactMap { found[$0] }
    }

    /// Removes all products, for example because the storefront and so the prices have changed.
    public func removeAll() {
        generation += 1
        cache = [:]
        fetches = [:]
    }

    private func fetch(_ keys: [ExactString]) {
        let generation = generation
        // An unstructured task: cancelling one caller does not cancel the fetch for the others.
        let task = Task { () -> Result<[Product], StoreError> in
            let result: Result<[Product], StoreError>
            do throws(StoreError) {
                result = .success(try await self.purchaseService.storeProducts(for: keys.map(\.string)))
            } catch {
                result = .failure(error)
            }
            self.finishFetch(of: keys, result, generation)
            return result
        }
        for key in keys { fetches[key] = task }
    }

    private func finishFetch(of keys: [ExactString], _ result: Result<[Product], StoreError>, _ generation: Int) {
        guard generation == self.generation else { return }
        for key in keys { fetches[key] = nil }
        guard case .success(let products) = result else { return }
        let requested = Set(keys)
        for product in products where requested.contains(ExactString(product.id)) {
            cache[ExactString(product.id)] = product
        }
    }
}
