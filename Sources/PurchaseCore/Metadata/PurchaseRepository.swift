internal import ReceiptTypes

/// Loads the metadata of products from the store, and while it fails from a secondary document or the cache.
///
/// The store is asked first, over a ``ProductCatalogService``: each product once in a session. What it has returned is
/// stored in the cache. Products that the store cannot return come from the secondary offerings document if one is
/// configured, and then from the cache. Show the answer at once; if a product is in none of the sources, a second load
/// can ask the store again after growing pauses.
///
/// ```swift
/// let repository = PurchaseRepository(service: service, cache: productCache, offerings: bundledOfferings)
/// let metadata = await repository.loadProductMetadata(["com.example.export"])
/// show(metadata.products, isOutOfDate: metadata.error != nil)
/// ```
public actor PurchaseRepository {
    private let catalog: ProductCatalogService
    private let cache: (any ProductCache)?
    private let offerings: (any OfferingsSource)?
    private let platform: PurchaseError.Platform?
    private let retry: NetworkRetry
    private let environment: PurchaseEnvironment
    /// The products of this session that were given to the cache. Writing one again would make it look newer than it
    /// is.
    private var cached: Set<ExactString> = []
    /// The number of times that the products were removed; a load that began before does not fill the cache afterwards.
    private var generation = 0

    /// The milliseconds within which the source of the offerings document has to answer.
    private static let offeringsDeadline: Int64 = 30_000

    /// Creates a repository; nothing is loaded until products are requested.
    ///
    /// - Parameters:
    ///   - service: The service that loads products from the store, the App Store or Google Play.
    ///   - cache: Keeps the products across launches.
    ///   - offerings: The secondary source of one-time products.
    ///   - platform: The platform of the store, for the errors.
    ///   - retry: Repeats a load of products that no source has.
    ///   - environment: The log of failures, the timer of the deadlines, and the clock for the ages of the products.
    public init(
        service: any PurchaseServicing,
        cache: (any ProductCache)? = nil,
        offerings: (any OfferingsSource)? = nil,
        platform: PurchaseError.Platform? = nil,
        retry: NetworkRetry = NetworkRetry(),
        environment: PurchaseEnvironment = .system
    ) {
        catalog = ProductCatalogService(purchaseService: service, environment: environment)
        self.cache = cache
        self.offerings = offerings
        self.platform = platform
        self.retry = retry
        self.environment = environment
    }

    /// Returns what can be found out about products. A failure of a source is part of the answer.
    ///
    /// - Parameters:
    ///   - ids: The ids of the products; an id that is given twice is answered once.
    ///   - repeating: Whether the store is asked again, after growing pauses, for products that no source has. The
    ///     answer then waits for it, also for the products that could be shown.
    public func loadProductMetadata(_ ids: [String], repeating: Bool = false) async -> ProductMetadata {
        var answer = GatheredMetadata(ids)
        answer.add(await askStore(ids, &answer.warnings))
        if !answer.open.isEmpty, let offerings {
            answer.add(await offeredProducts(from: offerings, &answer.warnings), .offerings)
        }
        if !answer.open.isEmpty, cache != nil {
            answer.add(await cachedProducts(&answer.warnings))
        }
        if repeating, !answer.open.isEmpty, let error = answer.error {
            // Also for the products from other sources, so that an answer without an error is the store's alone.
            answer.add(await askStoreAgain(answer.notFromStore, after: error, &answer.warnings))
        }
        return answer.metadata(platform)
    }

    /// Returns the products that the cache has, in the order of the bytes of their ids; none without a cache.
    ///
    /// - Throws: ``PurchaseError`` with the ``DatabaseError`` as its cause.
    public func getCachedProducts() async throws(PurchaseError) -> [CachedProduct] {
        guard let cache else { return [] }
        do throws(DatabaseError) {
            return try await environment.timer.databaseAnswer { () throws(DatabaseError) in
                try await cache.getCachedProducts()
            }
        } catch {
            throw PurchaseError(error, platform: platform)
        }
    }

    /// Removes the products of the session and of the cache, for example because the storefront has changed.
    ///
    /// - Throws: ``PurchaseError`` if the cache cannot be written; the products of the session are removed all the
    ///   same.
    public func removeProducts() async throws(PurchaseError) {
        generation += 1
        cached = []
        await catalog.removeAll()
        do throws(DatabaseError) {
            try await emptyCache()
        } catch {
            throw PurchaseError(error, platform: platform)
        }
    }

    private func emptyCache() async throws(DatabaseError) {
        guard let cache else { return }
        try await environment.timer.databaseAnswer { () throws(DatabaseError) in try await cache.removeCachedProducts()
        }
    }

    // MARK: The store

    private func askStore(_ ids: [String], _ warnings: inout [PurchaseError]) async -> ProductSelection {
        let generation = generation
        let selection = await catalog.availableProducts(for: ids)
        guard let cache, generation == self.generation else { return selection }
        let new = selection.products.map(\.product).filter { cached.insert(ExactString($0.id)).inserted }
        guard !new.isEmpty else { return selection }
        do throws(DatabaseError) {
            try await environment.timer.databaseAnswer { () throws(DatabaseError) in try await cache.cacheProducts(new)
            }
            if generation != self.generation {
                // The products were removed during this write, which can have come after that.
                cached = []
                try await emptyCache()
            }
        } catch {
            if generation == self.generation { cached.subtract(new.map { ExactString($0.id) }) }
            warnings.append(warning(error))
        }
        return selection
    }

    /// Asks the store again, after growing pauses, until it has answered about every product or the retry has ended.
    private func askStoreAgain(
        _ ids: [String], after error: StoreError, _ warnings: inout [PurchaseError]
    ) async -> ProductSelection {
        let attempts = Locked<(failure: StoreError?, selection: ProductSelection?)>((error, nil))
        let newWarnings = Locked<[PurchaseError]>([])
        do {
            try await retry.run { [self] in
                // The first attempt is the one that has failed.
                if let failure = attempts.withLock({ state in state.failure.take() }) { throw failure }
                var warnings: [PurchaseError] = []
                let selection = await askStore(ids, &warnings)
                newWarnings.withLock { $0 += warnings }
                attempts.withLock { $0.selection = selection }
                if let error = selection.error { throw error }
            }
        } catch {
            // The last selection has the error of the store. The others are a cancelled caller and the end of the time.
        }
        warnings += newWarnings.withLock { $0 }
        return attempts.withLock { $0.selection } ?? ProductSelection(products: [], notLoaded: ids, error: error)
    }

    // MARK: The other sources

    private func offeredProducts(
        from source: any OfferingsSource, _ warnings: inout [PurchaseError]
    ) async -> [Product] {
        let answer = await environment.timer.result(within: Self.offeringsDeadline) { try await source.offerings() }
        do {
            guard let answer else {
                throw DocumentError(
                    .unavailable, expected: "an answer within \(Self.offeringsDeadline) ms", found: "no answer")
            }
            return try OfferingsDocument(json: try answer.get()).packages.map(\.product)
        } catch let error as DocumentError {
            warnings.append(warning(error, .revenueCat))
        } catch {
            let failure = DocumentError(.unavailable, expected: "a document", found: "\(error)", underlying: error)
            warnings.append(warning(failure, .revenueCat))
        }
        return []
    }

    private func cachedProducts(_ warnings: inout [PurchaseError]) async -> [ProductMetadata.Item] {
        do throws(PurchaseError) {
            let now = environment.clock().millisecondsSince1970
            return try await getCachedProducts().map { cached in
                // Both are within the years 0 to 9999, so the difference cannot overflow.
                let age = max(0, now - cached.loadedAt.millisecondsSince1970)
                return ProductMetadata.Item(product: cached.product, source: .cache, ageMilliseconds: age)
            }
        } catch {
            warnings.append(warning(error))
            return []
        }
    }

    private func warning(_ error: any Error, _ platform: PurchaseError.Platform? = nil) -> PurchaseError {
        let warning = PurchaseError(error, platform: platform ?? self.platform)
        environment.log.log(
            PurchaseLogEvent(.metadataFailed, error: warning, detail: "\(warning.underlying ?? warning)"))
        return warning
    }
}

