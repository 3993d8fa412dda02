import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Entitlement store")
@MainActor
struct EntitlementStoreTests {
    private func evidence(_ productIDs: String..., isStoreReachable: Bool = true) throws -> PurchaseEvidence {
        PurchaseEvidence(
            transactions: try productIDs.enumerated().map { try Sample.transaction("\($0.offset)", $0.element) },
            isStoreReachable: isStoreReachable)
    }

    private func store(_ service: any PurchaseServicing, _ log: any PurchaseLog = SilentLog()) -> EntitlementStore {
        EntitlementStore(service: service, catalog: Sample.catalog, log: log, clock: Clock().now)
    }

    @Test("[PSE-6] [PSE-7] a start listens and refreshes once, and what was empty is filled")
    func start() async throws {
        let service = ScriptedService()
        await service.give(.success(try evidence("template.a")))
        let store = store(service)
        #expect(store.entitlements == .empty)
        #expect(store.freshness == .notLoaded)
        await store.start().value
        #expect(store.entitlements.templates == [TemplateID(rawValue: "A")])
        #expect(store.freshness == .current)
        #expect(await service.evidenceRequests == 1)
    }

    @Test("[PSE-7] starting and stopping twice is as once, and it can be started again")
    func idempotent() async throws {
        let bench = Bench()
        let store = EntitlementStore(service: bench.service, catalog: Sample.catalog, clock: bench.clock.now)
        store.stop()
        await store.start().value
        await store.start().value
        var updates = store.updates().makeAsyncIterator()
        #expect(await updates.next()?.grounds.isEmpty == true)
        await bench.store.deliver(bench.verifier.sign(Sample.payload("1", "template.a")))
        #expect(await updates.next()?.templates.count == 1)
        store.stop()
        store.stop()
        await store.start().value
        await bench.store.deliver(bench.verifier.sign(Sample.payload("2", "template.b")))
        #expect(await updates.next()?.templates.count == 2)
        store.stop()
    }

    @Test("[PSE-7] starting twice listens once and refreshes once, and after a stop it does so again")
    func startTwice() async {
        let service = ScriptedService()
        let store = store(service)
        await store.start().value
        await store.start().value
        #expect(service.listeners == 1)
        #expect(await service.evidenceRequests == 1)
        store.stop()
        await store.start().value
        #expect(service.listeners == 2)
        #expect(await service.evidenceRequests == 2)
        store.stop()
    }

    @Test("[PSE-7] an update makes exactly one refresh")
    func oneUpdate() async throws {
        let service = ScriptedService()
        let store = store(service)
        await store.start().value
        #expect(await service.evidenceRequests == 1)
        let gate = Gate()
        await service.hold(gate)
        service.update(SignedTransaction(jws: "1", transactionID: "1", productID: "1"))
        await gate.arrived()
        await gate.open()
        service.end()
        // Joins what runs, or is the one after it.
        await store.refresh()
        #expect(await service.evidenceRequests == 3)
        #expect(await gate.arrivals == 2)
    }

    @Test("[PSE-7] a burst comes to one refresh that runs and one that follows")
    func burst() async throws {
        let service = ScriptedService()
        let gate = Gate()
        await service.hold(gate)
        let store = store(service)
        let first = Task { await store.refresh() }
        await gate.arrived()
        let others = (0..<100).map { _ in Task { await store.refresh() } }
        // On the main actor in turn: when this one has asked, all before it have.
        let last = Task { await store.refresh() }
        await Task { @MainActor in }.value
        await gate.open()
        for task in [first] + others + [last] { await task.value }
        #expect(await service.evidenceRequests == 2)
    }

    @Test("[PSE-7] what was left unfinished is taken in at the start without a refresh for each")
    func launch() async throws {
        let bench = Bench()
        for number in 0..<60 {
            await bench.store.deliver(bench.verifier.sign(Sample.payload("\(number)", "coins")))
        }
        let store = EntitlementStore(service: bench.service, catalog: Sample.catalog, clock: bench.clock.now)
        var updates = store.updates().makeAsyncIterator()
        await store.start().value
        while let entitlements = await updates.next(), entitlements.balances["coins"] != 60 {}
        #expect(await bench.store.entitlementRequests < 60)
        store.stop()
    }

    @Test("[PSE-9] a refresh that fails keeps what is there, is logged, and fails nobody")
    func failure() async throws {
        let service = ScriptedService()
        let notes = NoteKeeper()
        await service.give(.success(try evidence("template.a")))
        let store = store(service, notes)
        await store.refresh()
        await service.give(.failure(JournalError(.notReadable, "the disk is gone")))
        await store.refresh()
        #expect(store.entitlements.templates == [TemplateID(rawValue: "A")])
        #expect(notes.kinds == [.refreshFailed])
        await service.give(.success(try evidence("template.a", "template.b", isStoreReachable: false)))
        await store.refresh()
        #expect(store.entitlements.templates.count == 2)
        #expect(store.freshness == .remembered)
    }

    @Test("[PSE-9] entitlements stay when the store cannot be reached, also over a restart")
    func offline() async throws {
        let bench = Bench()
        _ = await bench.service.purchase(productID: "template.a")
        _ = await bench.service.purchase(productID: "pro.monthly")
        await bench.store.fail(StoreError(.network, "down"))
        for service in [bench.service, bench.restarted()] {
            let store = EntitlementStore(service: service, catalog: Sample.catalog, clock: bench.clock.now)
            await store.refresh()
            #expect(store.entitlements.isPro)
            #expect(store.entitlements.templates == [TemplateID(rawValue: "A")])
            #expect(store.freshness == .remembered)
        }
    }

    @Test("[PSE-11] with purchases switched off the store still listens and refreshes")
    func flagsOff() async throws {
        let bench = Bench()
        let store = EntitlementStore(service: bench.service, catalog: Sample.catalog, clock: bench.clock.now)
        let coordinator = TemplatePurchaseCoordinator(
            purchaseService: bench.service, entitlementRefresher: store, catalog: Sample.catalog, flags: { .init() })
        let outcome = await coordinator.buyTemplate(templateID: TemplateID(rawValue: "A"), productID: "template.a")
        #expect(outcome == .failed(.purchasesDisabled))
        await bench.store.deliver(bench.verifier.sign(Sample.payload("1", "template.a")))
        await store.start().value
        var updates = store.updates().makeAsyncIterator()
        while let entitlements = await updates.next(), entitlements.templates.isEmpty {}
        #expect(store.entitlements.templates == [TemplateID(rawValue: "A")])
        store.stop()
    }

    @Test("[PFC-5] when a coordinator reports a success, the store shows it already")
    func afterPurchase() async throws {
        let bench = Bench()
        let store = EntitlementStore(service: bench.service, catalog: Sample.catalog, clock: bench.clock.now)
        let coordinator = ProSubscriptionCoordinator(
            purchaseService: bench.service, entitlementRefresher: store, catalog: Sample.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) })
        #expect(await coordinator.buyPro(productID: "pro.yearly") == .success)
        #expect(store.entitlements.isPro)
    }

    @Test("[PSE-6] a service with nothing but current entitlements will do")
    func defaultEvidence() async throws {
        let store = store(StoreKitPurchaseService())
        await store.start().value
        #expect(store.entitlements.grounds.isEmpty)
        #expect(store.freshness == .current)
        store.stop()
    }
}
