import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Lets every part that the service calls hang, and lets the deadline pass on the simulated timer.
@Suite("Deadlines", .timeLimit(.minutes(15)))
struct DeadlineTests {
    private let deadlines = PurchaseDeadlines()

    private func outcome(_ result: PurchaseResult) -> PurchaseOutcome { PurchaseResultMapping.outcome(of: result) }

    @Test(
        "a refresh whose store call hangs returns the ledger's content at the deadline, and the next one works at once",
        arguments: [ScriptedStore.Call.entitlements, .statuses])
    func refresh(call: ScriptedStore.Call) async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        let gate = Gate()
        await harness.store.hold(gate, at: call)
        let evidence = Task { try await harness.service.evidence() }
        await gate.arrived()
        harness.timer.advance(by: deadlines.queryMilliseconds)
        let found = try await evidence.value
        #expect(!found.isStoreReachable)
        #expect(found.transactions.map(\.productID) == ["template.a"])
        #expect(harness.log.events.contains { $0.kind == .storeFailed && $0.detail.contains("timed-out") })
        await harness.store.hold(nil, at: call)
        #expect(try await harness.service.evidence().isStoreReachable)
        await gate.open()
    }

    @Test("a hanging query throws timed-out at its deadline, and a later call works at once")
    func queries() async throws {
        let harness = ServiceHarness()
        for (call, deadline) in [
            (ScriptedStore.Call.products, deadlines.queryMilliseconds),
            (.synchronize, deadlines.synchronizationMilliseconds),
            (.history, deadlines.synchronizationMilliseconds),
        ] {
            let gate = Gate()
            await harness.store.hold(gate, at: call)
            let query = Task {
                if call == .products {
                    _ = try await harness.service.products(for: ["coins"])
                } else {
                    _ = try await harness.service.requestAllPurchaseHistory()
                }
            }
            await gate.arrived()
            harness.timer.advance(by: deadline)
            await #expect(throws: StoreError(.timedOut, "")) { try await query.value }
            await harness.store.hold(nil, at: call)
            #expect(try await harness.service.products(for: ["coins"]).count == 1)
            #expect(try await harness.service.requestAllPurchaseHistory().isEmpty)
            await gate.open()
        }
        #expect(StoreError(.timedOut, "").isRetryable)
    }

    @Test("a purchase that the store does not answer is pending at the deadline, and the slot is free")
    func purchase() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.hold(gate)
        let first = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        #expect(
            outcome(await harness.service.purchase(productID: "gems"))
                == .failed(PurchaseFlowError(.purchaseInProgress, "")))
        harness.timer.advance(by: deadlines.purchaseMilliseconds)
        #expect(outcome(await first.value) == .pending(.noAnswer))
        await harness.store.hold(nil)
        #expect(outcome(await harness.service.purchase(productID: "gems")) == .success)

        // The answer that arrives late counts.
        let (ids, handled) = AsyncStream.makeStream(of: String.self)
        let listener = harness.service.listenForTransactions { result in
            if let product = result.verifiedPayload?.productID { handled.yield(product) }
        }
        await harness.store.deliver(harness.verifier.sign(Sample.payload("0", "template.b")))
        #expect(await ids.first { _ in true } == "template.b", "the listener runs")
        await gate.open()
        #expect(await ids.first { _ in true } == "coins")
        harness.store.endUpdates()
        await listener.value
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().balances == ["coins": 1, "gems": 1])
        #expect(await harness.store.unfinished.isEmpty)
    }

    @Test("an answer that arrives late and says that the purchase is pending is remembered")
    func latePending() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.hold(gate)
        await harness.store.answer("coins", .success(.pending))
        let purchase = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        harness.timer.advance(by: deadlines.purchaseMilliseconds)
        #expect(outcome(await purchase.value) == .pending(.noAnswer))
        await gate.open()
        while try await harness.service.pendingPurchases().isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(try await harness.service.pendingPurchases().map(\.productID) == ["coins"])
    }

    @Test(
        "a purchase whose transaction arrives as an update succeeds, although the store has not answered",
        arguments: [0, 120_000, 400 * Sample.day, -400 * Sample.day] as [Int64], [false, true])
    func delivered(clockError: Int64, isRecordedElsewhere: Bool) async throws {
        let harness = ServiceHarness()
        harness.clock.set(Sample.at(clockError))
        let gate = Gate()
        await harness.store.hold(gate)
        // Paid twenty seconds after the tap, by the store's clock.
        let transaction = harness.verifier.sign(
            Sample.payload("1", "template.b", bought: Sample.at(20_000), signed: Sample.at(320_000)))
        await harness.store.answer("template.b", .success(.success(transaction)))
        let listener = harness.service.listenForTransactions { _ in }
        let purchase = Task { await harness.service.purchase(productID: "template.b") }
        await gate.arrived()
        if isRecordedElsewhere {
            await harness.store.remember(transaction)
            _ = try await harness.restarted().requestAllPurchaseHistory()
        }
        await harness.store.deliver(transaction)
        #expect(outcome(await purchase.value) == .success)
        await harness.store.hold(nil)
        #expect(outcome(await harness.service.purchase(productID: "template.a")) == .success)
        await gate.open()
        harness.store.endUpdates()
        await listener.value
        #expect(try await harness.entitlements().templates.count == 2)
        #expect(await harness.fulfiller.orders.count == 2)
    }

    @Test(
        "an older purchase, a redelivered one, a refund and a family-shared purchase do not end the wait for the store")
    func notDelivered() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "pro.season")
        let old = try #require(await harness.store.past["sale-1"])
        // Bought on another device.
        let other = harness.verifier.sign(Sample.payload("7", "pro.season"))
        await harness.store.deliver(other)
        await harness.service.resumeUnfinishedPurchases()
        let gate = Gate()
        await harness.store.hold(gate)
        let purchase = Task { await harness.service.purchase(productID: "pro.season") }
        await gate.arrived()
        let others = [
            old, other,
            harness.verifier.sign(Sample.payload("6", "pro.season", bought: Sample.at(day: -40))),
            harness.verifier.sign(Sample.payload("7", "pro.season", signed: Sample.at(1)) { $0.price = Milliunits(1) }),
            harness.verifier.sign(Sample.payload("8", "pro.season") { $0.revocationDate = Sample.at(day: 1) }),
            harness.verifier.sign(Sample.payload("9", "pro.season") { $0.inAppOwnershipType = .familyShared }),
        ]
        for other in others { await harness.store.deliver(other) }
        await harness.service.resumeUnfinishedPurchases()
        await harness.store.answer("pro.season", .success(.userCancelled))
        await gate.open()
        #expect(outcome(await purchase.value) == .cancelled)
    }

    @Test("on a new installation, what an earlier one has left unfinished does not end the wait for the store")
    func leftUnfinished() async throws {
        let signed = Sample.at(0)
        for old in [
            Sample.payload("1", "pro.season", bought: Sample.at(day: -40), signed: signed),
            Sample.payload("1", "pro.monthly", bought: Sample.at(day: -40), signed: signed),
            // The sandbox has periods of minutes.
            Sample.payload(
                "1", "pro.monthly", bought: Sample.at(-600_000), expires: Sample.at(-300_000), signed: signed),
            Sample.payload("1", "pro.monthly", bought: Sample.at(-600_000), signed: signed) { $0.isUpgraded = true },
        ] {
            let harness = ServiceHarness()
            let product = try #require(old.productId)
            let gate = Gate()
            await harness.store.hold(gate)
            await harness.store.answer(product, .success(.userCancelled))
            let purchase = Task { await harness.service.purchase(productID: product) }
            await gate.arrived()
            await harness.store.deliver(harness.verifier.sign(old))
            await harness.service.resumeUnfinishedPurchases()
            #expect(await harness.store.finished == ["1"])
            await gate.open()
            #expect(outcome(await purchase.value) == .cancelled, "\(old)")
        }
    }

    @Test("a fulfiller that hangs delays neither a refresh nor another purchase, and is called once")
    func fulfiller() async throws {
        let harness = ServiceHarness()
        let fulfiller = HangingFulfiller()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier, fulfiller: fulfiller,
            deadlines: PurchaseDeadlines(fulfilmentMilliseconds: 45_000),
            environment: harness.environment)
        let purchase = Task { await service.purchase(productID: "coins") }
        await fulfiller.gate.arrived()
        #expect(try await service.evidence().transactions.map(\.productID) == ["coins"])
        #expect(outcome(await service.purchase(productID: "gems")) == .success)
        harness.timer.advance(by: 45_000)
        #expect(outcome(await purchase.value) == .pending(.notHandedOver))
        // The hanging order is still awaited by the next attempt, so it is not carried out twice.
        harness.timer.advance(by: 5_000)
        await harness.timer.started(45_000, count: 3)
        await fulfiller.gate.open()
        #expect(await service.waitUntilHandedOver(productID: "coins"))
        #expect(await fulfiller.gate.arrivals == 1)
        #expect(await harness.store.unfinished.isEmpty)
    }

    @Test(
        "a service that is suspended waits for a hand-over, and for a handler that hangs only as long as for an order")
    func suspension() async throws {
        let harness = ServiceHarness()
        let fulfiller = HangingFulfiller()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier, fulfiller: fulfiller,
            deadlines: PurchaseDeadlines(fulfilmentMilliseconds: 45_000),
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let purchase = Task { await service.purchase(productID: "coins") }
        await fulfiller.gate.arrived()
        let first = Task { await service.suspend() }
        await harness.timer.started(75_000)
        await fulfiller.gate.open()
        await first.value
        #expect(await harness.store.finished == ["sale-1"])
        #expect(outcome(await purchase.value) == .success)

        let handler = Gate()
        let listener = service.listenForTransactions { _ in await handler.pass() }
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "gems")))
        await service.resumeUnfinishedPurchases()
        await handler.arrived()
        let second = Task { await service.suspend() }
        // The second one is that of the resuming.
        await harness.timer.started(75_000, count: 3)
        harness.timer.advance(by: 75_000)
        await second.value
        await handler.open()
        harness.store.endUpdates()
        await listener.value
    }

    @Test("a fulfiller that hangs is cancelled at its deadline, and the order is repeated once it has ended")
    func cancelledFulfiller() async throws {
        let harness = ServiceHarness()
        let fulfiller = EndlessFulfiller()
        await fulfiller.calls.open()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier, fulfiller: fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let purchase = Task { await service.purchase(productID: "coins") }
        await fulfiller.calls.arrived()
        await harness.timer.started(deadlines.fulfilmentMilliseconds)
        harness.timer.advance(by: deadlines.fulfilmentMilliseconds)
        #expect(outcome(await purchase.value) == .pending(.notHandedOver))
        await harness.timer.started(5_000)
        harness.timer.advance(by: 5_000)
        #expect(await service.waitUntilHandedOver(productID: "coins"))
        #expect(await harness.store.finished == ["sale-1"])
        #expect(await fulfiller.calls.arrivals == 2)
    }

    @Test("a transaction whose finish hangs is pending at the deadline and finished by a later attempt")
    func finish() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.hold(gate, at: .finish)
        let purchase = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        harness.timer.advance(by: deadlines.queryMilliseconds)
        #expect(outcome(await purchase.value) == .pending(.notHandedOver))
        await harness.store.hold(nil, at: .finish)
        harness.timer.advance(by: 5_000)
        #expect(await harness.service.waitUntilHandedOver(productID: "coins"))
        #expect(await harness.store.finished == ["sale-1"])
        await gate.open()
    }

    @Test("a purchase whose ledger call hangs goes on at the deadline, and another purchase works at once")
    func ledger() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller,
            deadlines: PurchaseDeadlines(ledgerMilliseconds: 40_000), environment: harness.environment)
        let gate = Gate()
        await simulator.holdLedger(.observe, at: gate)
        let purchase = Task { await service.purchase(productID: "coins") }
        await gate.arrived()
        await simulator.holdLedger(.observe, at: nil)
        harness.timer.advance(by: 40_000)
        #expect(outcome(await purchase.value) == .success)
        #expect(outcome(await service.purchase(productID: "gems")) == .success)
        #expect(harness.log.events.contains { $0.kind == .ledgerFailed && $0.detail.contains("timed-out") })
        await gate.open()
        #expect(try await harness.entitlements(service).balances == ["coins": 1, "gems": 1])
    }

    @Test(
        "no call of the ledger that hangs once keeps a purchase, a refresh or a restore from returning",
        arguments: [
            LedgerStep.observe, .record, .grant, .finish, .readDeliveries, .readPurchase, .readRenewals, .readMemory,
            .remember, .compact,
        ])
    func everyLedgerCall(call: LedgerStep) async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let gate = Gate()
        await simulator.holdLedger(call, at: gate)
        let day = Task {
            _ = await service.purchase(productID: "coins")
            _ = try? await service.evidence()
            _ = try? await service.requestAllPurchaseHistory()
        }
        await gate.arrived()
        await simulator.holdLedger(call, at: nil)
        harness.timer.advance(by: deadlines.ledgerMilliseconds)
        await day.value
        await gate.open()
        // A purchase that cannot read the ledger is not started: it may be owned already, or pending.
        #expect(await harness.store.sales.count == ([.readDeliveries, .readMemory].contains(call) ? 0 : 1))
        #expect(await harness.fulfiller.orders.count == harness.store.sales.count)
    }

    @Test("a restore reads the ledger's clock as often for fifty deliveries as for one")
    func clockOfManyDeliveries() async throws {
        var counts: [Int] = []
        for number in [1, 50] {
            let harness = ServiceHarness()
            for id in 0..<number {
                await harness.store.remember(harness.verifier.sign(Sample.payload("\(id)", "coins")))
            }
            let simulator = CrashSimulator(crashingAt: .max)
            let service = PurchaseService(
                store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            #expect(try await service.requestAllPurchaseHistory().restored.count == number)
            counts.append(await simulator.steps.count { $0 == "before ledger.read-memory" })
        }
        #expect(counts.first == counts.last)
    }

    @Test("a verifier that hangs makes the purchase pending with the failure verification-timed-out")
    func verifier() async throws {
        let harness = ServiceHarness()
        let verifier = HangingVerifier(base: harness.verifier)
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: verifier, fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let purchase = Task { await service.purchase(productID: "coins") }
        await verifier.gate.arrived()
        harness.timer.advance(by: deadlines.verificationMilliseconds)
        #expect(
            outcome(await purchase.value) == .pending(.unverified(VerificationFailure(code: .verificationTimedOut))))
        await verifier.gate.open()
        await service.resumeUnfinishedPurchases()
        #expect(await harness.store.finished == ["sale-1"])
        #expect(try await harness.ledger.entries().allSatisfy { $0.quarantineReason == nil })
    }

    @Test("a call that hangs is cancelled at its deadline")
    func cancelled() async throws {
        let harness = ServiceHarness()
        let verifier = EndlessVerifier(base: harness.verifier)
        await verifier.begun.open()
        await verifier.cancelled.open()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: verifier,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let purchase = Task { await service.purchase(productID: "coins") }
        await verifier.begun.arrived()
        harness.timer.advance(by: deadlines.verificationMilliseconds)
        await verifier.cancelled.arrived()
        _ = await purchase.value
    }

    @Test("a verifier that hangs at a launch delays the evidence by one deadline, which is then incomplete")
    func verifierAtLaunch() async throws {
        let harness = ServiceHarness()
        for number in 0..<120 {
            await harness.store.deliver(harness.verifier.sign(Sample.payload("\(number)", "coins")))
        }
        _ = await harness.service.purchase(productID: "template.a")
        await harness.service.resumeUnfinishedPurchases()
        let verifier = HangingVerifier(base: harness.verifier)
        let launched = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: verifier,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let evidence = Task { try await launched.evidence() }
        // The listed template.
        await verifier.gate.arrived(1)
        harness.timer.advance(by: deadlines.queryMilliseconds)
        let incomplete = try await evidence.value
        #expect(!incomplete.isStoreReachable)
        #expect(incomplete.transactions.isEmpty)
        #expect(incomplete.absences.isEmpty)
        await verifier.gate.open()
        let complete = try await launched.evidence()
        #expect(complete.isStoreReachable)
        #expect(complete.transactions.count == 121)
    }

    @Test("a verifier that hangs in the middle of a run delays a refresh or a change of plan by one deadline")
    func verifierInMidRun() async throws {
        for changesPlan in [false, true] {
            let harness = ServiceHarness()
            let verifier = HangingRenewals(base: harness.verifier)
            let service = PurchaseService(
                store: harness.store, ledger: harness.ledger, verifier: verifier,
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            _ = await service.purchase(productID: "pro.yearly")
            let yearly = try #require(await harness.store.past["sale-1"])
            await harness.store.setStatuses(
                (0..<10).map { number in
                    let info = Sample.renewal("sale-1", signed: Sample.at(Int64(number)))
                    return SignedSubscriptionStatus(
                        transaction: yearly, renewalInfoJWS: harness.verifier.sign(info))
                })
            await harness.store.answer("pro.monthly", .success(.success(yearly)))
            let call = Task { () async throws -> Void in
                if changesPlan {
                    #expect(outcome(await service.purchase(productID: "pro.monthly")) == .pending(.noAnswer))
                } else {
                    #expect(try await !service.evidence().isStoreReachable)
                }
            }
            await verifier.gate.arrived()
            harness.timer.advance(by: deadlines.verificationMilliseconds)
            let others = Task {
                await verifier.gate.arrived(2)
                await verifier.gate.open()
            }
            try await call.value
            #expect(await verifier.gate.arrivals == 1)
            // A later refresh works at once.
            let later = Task { try await service.evidence() }
            await others.value
            #expect(try await later.value.isStoreReachable)
        }
    }

    @Test(
        "a restore with a verifier or a ledger that hangs ends after a few deadlines, for any number of transactions")
    func restore() async throws {
        for hangsVerifier in [true, false] {
            let harness = ServiceHarness()
            for number in 0..<200 {
                await harness.store.remember(harness.verifier.sign(Sample.payload("\(number)", "coins")))
            }
            let verifier = HangingVerifier(base: harness.verifier)
            let ledger = HookedLedger(
                base: harness.ledger,
                before: { step in if !hangsVerifier, step == .record { await verifier.gate.pass() } })
            let service = PurchaseService(
                store: harness.store, ledger: ledger,
                verifier: hangsVerifier ? verifier : harness.verifier as any TransactionVerifying,
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            let ended = Gate()
            await ended.open()
            let restore = Task {
                let history = try await service.requestAllPurchaseHistory()
                await ended.pass()
                return history
            }
            for round in 1...Int.max {
                guard await ended.arrivals == 0, !Task.isCancelled else { break }
                if round.isMultiple(of: 100) { harness.timer.advance(by: deadlines.verificationMilliseconds) }
                await Task.yield()
            }
            let calls = await verifier.gate.arrivals
            await verifier.gate.open()
            let history = try await restore.value
            // The calls of one batch hang together; after their deadline, none is tried for the other transactions.
            #expect(calls <= (hangsVerifier ? 100 : 1), "it waits for each of the 200 transactions")
            #expect(hangsVerifier ? history.rejected.count == 200 : history.notRecorded == 200)
        }
    }

    @Test("the system's timer ends a wait that is cancelled, of any length")
    func systemTimer() async {
        for length in [Int64.max, 1_000_000, 0, .min] {
            let wait = SystemTimer().start(milliseconds: length)
            wait.cancel()
            await wait.value
        }
        await SystemTimer().start(milliseconds: 1).value
    }
}

/// A fulfiller that hangs for coins, and does nothing for other products.
private struct HangingFulfiller: PurchaseFulfilling {
    let gate = Gate()

    func fulfil(_ order: FulfilmentOrder) async throws {
        if order.transaction.productID == "coins" { await gate.pass() }
    }
}

/// A fulfiller whose first call ends only when it is cancelled.
private struct EndlessFulfiller: PurchaseFulfilling {
    let calls = Gate()

    func fulfil(_ order: FulfilmentOrder) async throws {
        await calls.pass()
        guard await calls.arrivals == 1 else { return }
        await untilCancelled()
        throw CancellationError()
    }
}

/// A verifier whose calls end only when they are cancelled.
private struct EndlessVerifier: TransactionVerifying {
    let base: ScriptedVerifier
    let begun = Gate()
    let cancelled = Gate()

    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        await begun.pass()
        await untilCancelled()
        await cancelled.pass()
        return base.verifyTransaction(jws, at: now)
    }

    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        base.verifyRenewalInfo(jws, at: now)
    }
}

/// Suspends the current task until it is cancelled.
private func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    continuation.finish()
}

/// A verifier that hangs for renewal infos.
private struct HangingRenewals: TransactionVerifying {
    let gate = Gate()
    let base: ScriptedVerifier

    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> { base.verifyTransaction(jws, at: now) }

    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        await gate.pass()
        return base.verifyRenewalInfo(jws, at: now)
    }
}

private struct HangingVerifier: TransactionVerifying {
    let gate = Gate()
    let base: ScriptedVerifier

    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        await gate.pass()
        return base.verifyTransaction(jws, at: now)
    }

    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        base.verifyRenewalInfo(jws, at: now)
    }
}
