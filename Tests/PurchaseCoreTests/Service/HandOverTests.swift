import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Purchases that the fulfiller or the store does not confirm at first.
@Suite("Hand-over", .timeLimit(.minutes(15)))
struct HandOverTests {
    private enum Obstacle: CaseIterable {
        case fulfiller, finish

        func set(_ harness: ServiceHarness, _ isSet: Bool) async {
            switch self {
            case .fulfiller: await harness.fulfiller.setReachable(!isSet)
            case .finish: await harness.store.failToFinish(isSet ? StoreError(.network, "down") : nil)
            }
        }
    }

    @Test(
        "a purchase that cannot be handed over is pending, is retried with growing pauses, and observers see both ends",
        arguments: Obstacle.allCases)
    private func retried(obstacle: Obstacle) async throws {
        let harness = ServiceHarness()
        let (reports, received) = AsyncStream.makeStream(of: PurchaseReport.self)
        let refresher = RefreshCounter()
        let coordinator = TemplatePurchaseCoordinator(
            purchaseService: harness.service, entitlementRefresher: refresher, catalog: Sample.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) }, observers: [ReportStream(continuation: received)])
        await obstacle.set(harness, true)
        let outcome = await coordinator.buyTemplate(templateID: TemplateID(rawValue: "A"), productID: "template.a")
        #expect(outcome == .pending(.notHandedOver))
        #expect(await refresher.count == 1, "the entitlement is unlocked from the record on")
        #expect(try await harness.entitlements().templates.count == 1)

        harness.timer.advance(by: 5_000)
        await harness.timer.started(10_000)
        harness.timer.advance(by: 10_000)
        await harness.timer.started(20_000)
        #expect(await harness.store.finished.isEmpty)
        await obstacle.set(harness, false)
        harness.timer.advance(by: 20_000)
        var ends: [PurchaseOutcome] = []
        for await report in reports {
            ends.append(report.outcome)
            if ends.count == 2 { break }
        }
        #expect(ends == [.pending(.notHandedOver), .success])
        #expect(await refresher.count == 2)
        #expect(await harness.store.finished == ["sale-1"])
        #expect(await harness.fulfiller.orders.count == 1)
        #expect(harness.log.kinds.contains(.handedOver))
        #expect(try await harness.stages().values.map(\.self) == [.finished])
    }

    @Test("the pause between two attempts grows to two minutes and not further")
    func pauses() async {
        let harness = ServiceHarness()
        await harness.fulfiller.setReachable(false)
        _ = await harness.service.purchase(productID: "coins")
        for pause: Int64 in [5_000, 10_000, 20_000, 40_000, 80_000] {
            await harness.timer.started(pause)
            harness.timer.advance(by: pause)
        }
        for count in 1...5 {
            await harness.timer.started(120_000, count: count)
            harness.timer.advance(by: 120_000)
        }
        await harness.timer.started(120_000, count: 6)
    }

    @Test("a caller that waits during the first attempt is told when it has succeeded")
    func waitingDuringFirstAttempt() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
            fulfiller: HeldFulfiller(gate: gate),
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let purchase = Task { await service.purchase(productID: "coins") }
        await gate.arrived()
        let waiting = Task { await service.waitUntilHandedOver(productID: "coins") }
        // The caller begins to wait meanwhile.
        for _ in 0..<10 { _ = try await service.evidence() }
        await gate.open()
        #expect(await waiting.value)
        #expect(PurchaseResultMapping.outcome(of: await purchase.value) == .success)
    }

    @Test("a newer signature of a purchase that waits for another attempt takes that attempt over")
    func newerSignature() async throws {
        for isDeliveredAgain in [true, false] {
            let harness = ServiceHarness()
            await harness.store.failToFinish(StoreError(.network, "down"))
            let first = harness.verifier.sign(Sample.payload("1", "coins"))
            await harness.store.deliver(first)
            await harness.service.resumeUnfinishedPurchases()
            let newer = harness.verifier.sign(Sample.payload("1", "coins", signed: Sample.at(1)))
            if isDeliveredAgain {
                await harness.store.failToFinish(nil)
                await harness.store.deliver(newer)
                await harness.service.resumeUnfinishedPurchases()
            } else {
                // Another service records it, and the waiting attempt finds its entry merged.
                _ = try await harness.ledger.observe(newer, from: .update, at: Sample.at(1))
                _ = try await harness.ledger.markVerified(
                    try Sample.require(Transaction(Sample.payload("1", "coins", signed: Sample.at(1)))),
                    signedText: newer.signedText)
                await harness.store.failToFinish(nil)
                harness.timer.advance(by: 5_000)
            }
            #expect(await harness.service.waitUntilHandedOver(productID: "coins"))
            #expect(Set(await harness.store.finished) == ["1"])
            #expect(await harness.fulfiller.orders.count == 1)
            #expect(try await harness.stages() == [newer.signedText: .finished])
        }
    }

    @Test("a purchase whose entry is lost before its order is given to no account; recorded again, it is the owner's")
    func lostEntry() async throws {
        let alice = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
        let harness = ServiceHarness(account: alice)
        let isLost = Shared(false)
        let readings = Shared(0)
        let ledger = HookedLedger(
            base: harness.ledger,
            before: { step in
                // The first reading finds the entry that is handed over, and what the order is.
                guard step == .readPurchase else { return }
                readings.value += 1
                isLost.value = readings.value == 1
            }, findsNothing: { $0 == .readPurchase && isLost.value })
        let service = PurchaseService(
            store: harness.store, ledger: ledger, verifier: harness.verifier, fulfiller: harness.fulfiller,
            user: .signedIn(alice), environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let outcome = PurchaseResultMapping.outcome(of: await service.purchase(productID: "coins"))
        #expect(outcome == .pending(.notHandedOver))
        #expect(await harness.fulfiller.orders.isEmpty)
        isLost.value = false
        await service.resumeUnfinishedPurchases()
        harness.timer.advance(by: 5_000)
        #expect(await service.waitUntilHandedOver(productID: "coins"))
        #expect(await harness.fulfiller.orders.map(\.account) == [alice])
    }

    @Test("a second purchase of an owned product that is not handed over is pending too")
    func owned() async {
        let harness = ServiceHarness()
        await harness.fulfiller.setReachable(false)
        for _ in 0..<2 {
            let result = await harness.service.purchase(productID: "template.a")
            #expect(PurchaseResultMapping.outcome(of: result) == .pending(.notHandedOver))
        }
        #expect(await harness.store.sales == ["template.a"])
    }

    @Test("a purchase that the ledger could not record is recorded by a retry, and the handler receives it")
    func ledgerRecovers() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let gate = Gate()
        await harness.store.hold(gate)
        let (ids, handled) = AsyncStream.makeStream(of: String.self)
        let listener = service.listenForTransactions { result in
            if let id = result.verifiedPayload?.id { handled.yield(id) }
        }
        await harness.store.deliver(harness.verifier.sign(Sample.payload("0", "template.b")))
        #expect(await ids.first { _ in true } == "0", "the listener runs")
        #expect(await service.waitUntilHandedOver(productID: "template.b"))
        let purchase = Task { await service.purchase(productID: "coins") }
        await gate.arrived()
        await simulator.setLedgerBroken(true)
        await gate.open()
        #expect(PurchaseResultMapping.outcome(of: await purchase.value) == .pending(.notRecorded))
        await simulator.setLedgerBroken(false)
        harness.timer.advance(by: 5_000)
        #expect(await ids.first { _ in true } == "sale-1")
        #expect(await service.waitUntilHandedOver(productID: "coins"))
        #expect(await harness.store.finished == ["0", "sale-1"])
        harness.store.endUpdates()
        await listener.value
    }

    @Test("a purchase that the ledger could not record is finished, although a list of the store had it in between")
    func ledgerRecoversAfterList() async throws {
        for isRecordedByList in [false, true] {
            let harness = ServiceHarness()
            let simulator = CrashSimulator(crashingAt: .max)
            let service = PurchaseService(
                store: harness.store, ledger: CrashingLedger(harness.ledger, simulator),
                verifier: harness.verifier, fulfiller: harness.fulfiller,
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            let gate = Gate()
            await harness.store.hold(gate)
            let purchase = Task { await service.purchase(productID: "template.a") }
            await gate.arrived()
            await simulator.setLedgerBroken(true)
            await gate.open()
            #expect(PurchaseResultMapping.outcome(of: await purchase.value) == .pending(.notRecorded))
            #expect(await service.currentEntitlements().count == 1)
            await simulator.setLedgerBroken(false)
            if isRecordedByList {
                #expect(await service.currentEntitlements().count == 1)
            } else {
                harness.timer.advance(by: 10_000)
            }
            #expect(await service.waitUntilHandedOver(productID: "template.a"))
            #expect(await harness.store.finished == ["sale-1"])
        }
    }

    @Test("an order that was carried out and not recorded is recorded by a later attempt, and not repeated")
    func recordFails() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let other = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier, fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: ManualTimer(), clock: harness.clock.now))
        await simulator.failLedger(.grant, count: 2)
        let result = await service.purchase(productID: "coins")
        #expect(PurchaseResultMapping.outcome(of: result) == .pending(.notHandedOver))
        // Another service leaves the purchase alone, because the claim is kept.
        await other.resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.orders.count == 1)
        harness.timer.advance(by: 5_000)
        await harness.timer.started(10_000)
        #expect(await harness.store.finished.isEmpty)
        harness.timer.advance(by: 10_000)
        #expect(await service.waitUntilHandedOver(productID: "coins"))
        #expect(await harness.fulfiller.orders.count == 1)
        #expect(Set(await harness.store.finished) == ["sale-1"])
    }

    @Test("a refund after an order that was carried out and not recorded takes the purchase back")
    func refundAfterFailedRecord() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        await simulator.failLedger(.grant)
        _ = await service.purchase(productID: "coins")
        #expect(await harness.fulfiller.balance == 1)
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("sale-1", "coins", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) }))
        await service.resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.orders.map(\.fulfilment) == [.granted, .revoked])
        #expect(await harness.fulfiller.balance == 0)
    }

    @Test("a refunded purchase is not reported as a success because another purchase of the product is handed over")
    func refundedBesideAnother() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "coins")
        await harness.fulfiller.setReachable(false)
        _ = await harness.service.purchase(productID: "coins")
        let waiting = Task { await harness.service.waitUntilHandedOver(productID: "coins") }
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("sale-2", "coins", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) }))
        await harness.service.resumeUnfinishedPurchases()
        await harness.fulfiller.setReachable(true)
        await harness.service.resumeUnfinishedPurchases()
        harness.timer.advance(by: 120_000)
        #expect(await waiting.value == false)
        #expect(try await harness.entitlements().balances == ["coins": 1])
    }

    @Test("a purchase that is refunded before it is handed over is not reported as a success")
    func refunded() async throws {
        let harness = ServiceHarness()
        await harness.fulfiller.setReachable(false)
        _ = await harness.service.purchase(productID: "coins")
        let waiting = Task { await harness.service.waitUntilHandedOver(productID: "coins") }
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("sale-1", "coins", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) }))
        await harness.service.resumeUnfinishedPurchases()
        await harness.fulfiller.setReachable(true)
        await harness.service.resumeUnfinishedPurchases()
        // The order for the purchase can have failed once more, before the refund was recorded.
        harness.timer.advance(by: 120_000)
        #expect(await waiting.value == false)
        #expect(await harness.fulfiller.orders.allSatisfy { $0.fulfilment == .revoked })
        #expect(try await harness.entitlements().balances.isEmpty)
    }

    @Test("observers of a purchase that is refunded before it is handed over are not told of a success")
    func refundedObservers() async throws {
        let harness = ServiceHarness()
        await harness.fulfiller.setReachable(false)
        let (reports, received) = AsyncStream.makeStream(of: PurchaseReport.self)
        // The observer ends with the coordinator and everything that still reports to it.
        func buy() async -> PurchaseOutcome {
            await TemplatePurchaseCoordinator(
                purchaseService: harness.service, entitlementRefresher: RefreshCounter(), catalog: Sample.catalog,
                observers: [LastingObserver(continuation: received)]
            ).buyTemplate(templateID: TemplateID(rawValue: "A"), productID: "template.a")
        }
        #expect(await buy() == .pending(.notHandedOver))
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("sale-1", "template.a", signed: Sample.at(1)) { $0.revocationDate = Sample.at(1) }))
        await harness.service.resumeUnfinishedPurchases()
        await harness.fulfiller.setReachable(true)
        await harness.service.resumeUnfinishedPurchases()
        harness.timer.advance(by: 120_000)
        var ends: [PurchaseOutcome] = []
        for await report in reports { ends.append(report.outcome) }
        #expect(ends == [.pending(.notHandedOver)])
    }

    @Test("a sale is reported as a success although a later one of the product is refunded before its own report")
    func twoSales() async throws {
        let harness = ServiceHarness()
        await harness.fulfiller.setReachable(false)
        let (reports, received) = AsyncStream.makeStream(of: PurchaseReport.self)
        // The observer ends with the coordinators and everything that still reports to it.
        func sell() async {
            let observer = LastingObserver(continuation: received)
            @Sendable func buy(_ refresher: any EntitlementRefreshing) async -> PurchaseOutcome {
                await ProSubscriptionCoordinator(
                    purchaseService: harness.service, entitlementRefresher: refresher,
                    catalog: TemplatePriceCatalog(version: 1, proProductIDs: ["coins"]), observers: [observer]
                ).buyPro(productID: "coins")
            }
            let gate = Gate()
            async let first = buy(HeldRefresher(gate: gate))
            await gate.arrived()
            #expect(await buy(RefreshCounter()) == .pending(.notHandedOver))
            await harness.store.deliver(
                harness.verifier.sign(
                    Sample.payload("sale-2", "coins", signed: Sample.at(1)) { $0.revocationDate = Sample.at(1) }))
            await harness.service.resumeUnfinishedPurchases()
            await gate.open()
            #expect(await first == .pending(.notHandedOver))
        }
        await sell()
        await harness.fulfiller.setReachable(true)
        harness.timer.advance(by: 120_000)
        var ends: [PurchaseOutcome] = []
        for await report in reports { ends.append(report.outcome) }
        #expect(ends == [.pending(.notHandedOver), .pending(.notHandedOver), .success])
    }

    @Test("five taps on a product whose hand-over fails are one sale, which is reported as one success")
    func fiveTaps() async throws {
        let harness = ServiceHarness()
        await harness.fulfiller.setReachable(false)
        let (reports, received) = AsyncStream.makeStream(of: PurchaseReport.self)
        // The observer ends with the coordinator and everything that still reports to it.
        func tap() async {
            let coordinator = TemplatePurchaseCoordinator(
                purchaseService: harness.service, entitlementRefresher: RefreshCounter(), catalog: Sample.catalog,
                observers: [LastingObserver(continuation: received)])
            for _ in 0..<5 {
                let outcome = await coordinator.buyTemplate(
                    templateID: TemplateID(rawValue: "A"), productID: "template.a")
                #expect(outcome == .pending(.notHandedOver))
            }
        }
        await tap()
        await harness.fulfiller.setReachable(true)
        harness.timer.advance(by: 120_000)
        var ends: [PurchaseOutcome] = []
        for await report in reports { ends.append(report.outcome) }
        #expect(ends == Array(repeating: .pending(.notHandedOver), count: 5) + [.success])
    }

    @Test("a service without a hand-over cannot tell, so its observers are not told twice")
    func defaultService() async {
        #expect(await ScriptedService().waitUntilHandedOver(productID: "coins") == false)
    }

    /// A fulfiller that waits at a gate.
    private struct GatedFulfiller: PurchaseFulfilling {
        let gate: Gate

        func fulfil(_ order: FulfilmentOrder) async throws { await gate.pass() }
    }

    @Test("a refresh while a renewal is handed over does not end the retries of its failed finish")
    func refreshDuringHandOver() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
            fulfiller: GatedFulfiller(gate: gate), environment: harness.environment)
        let renewal = harness.verifier.sign(Sample.payload("2", "pro.monthly"))
        await harness.store.failToFinish(StoreError(.network, "down"))
        await harness.store.setEntitled([renewal])
        let listener = service.listenForTransactions { _ in }
        // Not listed as unfinished, so the request of the refresh is the only one that waits.
        harness.store.send(.transaction(renewal))
        await gate.arrived()
        _ = try await service.evidence()
        await gate.open()
        while harness.timer.startCount(10_000) == 0, !Task.isCancelled { await Task.yield() }
        #expect(!harness.log.kinds.contains(.handedOver))
        await harness.store.failToFinish(nil)
        harness.timer.advance(by: 10_000)
        #expect(await service.waitUntilHandedOver(productID: "pro.monthly"))
        #expect(await harness.store.finished == ["2"])
        #expect(harness.log.kinds.filter { $0 == .handedOver }.count == 1)
        #expect(harness.log.kinds.filter { $0 == .recorded }.count == 1)
        harness.store.endUpdates()
        await listener.value
    }

    @Test("a cancelled caller that waits for the hand-over returns at once, and the service keeps trying")
    func cancelledWait() async throws {
        let harness = ServiceHarness()
        await harness.fulfiller.setReachable(false)
        _ = await harness.service.purchase(productID: "coins")
        let waiting = Task { await harness.service.waitUntilHandedOver(productID: "coins") }
        let other = Task { await harness.service.waitUntilHandedOver(productID: "coins") }
        waiting.cancel()
        #expect(await !waiting.value)
        await harness.fulfiller.setReachable(true)
        harness.timer.advance(by: 5_000)
        #expect(await other.value)
        #expect(await harness.store.finished == ["sale-1"])
    }
}

/// A fulfiller that does not answer before a gate is open.
private struct HeldFulfiller: PurchaseFulfilling {
    let gate: Gate
    func fulfil(_ order: FulfilmentOrder) async throws { await gate.pass() }
}

/// An observer that ends its stream when nothing refers to it any more.
private final class LastingObserver: PurchaseOutcomeObserving {
    private let continuation: AsyncStream<PurchaseReport>.Continuation

    init(continuation: AsyncStream<PurchaseReport>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }

    func purchaseEnded(_ report: PurchaseReport) { continuation.yield(report) }
}

private struct ReportStream: PurchaseOutcomeObserving {
    let continuation: AsyncStream<PurchaseReport>.Continuation
    func purchaseEnded(_ report: PurchaseReport) { continuation.yield(report) }
}

/// A refresher whose refreshes wait at a gate.
private struct HeldRefresher: EntitlementRefreshing {
    let gate: Gate
    func refresh() async { await gate.pass() }
}
