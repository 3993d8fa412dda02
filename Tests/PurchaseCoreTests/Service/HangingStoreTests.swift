import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// What a customer has while the store, or the database, answers no call: all of it by the simulated timer.
@Suite("A store that hangs", .timeLimit(.minutes(15)))
@MainActor
struct HangingStoreTests {
    private let deadlines = PurchaseDeadlines()
    private let harness = ServiceHarness()
    private let gate = Gate()

    private func hang(_ calls: [ScriptedStore.Call] = ScriptedStore.Call.allCases) async {
        for call in calls { await harness.store.hold(gate, at: call) }
    }

    private func answer() async {
        for call in ScriptedStore.Call.allCases { await harness.store.hold(nil, at: call) }
        await gate.open()
    }

    private func entitlementStore(
        _ service: any PurchaseServicing, _ catalog: TemplatePriceCatalog = Sample.catalog
    ) -> EntitlementStore {
        EntitlementStore(
            service: service, catalog: catalog, deadlines: deadlines,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
    }

    /// Sells subscriptions, each of a customer of its own in the store's list.
    private func buySubscriptions(_ count: Int) async throws {
        for number in 0..<count {
            let transaction = harness.verifier.sign(
                Sample.payload("\(number)", "pro.monthly", expires: Sample.at(day: 30)) {
                    $0.originalTransactionId = "\(number)"
                })
            await harness.store.deliver(transaction)
        }
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.evidence().transactions.count == count)
    }

    /// Lets a wait of this length pass as soon as it has begun.
    private func pass(_ milliseconds: Int64, count: Int) async {
        await harness.timer.started(milliseconds, count: count)
        harness.timer.advance(by: milliseconds)
    }

    private func until(_ condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }

