import LocalStore
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import Testing
import TimerSupport

@testable import ReceiptVerification

@Suite("Purchase repository", .timeLimit(.minutes(15)))
struct PurchaseRepositoryTests {
    private let service = ScriptedService()
    private let cache = MemoryProductCache()
    private let device = SimulatedDevice()
    private let clock = ManualClock()
    private let log = LogRecorder()
    private let offline = StoreError(.network, "down")

    private func repository(
        offerings: (any OfferingsSource)? = nil, schedule: BackoffSchedule = BackoffSchedule(jitterPercent: 0),
        on otherDevice: SimulatedDevice? = nil
    ) -> PurchaseRepository {
        let device = otherDevice ?? device
        return PurchaseRepository(
            service: service, cache: cache, offerings: offerings, platform: .ios,
            retry: NetworkRetry(
                schedule: schedule, environment: PurchaseEnvironment(timer: device, uptime: device.uptime)),
            environment: PurchaseEnvironment(log: log, timer: ManualTimer(), clock: clock.now))
    }

    private static func offerings(_ id: String) -> String {
        """
        {"identifier": "tier", "packages": [{"identifier": "$rc_lifetime", "product": {
            "id": "\(id)", "type": "non_consumable", "title": "Offered", "price": 1.5, "priceString": "$1.50",
            "currencyCode": "USD"}}]}
        """
    }

    @Test("[OTP-1.1] products come from the store, once in a session, with their ages, and fill the cache")
    func store() async throws {
        let repository = repository()
        let first = await repository.loadProductMetadata(["b", "unknown", "a", "b"])
        #expect(first.products.map(\.id) == ["b", "a"])
        #expect(first.unknown == ["unknown"] && first.missing.isEmpty)
        #expect(first.error == nil && first.warnings.isEmpty)
        #expect(try await repository.getCachedProducts().map(\.product.id) == ["a", "b"])
        clock.set(Sample.at(7_000))
        let second = await repository.loadProductMetadata(["a"])
        #expect(second.items == [.init(product: Sample.product("a"), source: .store, ageMilliseconds: 7_000)])
        #expect(await service.requests == [["b", "unknown", "a"]])
        // Another write would make the cached product look newer than it is.
        #expect(await cache.writes == [["a", "b"]])
    }

    @Test("[OTP-1.1] the repository loads from the App Store and from Google Play alike")
    func stores() async throws {
        let product = ConfiguredProduct(id: "export", type: .nonConsumable, price: Milliunits(4_990))
        let simulator = try StoreSimulator(selling: [product])
        for service in [
            PurchaseService(simulator: simulator, environment: PurchaseEnvironment(timer: StoppedTimer())),
            PurchaseService(playSimulator: simulator, environment: PurchaseEnvironment(timer: StoppedTimer())),
        ] {
            let repository = PurchaseRepository(
                service: service, environment: PurchaseEnvironment(timer: StoppedTimer()))
            let metadata = await repository.loadProductMetadata(["export", "none"])
            #expect(metadata.items.map(\.product.price) == [Milliunits(4_990)])
            #expect(metadata.items.map(\.source) == [.store] && metadata.unknown == ["none"])
        }
    }

    @Test("[OTP-1.3] while the store fails, a configured offerings document is used, and the cache for the rest")
    func secondary() async throws {
        await cache.fill([CachedProduct(product: Sample.product("a"), loadedAt: Sample.at(-60_000))])
        await cache.fill([CachedProduct(product: Sample.product("b"), loadedAt: Sample.at(-90_000))])
        await service.failNext(offline)
        let source = ScriptedOfferings(Self.offerings("a"))
        let metadata = await repository(offerings: source).loadProductMetadata(["b", "a"])
        #expect(metadata.items.map(\.source) == [.cache, .offerings])
        #expect(metadata.items.map(\.ageMilliseconds) == [90_000, nil])
        #expect(metadata.products[1].displayName == "Offered")
        #expect(metadata.error?.code == .networkError && metadata.error?.platform == .ios)
        #expect(metadata.missing.isEmpty && metadata.unknown.isEmpty && metadata.warnings.isEmpty)
        #expect(device.pauses.isEmpty, "what can be shown does not wait")
        #expect(await cache.writes.isEmpty, "only what the store has returned is cached")
    }

