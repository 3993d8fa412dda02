import PurchaseCore
import Testing

@Suite("Product catalog", .timeLimit(.minutes(15)))
struct ProductCatalogServiceTests {
    @Test("[PFC-8] a second call makes no store call, and products are in the order of the ids")
    func cached() async throws {
        let service = ScriptedService()
        let catalog = ProductCatalogService(purchaseService: service)
        #expect(try await catalog.products(for: ["a", "b", "c"]).map(\.id) == ["a", "b", "c"])
        #expect(try await catalog.products(for: ["c", "a", "b"]).map(\.id) == ["c", "a", "b"])
        #expect(await service.requests == [["a", "b", "c"]])
    }

    @Test("[PFC-8] [defect 12] only missing ids are fetched, even if as many other ids are cached")
    func partial() async throws {
        let service = ScriptedService()
        let catalog = ProductCatalogService(purchaseService: service)
        _ = try await catalog.products(for: ["a", "b"])
        // As many ids as are cached, but other ones.
        #expect(try await catalog.products(for: ["c", "d"]).map(\.id) == ["c", "d"])
        #expect(try await catalog.products(for: ["b", "e", "a"]).map(\.id) == ["b", "e", "a"])
        #expect(await service.requests == [["a", "b"], ["c", "d"], ["e"]])
    }

    @Test("[PFC-8] [defect 12] an id that the store does not know is left out and requested again")
    func unknown() async throws {
        let service = ScriptedService()
        let catalog = ProductCatalogService(purchaseService: service)
        #expect(try await catalog.products(for: ["unknown", "a", "a"]).map(\.id) == ["a"])
        #expect(try await catalog.products(for: ["a", "unknown"]).map(\.id) == ["a"])
        #expect(await service.requests == [["unknown", "a"], ["unknown"]])
        #expect(try await catalog.products(for: []).isEmpty)
    }

    @Test("[PFC-8] canonically equivalent ids with different bytes are two products")
    func lookalikes() async throws {
        let service = ScriptedService()
        let catalog = ProductCatalogService(purchaseService: service)
        let products = try await catalog.products(for: ["caf\u{E9}", "cafe\u{301}"])
        #expect(products.count == 2)
        #expect(products.map { $0.id.utf8.count } == [5, 6])
    }

    @Test("[PFC-8] concurrent calls share one fetch")
    func shared() async throws {
        let service = ScriptedService()
        let gate = Gate()
        await service.hold(gate)
        let catalog = ProductCatalogService(purchaseService: service)
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<50 { group.addTask { try await catalog.products(for: ["a", "b"]).map(\.id) } }
            group.addTask { try await catalog.products(for: ["b", "c"]).map(\.id) }
            // At most one fetch for each of the two id sets; the first caller decides which ids it contains.
            await gate.arrived(2)
            await gate.open()
            for try await ids in group { #expect(ids == ["a", "b"] || ids == ["b", "c"]) }
        }
        #expect(await service.requests.joined().sorted() == ["a", "b", "c"])
    }

    @Test("[PFC-8] a failed fetch throws, is not cached, and leaves the cache intact")
    func failures() async throws {
        let service = ScriptedService()
        await service.failNext(StoreError(.network, "down"))
        let catalog = ProductCatalogService(purchaseService: service)
        await #expect(throws: StoreError(.network, "")) { try await catalog.products(for: ["a"]) }
        #expect(try await catalog.products(for: ["a"]).map(\.id) == ["a"])
        await service.failNext(StoreError(.network, "down"))
        #expect(try await catalog.products(for: ["a"]).map(\.id) == ["a"])
    }

    @Test(
        "[PFC-8] with the store offline the loaded products are returned with their ages, and the missing ids are named"
    )
    func partialResult() async throws {
        let service = ScriptedService()
        let clock = ManualClock()
        let catalog = ProductCatalogService(
            purchaseService: service, environment: PurchaseEnvironment(clock: clock.now))
        _ = try await catalog.products(for: ["a", "unknown"])
        clock.set(Sample.at(5_000))
        _ = try await catalog.products(for: ["b"])
        clock.set(Sample.at(60_000))
        await service.failNext(StoreError(.network, "down"))
        let selection = await catalog.availableProducts(for: ["c", "b", "a"])
        #expect(selection.products.map(\.product.id) == ["b", "a"])
        #expect(selection.products.map(\.ageMilliseconds) == [55_000, 60_000])
        #expect(selection.notLoaded == ["c"])
        #expect(selection.unknown.isEmpty)
        #expect(selection.error?.code == .network)
        await service.failNext(StoreError(.network, "down"))
        await #expect(throws: StoreError(.network, "")) { try await catalog.products(for: ["c", "b", "a"]) }

        let complete = await catalog.availableProducts(for: ["a", "unknown", "c"])
        #expect(complete.products.map(\.product.id) == ["a", "c"])
        #expect(complete.unknown == ["unknown"])
        #expect(complete.notLoaded.isEmpty && complete.error == nil)
        // A clock that was set back does not make an age negative.
        clock.set(Sample.at(day: -3))
        #expect(await catalog.availableProducts(for: ["a"]).products.map(\.ageMilliseconds) == [0])
        let withoutClock = ProductCatalogService(purchaseService: service)
        #expect(await withoutClock.availableProducts(for: ["a"]).products.map(\.ageMilliseconds) == [nil])
    }

    @Test("[PFC-8] a cancelled caller does not cancel the fetch for the others")
    func cancelled() async throws {
        let service = ScriptedService()
        let gate = Gate()
        await service.hold(gate)
        let catalog = ProductCatalogService(purchaseService: service)
        let first = Task { try await catalog.products(for: ["a"]) }
        await gate.arrived()
        first.cancel()
        let second = Task { try await catalog.products(for: ["a"]) }
        await gate.open()
        #expect(try await second.value.map(\.id) == ["a"])
        #expect(await service.requests == [["a"]])
    }

    @Test("products are fetched again after removeAll()")
    func storefront() async throws {
        let service = ScriptedService()
        let catalog = ProductCatalogService(purchaseService: service)
        _ = try await catalog.products(for: ["a"])
        await catalog.removeAll()
        _ = try await catalog.products(for: ["a"])
        #expect(await service.requests == [["a"], ["a"]])
    }

    @Test("a fetch that began before removeAll() does not bring the old prices back")
    func storefrontDuringFetch() async throws {
        let service = ScriptedService()
        let gate = Gate()
        await service.hold(gate)
        let catalog = ProductCatalogService(purchaseService: service)
        let first = Task { try await catalog.products(for: ["a"]) }
        await gate.arrived()
        await catalog.removeAll()
        await gate.open()
        _ = try await first.value
        _ = try await catalog.products(for: ["a"])
        #expect(await service.requests == [["a"], ["a"]])
    }
}
