internal import ReceiptTypes

/// A cache of products for the session, which loads each product once.
public actor ProductCatalogService {
    private let purchaseService: any PurchaseServicing
    private let environment: PurchaseEnvironment?
    private var cache: [ExactString: (product: Product, loadedAt: Timestamp?)] = [:]
    private var fetches: [ExactString: Task<Result<[Product], StoreError>, Never>] = [:]
    /// The number of times that the cache was emptied; a fetch that began before does not fill it afterwards.
    private var generation = 0

    /// Creates an empty cache without a clock; the ages of its products are not known.
    public init(purchaseService: any PurchaseServicing) {
        self.purchaseService = purchaseService
        environment = nil
    }

    /// Creates an empty cache; nothing is loaded until products are requested.
    ///
    /// - Parameters:
    ///   - purchaseService: The service that loads the products.
    ///   - environment: The clock, for the ages of the products.
    public init(purchaseService: any PurchaseServicing, environment: PurchaseEnvironment) {
        self.purchaseService = purchaseService
        self.environment = environment
    }

    /// Returns the products, each once, in the order of the ids; an id that the store does not know is left out.
    ///
    /// Only ids that are neither cached nor being fetched are requested from the store. A failure is not cached: the
    /// next call requests the ids again.
    public func products(for ids: [String]) async throws(StoreError) -> [Product] {
        let selection = await availableProducts(for: ids)
        if let error = selection.error { throw error }
        return selection.products.map(\.product)
    }

    /// Returns the products that are cached or can be loaded, and says which are missing and why.
    ///
    /// It requests the same ids as ``products(for:)``. If the store fails, the products that were loaded earlier in the
    /// session are returned with their ages, so a screen can show them.
    public func availableProducts(for ids: [String]) async -> ProductSelection {
        var seen: Set<ExactString> = []
        let keys = ids.map(ExactString.init).filter { seen.insert($0).inserted }
        let missing = keys.filter { cache[$0] == nil && fetches[$0] == nil }
        if !missing.isEmpty { fetch(missing) }
        // Copied before the first suspension, because other calls change both while this one waits.
        var found = cache.filter { seen.contains($0.key) }
        let running = keys.compactMap { key in fetches[key].map { (key, $0) } }
        var results: [Task<Result<[Product], StoreError>, Never>: Result<[Product], StoreError>] = [:]
        var notLoaded: [String] = []
        var error: StoreError?
        for (key, fetch) in running {
            var result = results[fetch]
            if result == nil { result = await fetch.value }
            results[fetch] = result
            switch result {
            case .success(let products):
                guard let product = products.first(where: { ExactString($0.id) == key }) else { continue }
                found[key] = (product, cache[key]?.loadedAt ?? environment?.clock())
            case .failure(let failure):
                notLoaded.append(key.string)
                error = error ?? failure
            case nil: break
            }
        }
        let now = environment?.clock()
        let products = keys.compactMap { key in
            found[key].map { entry in
                ProductSelection.Loaded(
                    product: entry.product, ageMilliseconds: Self.age(of: entry.loadedAt, at: now))
            }
        }
        let absent = Set(notLoaded.map(ExactString.init))
        return ProductSelection(
            products: products, notLoaded: notLoaded,
            unknown: keys.filter { found[$0] == nil && !absent.contains($0) }.map(\.string), error: error)
    }

    /// Returns the milliseconds since a product was loaded; zero if the clock was set back since.
    private static func age(of loadedAt: Timestamp?, at now: Timestamp?) -> Int64? {
        guard let loadedAt, let now else { return nil }
        let (age, overflow) = now.millisecondsSince1970.subtractingReportingOverflow(loadedAt.millisecondsSince1970)
        return overflow ? .max : max(0, age)
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
            cache[ExactString(product.id)] = (product, environment?.clock())
        }
    }
}

/// The products of a request that a store has answered in part or not at all.
public struct ProductSelection: Sendable, Hashable {
    /// A product with the time since the store returned it.
    public struct Loaded: Sendable, Hashable {
        /// The product.
        public let product: Product
        /// The milliseconds since the store returned the product; nil if the cache has no clock.
        public let ageMilliseconds: Int64?

        /// Creates a loaded product.
        public init(product: Product, ageMilliseconds: Int64?) {
            self.product = product
            self.ageMilliseconds = ageMilliseconds
        }
    }

    /// The products, in the order of the requested ids.
    public let products: [Loaded]
    /// The ids that could not be loaded, because the store failed; a later request can succeed.
    public let notLoaded: [String]
    /// The ids that the store does not know.
    public let unknown: [String]
    /// The store's first failure; nil if it has answered completely.
    public let error: StoreError?

    /// Creates a selection.
    public init(products: [Loaded], notLoaded: [String] = [], unknown: [String] = [], error: StoreError? = nil) {
        self.products = products
        self.notLoaded = notLoaded
        self.unknown = unknown
        self.error = error
    }
}