    @Test("[OTP-1.3] the secondary source is not asked while the store answers")
    func primaryFirst() async {
        let source = ScriptedOfferings(Self.offerings("a"))
        let metadata = await repository(offerings: source).loadProductMetadata(["a", "unknown"])
        #expect(metadata.items.map(\.source) == [.store] && metadata.unknown == ["unknown"])
        #expect(await source.requests == 0)
    }

    @Test("[OTP-1.5] a document that is wrong, and a cache that fails, are warnings, and the other sources answer")
    func failingSources() async throws {
        await cache.fill([CachedProduct(product: Sample.product("a"), loadedAt: Sample.at(0))])
        await service.failNext(offline)
        let wrong = await repository(offerings: ScriptedOfferings(#"{"identifier": 7}"#)).loadProductMetadata(["a"])
        #expect(wrong.items.map(\.source) == [.cache])
        let error = try #require(wrong.warnings.first?.underlying as? DocumentError)
        #expect(error.path == "identifier" && error.expected == "a string" && error.found == "the integer 7")
        #expect(wrong.warnings.first?.platform == .revenueCat)

        await cache.fail(DatabaseError(.busy, "locked"))
        await service.failNext(offline)
        let noCache = await repository(offerings: ScriptedOfferings(Self.offerings("a"))).loadProductMetadata(["a"])
        #expect(noCache.items.map(\.source) == [.offerings])
        let unwritten = await repository().loadProductMetadata(["a"])
        #expect(unwritten.items.map(\.source) == [.store] && unwritten.error == nil)
        #expect(unwritten.warnings.map(\.flowCode) == [.databaseError])
        #expect(log.kinds == [.metadataFailed, .metadataFailed])
    }

    @Test("[OTP-1.5] a load that fails everywhere is an error value, and the next one succeeds")
    func failsEverywhere() async throws {
        await service.failNext(StoreError(.system, "down"))
        let repository = repository(offerings: ScriptedOfferings(nil))
        let failed = await repository.loadProductMetadata(["a"])
        #expect(failed.items.isEmpty && failed.missing == ["a"])
        #expect(failed.error?.code == .storeProblem && failed.error?.isRetryable == true)
        #expect((failed.warnings.first?.underlying as? DocumentError)?.code == .unavailable)
        #expect(device.pauses.isEmpty, "a problem of the store is not repeated automatically")
        #expect(await repository.loadProductMetadata(["a"]).items.map(\.source) == [.store])
    }

    @Test("[OTP-1.5] a product that no source has is requested again from the store after growing pauses")
    func repeated() async throws {
        await cache.fill([CachedProduct(product: Sample.product("a"), loadedAt: Sample.at(0))])
        for _ in 0..<3 { await service.failNext(offline) }
        let metadata = await repository().loadProductMetadata(["a", "b"], repeating: true)
        #expect(metadata.items.map(\.source) == [.store, .store] && metadata.error == nil)
        #expect(device.pauses == [1_000, 2_000, 4_000])
        #expect(await service.requests.count == 4)

        for _ in 0..<9 { await service.failNext(offline) }
        let failed = await repository(schedule: BackoffSchedule(attempts: 3), on: SimulatedDevice())
            .loadProductMetadata(["c"], repeating: true)
        #expect(failed.missing == ["c"] && failed.error?.code == .networkError)
        #expect(await service.requests.count == 7)
    }

    @Test("[OTP-1.5] products that can be shown do not wait for one that is in no source")
    func partial() async throws {
        await cache.fill([CachedProduct(product: Sample.product("a"), loadedAt: Sample.at(0))])
        for _ in 0..<9 { await service.failNext(offline) }
        let metadata = await repository().loadProductMetadata(["a", "b"])
        #expect(metadata.products.map(\.id) == ["a"] && metadata.missing == ["b"])
        #expect(device.pauses.isEmpty)
        #expect(await service.requests.count == 1)
    }

    @Test("a product whose cache entry could not be written is written with the next load of the session")
    func writtenAgain() async throws {
        let repository = repository()
        await cache.fail(DatabaseError(.busy, "locked"))
        #expect(await repository.loadProductMetadata(["a"]).warnings.count == 1)
        await cache.fail(nil)
        #expect(await repository.loadProductMetadata(["a"]).warnings.isEmpty)
        #expect(try await repository.getCachedProducts().map(\.product.id) == ["a"])
    }

    @Test("a cache that never answers is given up at its deadline")
    func hangingCache() async throws {
        let gate = Gate()
        await cache.hold(gate)
        let timer = ManualTimer()
        let repository = PurchaseRepository(
            service: service, cache: cache, environment: PurchaseEnvironment(timer: timer, clock: clock.now))
        async let loading = repository.loadProductMetadata(["a"])
        await gate.arrived()
        timer.advance(by: 30_000)
        let metadata = await loading
        #expect(metadata.items.map(\.source) == [.store])
        #expect((metadata.warnings.first?.underlying as? DatabaseError)?.code == .busy)
        await gate.open()
    }

    @Test("a cache entry that is written while the products are removed does not stay")
    func removedDuringWrite() async throws {
        let gate = Gate()
        await cache.hold(gate)
        let repository = repository()
        async let loading = repository.loadProductMetadata(["a"])
        await gate.arrived()
        try await repository.removeProducts()
        await gate.open()
        _ = await loading
        #expect(try await repository.getCachedProducts().isEmpty)
    }

    @Test("a source that never answers is given up at its deadline")
    func hanging() async throws {
        let gate = Gate()
        await service.failNext(StoreError(.system, "down"))
        let timer = ManualTimer()
        let repository = PurchaseRepository(
            service: service, offerings: ScriptedOfferings(nil, gate: gate),
            environment: PurchaseEnvironment(timer: timer, clock: clock.now))
        async let loading = repository.loadProductMetadata(["a"])
        await timer.started(30_000)
        timer.advance(by: 30_000)
        let metadata = await loading
        #expect(metadata.missing == ["a"])
        #expect((metadata.warnings.first?.underlying as? DocumentError)?.code == .unavailable)
        await gate.open()
    }

    @Test("removed products are loaded again, and a load that began before does not fill the cache")
    func removed() async throws {
        let repository = repository()
        let gate = Gate()
        await service.hold(gate)
        async let loading = repository.loadProductMetadata(["a"])
        await gate.arrived()
        try await repository.removeProducts()
        await gate.open()
        _ = await loading
        #expect(try await repository.getCachedProducts().isEmpty)
        _ = await repository.loadProductMetadata(["a"])
        #expect(try await repository.getCachedProducts().map(\.product.id) == ["a"])
        await cache.fail(DatabaseError(.readOnly, "read-only"))
        let error = await #expect(throws: PurchaseError.self) { try await repository.removeProducts() }
        #expect(error?.flowCode == .databaseError && error?.platform == .ios)
    }
}

/// A product cache in memory that a test can make fail.
private actor MemoryProductCache: ProductCache {
    private var products: [String: CachedProduct] = [:]
    private var failure: DatabaseError?
    private var writeGate: Gate?
    private(set) var writes: [[String]] = []

    func fill(_ cached: [CachedProduct]) { for entry in cached { products[entry.product.id] = entry } }
    func fail(_ error: DatabaseError?) { failure = error }
    /// Makes each write wait at a gate, before it has any effect.
    func hold(_ gate: Gate?) { writeGate = gate }

    func cacheProducts(_ new: [Product]) async throws(DatabaseError) {
        await writeGate?.pass()
        if let failure { throw failure }
        writes.append(new.map(\.id).sorted())
        fill(new.map { CachedProduct(product: $0, loadedAt: Sample.at(0)) })
    }

    func getCachedProducts() async throws(DatabaseError) -> [CachedProduct] {
        if let failure { throw failure }
        return products.sorted { $0.key < $1.key }.map(\.value)
    }

    func removeCachedProducts() async throws(DatabaseError) {
        if let failure { throw failure }
        products = [:]
    }
}

/// A secondary source with one document, or none.
private actor ScriptedOfferings: OfferingsSource {
    struct Offline: Error {}

    private let json: String?
    private let gate: Gate?
    private(set) var requests = 0

    init(_ json: String?, gate: Gate? = nil) {
        self.json = json
        self.gate = gate
    }

    func offerings() async throws -> [UInt8] {
        requests += 1
        await gate?.pass()
        guard let json else { throw Offline() }
        return Array(json.utf8)
    }
}