    @Test("a launch publishes what the ledger has at once, and denies nothing before the deadline", arguments: [1, 20])
    func launch(count: Int) async throws {
        try await buySubscriptions(count)
        await hang()
        let store = entitlementStore(harness.restarted(), try GatedApp.catalog())
        let gating = FeatureGatingService(
            entitlements: store, environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let first = store.start()
        await until { store.freshness != .notLoaded }
        // The store is asked, and no time has passed.
        await harness.timer.started(deadlines.answerMilliseconds, count: 2)
        #expect(harness.timer.uptimeMilliseconds() == 0)
        #expect(store.freshness == .asking && gating.access(to: "export") == .granted)
        #expect(gating.access(to: "scan") == .unknown, "it may have been bought on another device")

        harness.timer.advance(by: deadlines.queryMilliseconds)
        await first.value
        #expect(store.freshness == .remembered)
        #expect(gating.access(to: "export") == .granted && gating.access(to: "scan") == .denied)
        await answer()
        store.stop()
    }

    @Test("a launch grants only what the clock marks and the offline grace allow")
    func limits() async throws {
        try await buySubscriptions(1)
        // The store has not answered on day 40, after which the clock is set back.
        harness.clock.set(Sample.at(day: 40))
        await harness.store.fail(StoreError(.network, "down"))
        _ = try await harness.service.evidence()
        await harness.store.fail(nil)
        harness.clock.set(Sample.at(day: 1))
        await hang()
        let store = entitlementStore(harness.restarted())
        let first = store.start()
        await until { store.freshness != .notLoaded }
        await harness.timer.started(deadlines.answerMilliseconds, count: 3)
        #expect(store.freshness == .asking && !store.entitlements.isPro)
        harness.timer.advance(by: deadlines.queryMilliseconds)
        await first.value
        #expect(store.freshness == .remembered && !store.entitlements.isPro)
        await answer()
        store.stop()
    }

    @Test(
        "a refresh returns within one deadline, whichever question hangs and however many there are",
        arguments: [[.entitlements], [.statuses], [.history], ScriptedStore.Call.allCases] as [[ScriptedStore.Call]])
    func refresh(calls: [ScriptedStore.Call]) async throws {
        try await buySubscriptions(20)
        // The list lacks what is recorded, so the history is read too.
        await harness.store.setEntitled([])
        await hang(calls)
        let store = entitlementStore(harness.service)
        let refresh = Task { await store.refresh() }
        await gate.arrived()
        // It arrives during the first one, and waits for the next.
        let other = Task { await store.refresh() }
        await Task { @MainActor in }.value
        harness.timer.advance(by: deadlines.queryMilliseconds)
        await refresh.value
        await other.value
        #expect(harness.timer.uptimeMilliseconds() == deadlines.queryMilliseconds)
        #expect(store.freshness == .remembered && store.entitlements.isPro)
        await answer()
        await store.waitForRefreshes()
    }

    @Test(
        "a restore returns within one deadline, whichever question hangs and however many there are",
        arguments: [[.synchronize], [.history], [.entitlements], [.statuses], ScriptedStore.Call.allCases]
            as [[ScriptedStore.Call]])
    func restore(calls: [ScriptedStore.Call]) async throws {
        try await buySubscriptions(20)
        await hang(calls)
        let store = entitlementStore(harness.service)
        let restore = Task { try await store.restore() }
        await gate.arrived()
        harness.timer.advance(by: deadlines.synchronizationMilliseconds)
        if calls == [.entitlements] || calls == [.statuses] {
            // The history has arrived before.
            #expect(try await restore.value.history.known.count == 20)
        } else {
            await #expect(throws: StoreError(.timedOut, "")) { try await restore.value }
        }
        #expect(harness.timer.uptimeMilliseconds() == deadlines.synchronizationMilliseconds)
        await answer()
    }

    @Test("answers after the deadline of a refresh are published when they come")
    func lateRefresh() async throws {
        try await buySubscriptions(1)
        let template = harness.verifier.sign(Sample.payload("template", "template.a"))
        await harness.store.setEntitled([template])
        await hang([.entitlements])
        let store = entitlementStore(harness.restarted())
        let refresh = Task { await store.refresh() }
        await gate.arrived()
        harness.timer.advance(by: deadlines.queryMilliseconds)
        await refresh.value
        #expect(store.freshness == .remembered && store.entitlements.templates.isEmpty)
        await answer()
        await until { store.freshness == .current }
        #expect(store.entitlements.templates == [TemplateID(rawValue: "A")])
        #expect(harness.timer.uptimeMilliseconds() == deadlines.queryMilliseconds)
    }

    @Test("a late answer is not published to the next user, nor over a later one")
    func overtaken() async throws {
        await hang([.entitlements])
        let store = entitlementStore(harness.service)
        let refresh = Task { await store.refresh() }
        await gate.arrived()
        harness.timer.advance(by: deadlines.queryMilliseconds)
        await refresh.value
        #expect(store.freshness == .unanswered)
        await harness.store.hold(nil, at: .entitlements)
        await harness.store.setEntitled([harness.verifier.sign(Sample.payload("1", "template.a"))])
        await store.refresh()
        #expect(store.freshness == .current && store.entitlements.templates.count == 1)
        let before = store.entitlements
        await gate.open()
        await harness.service.suspend()
        #expect(store.entitlements == before)
    }

    @Test("purchases that a restore brings after its deadline are published when they come")
    func lateRestore() async throws {
        await harness.store.remember(harness.verifier.sign(Sample.payload("template", "template.a")))
        await hang([.synchronize])
        let store = entitlementStore(harness.service)
        await store.start().value
        let restore = Task { try await store.restore() }
        await gate.arrived()
        harness.timer.advance(by: deadlines.synchronizationMilliseconds)
        await #expect(throws: StoreError(.timedOut, "")) { try await restore.value }
        await answer()
        await until { store.entitlements.templates.count == 1 }
        #expect(store.entitlements.templates == [TemplateID(rawValue: "A")])
        store.stop()
    }

    @Test("unfinished purchases that the store names after the deadline are handed over when they come")
    func lateUnfinished() async throws {
        let unfinished = harness.verifier.sign(Sample.payload("1", "coins"))
        await harness.store.deliver(unfinished)
        await hang([.unfinished])
        let resume = Task { await harness.service.resumeUnfinishedPurchases() }
        await gate.arrived()
        harness.timer.advance(by: deadlines.queryMilliseconds)
        await resume.value
        #expect(await harness.store.finished.isEmpty)
        await answer()
        while await harness.store.finished.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(await harness.fulfiller.orders.count == 1)
    }

    @Test("with a database that hangs, a launch, a refresh and the current entitlements end after one deadline")
    func database() async throws {
        try await buySubscriptions(1)
        await harness.store.setEntitled([try #require(await harness.store.past["0"])])
        let ledger = HookedLedger(base: harness.ledger, before: { _ in await gate.pass() })
        let service = PurchaseService(
            store: harness.store, ledger: ledger, verifier: harness.verifier,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let store = entitlementStore(service)
        let entitlements = Task { await service.currentEntitlements() }
        await pass(deadlines.answerMilliseconds, count: 2)
        await pass(deadlines.recordedMilliseconds, count: 1)
        #expect(await entitlements.value.isEmpty)
        let start = harness.timer.uptimeMilliseconds()
        let refresh = Task { await store.refresh() }
        await pass(deadlines.recordedMilliseconds, count: 2)
        await pass(deadlines.answerMilliseconds, count: 3)
        await pass(deadlines.recordedMilliseconds, count: 3)
        await refresh.value
        #expect(harness.timer.uptimeMilliseconds() - start == deadlines.queryMilliseconds)
        #expect(store.freshness == .notLoaded)
        await gate.open()
        await store.refresh()
        #expect(store.freshness == .current && store.entitlements.isPro)
    }
}
