import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

@testable import ReceiptVerification

@Suite("Entitlement store", .timeLimit(.minutes(15)))
@MainActor
struct EntitlementStoreTests {
    private func evidence(_ productIDs: String..., isStoreReachable: Bool = true) throws -> PurchaseEvidence {
        PurchaseEvidence(
            transactions: try productIDs.enumerated().map { try Sample.transaction("\($0.offset)", $0.element) },
            isStoreReachable: isStoreReachable)
    }

    private func store(_ service: any PurchaseServicing, _ log: any PurchaseLog = SilentLog()) -> EntitlementStore {
        EntitlementStore(
            service: service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(log: log, timer: StoppedTimer(), clock: ManualClock().now))
    }

    @Test("[PSE-6] [PSE-7] entitlements are empty until start() has refreshed once")
    func start() async throws {
        let service = ScriptedService()
        await service.setEvidence(.success(try evidence("template.a")))
        let store = store(service)
        #expect(store.entitlements == .empty)
        #expect(store.freshness == .notLoaded)
        await store.start().value
        #expect(store.entitlements.templates == [TemplateID(rawValue: "A")])
        #expect(store.freshness == .current)
        #expect(await service.evidenceRequests == 1)
    }

    @Test("[PSE-7] after stop() a new start() receives updates again")
    func idempotent() async throws {
        let harness = ServiceHarness()
        let store = harness.entitlementStore()
        store.stop()
        await store.start().value
        await store.start().value
        var updates = store.updates().makeAsyncIterator()
        #expect(await updates.next()?.grounds.isEmpty == true)
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "template.a")))
        #expect(await updates.next()?.templates.count == 1)
        store.stop()
        store.stop()
        await store.start().value
        await harness.store.deliver(harness.verifier.sign(Sample.payload("2", "template.b")))
        #expect(await updates.next()?.templates.count == 2)
        store.stop()
    }

    @Test("[PSE-7] a second start() does nothing until stop() was called")
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

    /// A service whose listeners run until they are cancelled.
    private final class ListenerKeeper: PurchaseServicing {
        private let kept = Locked<[Task<Void, Never>]>([])
        var listeners: [Task<Void, Never>] { kept.withLock { $0 } }

        func products(for ids: [String]) async throws(StoreError) -> [Product] { [] }
        func purchase(productID: String) async -> PurchaseResult { .userCancelled }
        func listenForTransactions(
            handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
        ) -> Task<Void, Never> {
            // A service keeps the handler as long as it listens.
            let task = Task {
                for await _ in AsyncStream<Void>.makeStream().stream {}
                withExtendedLifetime(handler) {}
            }
            kept.withLock { $0.append(task) }
            return task
        }
        func currentEntitlements() async -> [VerificationResult<Transaction>] { [] }
    }

    @Test("[PSE-7] stop() cancels the listener")
    func stopCancels() async throws {
        let service = ListenerKeeper()
        let store = store(service)
        await store.start().value
        #expect(service.listeners.map(\.isCancelled) == [false])
        store.stop()
        #expect(service.listeners.map(\.isCancelled) == [true])
        await store.start().value
        #expect(service.listeners.map(\.isCancelled) == [true, false])
        store.stop()
    }

    @Test("[PSE-7] dropping an entitlement store cancels its listener", .timeLimit(.minutes(15)))
    func dropped() async throws {
        let service = ListenerKeeper()
        var store: EntitlementStore? = store(service)
        await store?.start().value
        weak let observed = store
        store = nil
        // The tasks of the first refresh can hold it a little longer.
        while observed != nil, !Task.isCancelled { await Task.yield() }
        #expect(service.listeners.map(\.isCancelled) == [true])
    }

    @Test("[PSE-7] dropping an entitlement store ends the streams of its observers", .timeLimit(.minutes(15)))
    func droppedStreams() async {
        var store: EntitlementStore? = store(ScriptedService())
        var updates = store?.updates().makeAsyncIterator()
        var freshness = store?.freshnessUpdates().makeAsyncIterator()
        _ = await updates?.next()
        _ = await freshness?.next()
        store = nil
        #expect(await updates?.next() == nil)
        #expect(await freshness?.next() == nil)
    }

    @Test("[PSE-7] an update triggers exactly one refresh")
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
        // Shares the next refresh, or starts it.
        await store.refresh()
        #expect(await service.evidenceRequests == 3)
        #expect(await gate.arrivals == 2)
    }

    @Test("[PSE-7] a burst of calls runs one refresh and one more")
    func burst() async throws {
        let service = ScriptedService()
        let gate = Gate()
        await service.hold(gate)
        let store = store(service)
        let first = Task { await store.refresh() }
        await gate.arrived()
        let others = (0..<100).map { _ in Task { await store.refresh() } }
        // The main actor runs tasks in order, so all calls before this one have been made.
        let last = Task { await store.refresh() }
        await Task { @MainActor in }.value
        await gate.open()
        for task in [first] + others + [last] { await task.value }
        #expect(await service.evidenceRequests == 2)
    }

    @Test("[PSE-7] sixty unfinished transactions at start trigger fewer than sixty refreshes")
    func launch() async throws {
        let harness = ServiceHarness()
        for number in 0..<60 {
            await harness.store.deliver(harness.verifier.sign(Sample.payload("\(number)", "coins")))
        }
        let store = harness.entitlementStore()
        var updates = store.updates().makeAsyncIterator()
        await store.start().value
        while let entitlements = await updates.next(), entitlements.balances["coins"] != 60 {}
        #expect(await harness.store.entitlementRequests < 60)
        store.stop()
    }

    @Test("[PSE-9] a failed refresh keeps the entitlements and is logged")
    func failure() async throws {
        let service = ScriptedService()
        let log = LogRecorder()
        await service.setEvidence(.success(try evidence("template.a")))
        let store = store(service, log)
        await store.refresh()
        await service.setEvidence(.failure(LedgerError(.notReadable, "the disk is gone")))
        await store.refresh()
        #expect(store.entitlements.templates == [TemplateID(rawValue: "A")])
        #expect(log.kinds == [.refreshFailed])
        await service.setEvidence(.success(try evidence("template.a", "template.b", isStoreReachable: false)))
        await store.refresh()
        #expect(store.entitlements.templates.count == 2)
        #expect(store.freshness == .remembered)
    }

    @Test("[PSE-9] entitlements stay while the store cannot be reached, also after a restart")
    func offline() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        _ = await harness.service.purchase(productID: "pro.monthly")
        await harness.store.fail(StoreError(.network, "down"))
        for service in [harness.service, harness.restarted()] {
            let store = harness.entitlementStore(service)
            await store.refresh()
            #expect(store.entitlements.isPro)
            #expect(store.entitlements.templates == [TemplateID(rawValue: "A")])
            #expect(store.freshness == .remembered)
        }
    }

    @Test("[PSE-11] with purchases switched off the entitlement store still listens and refreshes")
    func flagsOff() async throws {
        let harness = ServiceHarness()
        let store = harness.entitlementStore()
        let coordinator = TemplatePurchaseCoordinator(
            purchaseService: harness.service, entitlementRefresher: store, catalog: Sample.catalog, flags: { .init() })
        let outcome = await coordinator.buyTemplate(templateID: TemplateID(rawValue: "A"), productID: "template.a")
        #expect(outcome == .failed(.purchasesDisabled))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "template.a")))
        await store.start().value
        var updates = store.updates().makeAsyncIterator()
        while let entitlements = await updates.next(), entitlements.templates.isEmpty {}
        #expect(store.entitlements.templates == [TemplateID(rawValue: "A")])
        store.stop()
    }

    @Test("[PFC-5] when a coordinator returns a success, the entitlement store is already refreshed")
    func afterPurchase() async throws {
        let harness = ServiceHarness()
        let store = harness.entitlementStore()
        let coordinator = ProSubscriptionCoordinator(
            purchaseService: harness.service, entitlementRefresher: store, catalog: Sample.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) })
        #expect(await coordinator.buyPro(productID: "pro.yearly") == .success)
        #expect(store.entitlements.isPro)
    }

    @Test("[PSE-6] an entitlement store works over a service without evidence of its own")
    func defaultEvidence() async throws {
        let store = store(DocumentedService())
        await store.start().value
        #expect(store.entitlements.templates == [TemplateID(rawValue: "A")])
        #expect(store.freshness == .current)
        store.stop()
    }

    @Test("refreshes without a change wake no observer, although the entitlements are computed for a later instant")
    func noChange() async throws {
        let harness = ServiceHarness()
        let store = harness.entitlementStore()
        _ = await harness.service.purchase(productID: "template.a")
        await store.refresh()
        harness.clock.set(Sample.at(day: 10))
        await store.refresh()
        #expect(store.entitlements.asOf == Sample.at(day: 10))
        // Takes what the refreshes have sent before the next change replaces it.
        let received = Task { @MainActor in
            var received: [Int] = []
            for await entitlements in store.updates() {
                received.append(entitlements.templates.count)
                if entitlements.templates.count == 2 { break }
            }
            return received
        }
        for day in 11...20 {
            harness.clock.set(Sample.at(day: day))
            await store.refresh()
        }
        _ = await harness.service.purchase(productID: "template.b")
        await store.refresh()
        #expect(await received.value == [1, 2])
    }

    @Test("observers of the freshness receive every change of it, and nothing else", .timeLimit(.minutes(15)))
    func freshness() async throws {
        let service = ScriptedService()
        let store = store(service)
        var freshness = store.freshnessUpdates().makeAsyncIterator()
        #expect(await freshness.next() == .notLoaded)
        await store.refresh()
        await store.refresh()
        #expect(await freshness.next() == .current)
        await service.setEvidence(.success(try evidence("template.a", isStoreReachable: false)))
        await store.refresh()
        #expect(await freshness.next() == .remembered)
    }

    @Test("[PSE-9] a subscription set to renew stays granted for the offline grace, and the store passes its length on")
    func offlineGrace() async throws {
        let harness = ServiceHarness()
        let transaction = harness.verifier.sign(Sample.payload("1", "pro.monthly", expires: Sample.at(day: 30)))
        await harness.store.deliver(transaction)
        await harness.store.setStatuses([
            SignedSubscriptionStatus(
                transaction: transaction,
                renewalInfoJWS: harness.verifier.sign(Sample.renewal("1", signed: Sample.at(day: 1))))
        ])
        _ = try await harness.service.evidence()
        await harness.store.fail(StoreError(.network, "down"))
        for (grace, day, isPro) in [(3, 33, true), (3, 34, false), (1, 31, true), (1, 32, false), (0, 31, false)] {
            let clock = ManualClock(Sample.at(day: day))
            let service = PurchaseService(
                store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
                environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock.now))
            let store = EntitlementStore(
                service: service, catalog: Sample.catalog, offlineGraceMilliseconds: Int64(grace) * Sample.day,
                environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock.now))
            await store.refresh()
            #expect(store.entitlements.isPro == isPro, "\(grace) days, day \(day)")
            #expect(store.freshness == .remembered)
            if isPro { #expect(store.entitlements.grounds[.pro]?.map(\.kind) == [.offlineGrace]) }
            try await harness.ledger.updateMemory { $0 = LedgerMemory() }
        }
    }
}
