import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Refresh at the end of a ground", .timeLimit(.minutes(15)))
@MainActor
struct RefreshTimerTests {
    private func store(
        _ service: any PurchaseServicing, _ harness: ServiceHarness, _ timer: ClockTimer
    ) -> EntitlementStore {
        EntitlementStore(
            service: service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: timer, clock: harness.clock.now))
    }

    @Test("[PSE-7] after the last instant of a subscription observers wake without any call")
    func end() async throws {
        let harness = ServiceHarness()
        let timer = ClockTimer(harness.clock)
        _ = await harness.service.purchase(productID: "pro.monthly")
        let store = store(harness.service, harness, timer)
        await store.start().value
        var updates = store.updates().makeAsyncIterator()
        #expect(await updates.next()?.isPro == true)
        await harness.store.setEntitled([])
        let requests = await harness.store.entitlementRequests
        // The clock moves while the device sleeps; the last instant itself is included.
        for time in [Sample.day, 29 * Sample.day, 30 * Sample.day] {
            await timer.waiting()
            timer.advance(to: Sample.at(time))
        }
        await timer.waiting()
        #expect(await harness.store.entitlementRequests == requests)
        #expect(store.entitlements.isPro)
        timer.advance(to: Sample.at(30 * Sample.day + 1))
        let ended = await updates.next()
        #expect(ended?.isPro == false)
        #expect(ended?.denials == ["pro.monthly": .expired])
        store.stop()
    }

    @Test("the timer reads the clock after an hour at most, because the clock can be set in between")
    func setForward() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "pro.monthly")
        let timer = ManualTimer()
        let store = EntitlementStore(
            service: harness.service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: timer, clock: harness.clock.now))
        await store.start().value
        var updates = store.updates().makeAsyncIterator()
        #expect(await updates.next()?.isPro == true)
        await timer.started(3_600_000)
        await harness.store.setEntitled([])
        harness.clock.set(Sample.at(day: 31))
        timer.advance(by: 3_600_000)
        #expect(await updates.next()?.isPro == false)
        store.stop()
    }

    @Test("a refresh that fails when a ground ends is repeated until it succeeds")
    func failure() async throws {
        let harness = ServiceHarness()
        let timer = ClockTimer(harness.clock)
        let service = ScriptedService()
        let monthly = try Sample.transaction("1", "pro.monthly", expires: Sample.at(day: 30))
        await service.setEvidence(.success(PurchaseEvidence(transactions: [monthly])))
        let store = store(service, harness, timer)
        await store.start().value
        await service.setEvidence(.failure(LedgerError(.notReadable, "the disk is gone")))
        await timer.waiting()
        timer.advance(to: Sample.at(day: 31))
        for number in 2...4 {
            await timer.waiting()
            #expect(await service.evidenceRequests == number)
            #expect(store.entitlements.isPro)
            timer.advance(to: harness.clock.now().adding(milliseconds: 300_001))
        }
        await timer.waiting()
        await service.setEvidence(.success(PurchaseEvidence(transactions: [monthly])))
        var updates = store.updates().makeAsyncIterator()
        _ = await updates.next()
        timer.advance(to: Sample.at(day: 40))
        #expect(await updates.next()?.isPro == false)
        store.stop()
    }

    @Test("[PSE-7] a first refresh that fails, or that the store does not answer, is repeated until it succeeds")
    func firstRefresh() async throws {
        let harness = ServiceHarness()
        let timer = ClockTimer(harness.clock)
        let service = ScriptedService()
        let store = store(service, harness, timer)
        await service.setEvidence(.failure(LedgerError(.notReadable, "the disk is gone")))
        await store.start().value
        #expect(store.freshness == .notLoaded)
        var updates = store.updates().makeAsyncIterator()
        _ = await updates.next()
        await timer.waiting()
        await service.setEvidence(.success(PurchaseEvidence(transactions: [], isStoreReachable: false)))
        timer.advance(to: Sample.at(5_000))
        await timer.waiting()
        #expect(store.freshness == .unanswered)
        let owned = try Sample.transaction("1", "template.a")
        await service.setEvidence(.success(PurchaseEvidence(transactions: [owned])))
        timer.advance(to: Sample.at(5_000 + 9_999))
        #expect(await service.evidenceRequests == 2)
        timer.advance(to: Sample.at(5_000 + 10_000))
        #expect(await updates.next()?.templates.count == 1)
        #expect(store.freshness == .current)
        store.stop()
    }

    @Test("[OTP-8.3] a day after the store has not listed a purchase it is asked again without any call")
    func absence() async throws {
        let harness = ServiceHarness()
        let timer = ClockTimer(harness.clock)
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.switchCustomer()
        let store = store(harness.service, harness, timer)
        await store.start().value
        var updates = store.updates().makeAsyncIterator()
        #expect(await updates.next()?.unconfirmedGrounds.count == 1)
        await timer.waiting()
        timer.advance(to: Sample.at(Sample.day + 1))
        #expect(await updates.next()?.denials == ["template.a": .notListedByStore])
        store.stop()
    }

    @Test("the timer ends with stop() and with the entitlement store, and does not run before start()")
    func stop() async throws {
        let harness = ServiceHarness()
        let timer = ClockTimer(harness.clock)
        _ = await harness.service.purchase(productID: "pro.monthly")
        var store: EntitlementStore? = store(harness.service, harness, timer)
        await store?.refresh()
        #expect(timer.waitCount == 0)
        await store?.start().value
        await timer.waiting()
        store?.stop()
        #expect(timer.waitCount == 0)
        await store?.start().value
        await timer.waiting()
        store = nil
        // A task of a refresh can hold the entitlement store a little longer; the suite's time limit ends the wait.
        while timer.waitCount > 0, !Task.isCancelled { await Task.yield() }
        #expect(timer.waitCount == 0)
    }
}