/// The port to the secondary source of products: a file of the app, or a server.
public protocol OfferingsSource: Sendable {
    /// Returns an ``OfferingsDocument`` as JSON. It is asked only while the store cannot be.
    func offerings() async throws -> [UInt8]
}

extension PurchaseLogEvent.Kind {
    /// The secondary source of products has failed, or the product cache cannot be read or written.
    public static let metadataFailed = Self(rawValue: "metadata-failed")
}

/// An answer while it is being put together.
private struct GatheredMetadata {
    private let keys: [ExactString]
    private var found: [ExactString: ProductMetadata.Item] = [:]
    private var unknown: Set<ExactString> = []
    private(set) var error: StoreError?
    var warnings: [PurchaseError] = []

    init(_ ids: [String]) {
        var seen: Set<ExactString> = []
        keys = ids.map(ExactString.init).filter { seen.insert($0).inserted }
    }

    /// The ids without a product, which the store may sell.
    var open: [String] { keys.filter { found[$0] == nil && !unknown.contains($0) }.map(\.string) }

    /// The ids that the store has not answered about.
    var notFromStore: [String] {
        keys.filter { found[$0]?.source != .store && !unknown.contains($0) }.map(\.string)
    }

    /// Adds an answer of the store, which is better than that of another source; the last one has the error.
    mutating func add(_ selection: ProductSelection) {
        for loaded in selection.products {
            found[ExactString(loaded.product.id)] = ProductMetadata.Item(
                product: loaded.product, source: .store, ageMilliseconds: loaded.ageMilliseconds)
        }
        for key in selection.unknown.map(ExactString.init) {
            unknown.insert(key)
            found[key] = nil
        }
        error = selection.error
    }

    mutating func add(_ products: [Product], _ source: ProductMetadata.Source) {
        add(products.map { ProductMetadata.Item(product: $0, source: source, ageMilliseconds: nil) })
    }

    /// Adds products of another source for the ids that are still open.
    mutating func add(_ items: [ProductMetadata.Item]) {
        let open = Set(open.map(ExactString.init))
        for item in items where open.contains(ExactString(item.product.id)) {
            found[ExactString(item.product.id)] = item
        }
    }

    func metadata(_ platform: PurchaseError.Platform?) -> ProductMetadata {
        ProductMetadata(
            items: keys.compactMap { found[$0] }, missing: open,
            unknown: keys.filter(unknown.contains).map(\.string),
            error: error.map { PurchaseError($0, platform: platform) }, warnings: warnings)
    }
}
