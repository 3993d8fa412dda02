import ReceiptTypes
import Testing

@testable import PurchaseCore

/// Two services over one ledger, such as an app and its extension.
@Suite("Shared ledger", .timeLimit(.minutes(15)))
struct SharedLedgerTests {
    /// A fulfiller that counts its orders, and suspends the first one until a gate is opened.
    private actor SlowFulfiller: PurchaseFulfilling {
        let gate: Gate
        private(set) var orderCount = 0

        init(gate: Gate) {
            self.gate = gate
        }

        func fulfil(_ order: FulfilmentOrder) async throws {
            orderCount += 1
            if orderCount == 1 { await gate.pass() }
        }
    }

    private func service(
        _ harness: ServiceHarness, _ fulfiller: SlowFulfiller, _ deadlines: PurchaseDeadlines = PurchaseDeadlines()
    ) -> PurchaseService {
        PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier, fulfiller: fulfiller,
            deadlines: deadlines,
            environment: harness.environment)
    }

    @Test("two services over one ledger hand a purchase over once")
    func once() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let fulfiller = SlowFulfiller(gate: gate)
        func service() -> PurchaseService {
            PurchaseService(
                store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
                fulfiller: fulfiller, environment: harness.environment)
        }
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        let (first, second) = (service(), service())
        let running = Task { await first.resumeUnfinishedPurchases() }
        await gate.arrived()
        await second.resumeUnfinishedPurchases()
        #expect(await harness.store.finished.isEmpty)
        #expect(await fulfiller.orderCount == 1)
        #expect(harness.log.kinds.contains(.notFulfilled))
        await gate.open()
        await running.value
        await second.resumeUnfinishedPurchases()
        #expect(await fulfiller.orderCount == 1)
        #expect(Set(await harness.store.finished) == ["1"])
        #expect(try await harness.stages().values.map(\.self) == [.finished])
    }

    @Test("a purchase is handed over once although another service records a newer signature of it meanwhile")
    func newerSignature() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let fulfiller = SlowFulfiller(gate: gate)
        let first = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
            fulfiller: fulfiller, environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        let running = Task { await first.resumeUnfinishedPurchases() }
        await gate.arrived()
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins", signed: Sample.at(1))))
        await harness.service.resumeUnfinishedPurchases()
        await gate.open()
        await running.value
        harness.clock.set(Sample.at(day: 1))
        for service in [first, harness.service] { await service.resumeUnfinishedPurchases() }
        #expect(await fulfiller.orderCount == 1)
        #expect(await harness.fulfiller.orders.isEmpty)
        #expect(try await harness.stages().values.map(\.self) == [.finished])
    }

    @Test("twenty services over one ledger hand each of ten purchases over once")
    func many() async throws {
        let harness = ServiceHarness()
        for number in 0..<10 {
            await harness.store.deliver(harness.verifier.sign(Sample.payload("\(number)", "coins")))
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                let service = harness.restarted()
                group.addTask { await service.resumeUnfinishedPurchases() }
            }
        }
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.orders.count == 10)
        #expect(await harness.fulfiller.balance == 10)
        #expect(await harness.store.unfinished.isEmpty)
    }

    @Test("a purchase and its refund that another service has recorded first reach the handlers of this one, each once")
    func recordedElsewhere() async throws {
        let harness = ServiceHarness()
        let helper = harness.restarted()
        let bought = harness.verifier.sign(Sample.payload("1", "pro.lifetime"))
        let refunded = harness.verifier.sign(
            Sample.payload("1", "pro.lifetime", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) })
        let results = await harness.listening {
            for version in [bought, refunded] {
                await harness.store.remember(version)
                _ = try? await helper.requestAllPurchaseHistory()
                for _ in 0..<2 { harness.store.send(.transaction(version)) }
            }
        }
        let versions = results.compactMap(\.verifiedPayload)
        #expect(versions.count == 2 && Set(versions.map(\.isRevoked)) == [false, true])
        #expect(harness.log.kinds.filter { $0 == .recorded }.count == 2, "this service has recorded nothing")
    }

    @Test("a sale whose transaction another service records first is a success", arguments: ["coins", "template.a"])
    func soldHereRecordedThere(productID: String) async throws {
        let harness = ServiceHarness()
        let signed = harness.verifier.sign(Sample.payload("1", productID))
        await harness.store.answer(productID, .success(.success(signed)))
        let gate = Gate()
        await harness.store.hold(gate)
        let purchase = Task { await harness.service.purchase(productID: productID) }
        await gate.arrived()
        await harness.store.deliver(signed)
        await harness.restarted().resumeUnfinishedPurchases()
        let (ids, handled) = AsyncStream.makeStream(of: String.self)
        let listener = harness.service.listenForTransactions { handled.yield($0.verifiedPayload?.id ?? "") }
        await harness.store.deliver(harness.verifier.sign(Sample.payload("0", "template.b")))
        #expect(await ids.first { _ in true } == "0", "the listener runs")
        await gate.open()
        #expect(PurchaseResultMapping.outcome(of: await purchase.value) == .success)
        #expect(await ids.first { _ in true } == "1")
        harness.store.endUpdates()
        await listener.value
        #expect(await harness.fulfiller.orders.count == 2)
    }

    @Test("a purchase that another service hands over just before it is recorded and claimed is not handed over again")
    func handedOverBeforeClaim() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await simulator.interrupt(before: "ledger.record") {
            await harness.service.resumeUnfinishedPurchases()
        }
        await service.resumeUnfinishedPurchases()
        #expect(await simulator.steps.contains("after ledger.record"))
        #expect(await harness.fulfiller.orders.count == 1)
        #expect(try await harness.stages().values.map(\.self) == [.finished])
    }

    @Test("an entry that another service merges before it is recorded is recorded at once, and not as a failure")
    func mergedBeforeRecord() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller, environment: harness.environment)
        let first = harness.verifier.sign(Sample.payload("1", "coins"))
        let newer = harness.verifier.sign(Sample.payload("1", "coins", signed: Sample.at(1)))
        await simulator.interrupt(before: "ledger.record") {
            await harness.store.remember(newer)
            _ = try? await harness.service.requestAllPurchaseHistory()
        }
        await harness.store.answer("coins", .success(.success(first)))
        let result = await service.purchase(productID: "coins")
        #expect(PurchaseResultMapping.outcome(of: result) == .success)
        #expect(!harness.log.kinds.contains(.ledgerFailed))
        #expect(try await harness.ledger.entries().map(\.transaction.signedText) == [newer.signedText])
        #expect(await harness.fulfiller.orders.count == 1)
    }

    @Test("a claim with damaged times ends as early as one of the service")
    func longestClaim() async throws {
        #expect(FulfilmentClaim.longestMilliseconds == PurchaseService.claimDurationMilliseconds)
        for (start, end) in [(Timestamp.minimum, Timestamp.maximum), (Sample.at(0), .maximum), (.maximum, .maximum)] {
            let harness = ServiceHarness()
            let signed = harness.verifier.sign(Sample.payload("1", "coins"))
            let key = try Sample.transaction("1", "coins").purchaseKey
            #expect(try await harness.ledger.claimFulfilment(of: key, from: start, until: end) != nil)
            await harness.store.deliver(signed)
            harness.clock.set(Sample.at(PurchaseService.claimDurationMilliseconds + 1))
            await harness.service.resumeUnfinishedPurchases()
            #expect(await harness.fulfiller.orders.count == 1)
        }
    }

    @Test("a service whose clock is behind the start of a claim leaves the purchase alone")
    func clockBehind() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let fulfiller = SlowFulfiller(gate: gate)
        let first = service(harness, fulfiller)
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        let running = Task { await first.resumeUnfinishedPurchases() }
        await gate.arrived()
        for time in [-1, -PurchaseService.claimDurationMilliseconds] {
            harness.clock.set(Sample.at(time))
            await service(harness, fulfiller).resumeUnfinishedPurchases()
            #expect(await fulfiller.orderCount == 1, "\(time) ms")
        }
        await gate.open()
        await running.value
        #expect(await harness.store.finished == ["1"])
    }

    @Test("a fulfiller that takes longer than a claim is called once, because its service renews the claim")
    func renewed() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let fulfiller = SlowFulfiller(gate: gate)
        let first = service(harness, fulfiller, PurchaseDeadlines(fulfilmentMilliseconds: 1_000_000_000))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        let running = Task { await first.resumeUnfinishedPurchases() }
        await gate.arrived()
        let pause = PurchaseService.claimDurationMilliseconds / 4
        for number in 1...12 {
            await harness.timer.started(pause, count: number)
            harness.clock.set(Sample.at(Int64(number) * pause))
            harness.timer.advance(by: pause)
        }
        await harness.timer.started(pause, count: 13)
        await service(harness, fulfiller).resumeUnfinishedPurchases()
        #expect(await fulfiller.orderCount == 1)
        await gate.open()
        await running.value
        #expect(await harness.store.finished == ["1"])
    }

    @Test(
        "a claim that waits in a queue for longer than a claim lasts is decided and dated when it is made",
        arguments: [true, false])
    func lateClaim(isClaimedMeanwhile: Bool) async throws {
        let harness = ServiceHarness()
        let (queue, server) = (Gate(), Gate())
        let fulfiller = SlowFulfiller(gate: server)
        let ledger = HookedLedger(
            base: harness.ledger,
            before: { (step) throws(LedgerError) in if step == .claim { await queue.pass() } })
        let late = PurchaseService(
            store: harness.store, ledger: ledger, verifier: harness.verifier, fulfiller: fulfiller,
            environment: harness.environment)
        let key = try Sample.transaction("1", "coins").purchaseKey
        // The claim of a killed service, which is over.
        #expect(try await harness.ledger.claimFulfilment(of: key, from: Sample.at(0), until: Sample.at(0)) != nil)
        harness.clock.set(Sample.at(1))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        let running = Task { await late.resumeUnfinishedPurchases() }
        await queue.arrived()
        let now = Sample.at(5 * PurchaseService.claimDurationMilliseconds)
        harness.clock.set(now)
        let other =
            isClaimedMeanwhile ? try await harness.ledger.claimFulfilment(of: key, from: now, until: .maximum) : nil
        await queue.open()
        if isClaimedMeanwhile { await running.value } else { await server.arrived() }
        let claim = try await harness.ledger.claim(of: key)
        #expect(claim?.start == now)
        #expect(other == nil || claim == other)
        #expect(await fulfiller.orderCount == (isClaimedMeanwhile ? 0 : 1))
        await server.open()
        await running.value
    }

    @Test("a renewal that waits in a queue begins the claim again when it is made")
    func lateRenewal() async throws {
        let harness = ServiceHarness()
        let (queue, server) = (Gate(), Gate())
        let ledger = HookedLedger(
            base: harness.ledger,
            before: { (step) throws(LedgerError) in if step == .renewClaim { await queue.pass() } })
        let service = PurchaseService(
            store: harness.store, ledger: ledger, verifier: harness.verifier, fulfiller: SlowFulfiller(gate: server),
            environment: harness.environment)
        let key = try Sample.transaction("1", "coins").purchaseKey
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        let running = Task { await service.resumeUnfinishedPurchases() }
        await server.arrived()
        let pause = PurchaseService.claimDurationMilliseconds / 4
        await harness.timer.started(pause)
        harness.timer.advance(by: pause)
        await queue.arrived()
        let now = Sample.at(2 * pause)
        harness.clock.set(now)
        await queue.open()
        await harness.timer.started(pause, count: 2)
        #expect(try await harness.ledger.claim(of: key)?.start == now)
        await server.open()
        await running.value
    }

    @Test("the claim of a killed service ends after a minute, however long its fulfiller was allowed to take")
    func killedInALongOrder() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let killed = service(
            harness, SlowFulfiller(gate: gate), PurchaseDeadlines(fulfilmentMilliseconds: 1_000_000_000_000))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        // Its timer stands still from here on, so it renews nothing.
        let running = Task { await killed.resumeUnfinishedPurchases() }
        await gate.arrived()
        harness.clock.set(Sample.at(PurchaseService.claimDurationMilliseconds + 1))
        await harness.service.resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.orders.count == 1)
        #expect(await harness.store.finished == ["1"])
        await gate.open()
        await running.value
    }

    @Test("a service whose claim was replaced neither ends the later claim nor overwrites what it has recorded")
    func replacedClaim() async throws {
        let ledger = InMemoryLedger()
        let verifier = ScriptedVerifier()
        let signed = verifier.sign(Sample.payload("1", "coins"))
        let transaction = try Sample.transaction("1", "coins")
        let key = transaction.purchaseKey
        _ = try await ledger.observe(signed, from: .update, at: Sample.at(0))
        _ = try await ledger.markVerified(transaction, signedText: signed.signedText)
        _ = try await ledger.record(transaction, signedText: signed.signedText, for: nil)
        func claim(at time: Int64) async throws -> FulfilmentClaim? {
            try await ledger.claimFulfilment(of: key, from: Sample.at(time), until: Sample.at(time + 10))
        }
        let first = try #require(try await claim(at: 0))
        // A claim that has ended by the clock is renewed as long as no other one has replaced it.
        let renewed = try await ledger.renew(first, from: Sample.at(20), until: Sample.at(30))
        #expect(renewed == FulfilmentClaim(key: key, number: first.number, start: Sample.at(20), end: Sample.at(30)))
        #expect(try await claim(at: 30) == nil)
        let second = try #require(try await claim(at: 31))
        #expect(try await ledger.renew(first, from: Sample.at(31), until: Sample.at(41)) == nil)
        try await ledger.release(first)
        await #expect(throws: LedgerError(.claimLost, "")) {
            try await ledger.markGranted(
                signedText: signed.signedText, .granted(productID: "coins", quantity: 1), under: first)
        }
        #expect(try await ledger.entries().map(\.stage) == [.recorded])
        #expect(try await ledger.fulfilment(of: key) == nil)
        #expect(try await claim(at: 41) == nil, "the second claim is in force")
        try await ledger.markGranted(
            signedText: signed.signedText, .granted(productID: "coins", quantity: 1), under: second)
        let third = try #require(try await claim(at: 41))
        // The repetition of a call whose effect is stored succeeds, and leaves the claim of another service alone.
        try await ledger.markGranted(
            signedText: signed.signedText, .granted(productID: "coins", quantity: 1), under: second)
        #expect(try await claim(at: 41) == nil)
        await #expect(throws: LedgerError(.claimLost, "")) {
            try await ledger.markGranted(signedText: signed.signedText, .revoked, under: second)
        }
        try await ledger.release(third)
        #expect(try await ledger.renew(third, from: Sample.at(41), until: Sample.at(51)) == nil)
    }

    @Test("the claim of a killed service ends after a minute, and at once if the clock is set back by more than that")
    func killed() async throws {
        for time in [PurchaseService.claimDurationMilliseconds + 1, -PurchaseService.claimDurationMilliseconds - 1] {
            let harness = ServiceHarness()
            let signed = harness.verifier.sign(Sample.payload("1", "coins"))
            let key = try Sample.transaction("1", "coins").purchaseKey
            let end = Sample.at(PurchaseService.claimDurationMilliseconds)
            #expect(try await harness.ledger.claimFulfilment(of: key, from: Sample.at(0), until: end) != nil)
            await harness.store.deliver(signed)
            await harness.service.resumeUnfinishedPurchases()
            harness.clock.set(end)
            await harness.service.resumeUnfinishedPurchases()
            #expect(await harness.fulfiller.orders.isEmpty)
            harness.clock.set(Sample.at(time))
            await harness.service.resumeUnfinishedPurchases()
            #expect(await harness.fulfiller.orders.count == 1)
            #expect(await harness.store.finished == ["1"])
        }
    }

    @Test("a purchase that a killed process has granted is taken back after its refund, although no grant was recorded")
    func refundAfterKill() async throws {
        for wasGranted in [true, false] {
            let harness = ServiceHarness()
            let simulator = CrashSimulator(crashingAt: .max)
            await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
            let killed = PurchaseService(
                store: harness.store, ledger: CrashingLedger(harness.ledger, simulator),
                verifier: harness.verifier,
                fulfiller: KilledFulfiller(base: harness.fulfiller, simulator: simulator, grants: wasGranted),
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            await killed.resumeUnfinishedPurchases()
            #expect(await harness.fulfiller.balance == (wasGranted ? 1 : 0))
            harness.clock.set(Sample.at(day: 1))
            // A repeated order that fails says nothing about the first one.
            await harness.fulfiller.setReachable(false)
            await harness.restarted().resumeUnfinishedPurchases()
            await harness.fulfiller.setReachable(true)
            await harness.store.deliver(
                harness.verifier.sign(
                    Sample.payload("1", "coins", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) }))
            await harness.restarted().resumeUnfinishedPurchases()
            #expect(await harness.fulfiller.balance == 0)
            #expect(await harness.fulfiller.orders.last?.fulfilment == .revoked)
            #expect(await harness.store.unfinished.isEmpty)
        }
    }

    /// A fulfiller whose process is killed before it returns.
    private struct KilledFulfiller: PurchaseFulfilling {
        let base: FulfilmentRecorder
        let simulator: CrashSimulator
        /// Whether the order is carried out before.
        let grants: Bool
        var killedAt = Fulfilment.granted

        func fulfil(_ order: FulfilmentOrder) async throws {
            guard order.fulfilment == killedAt else { return try await base.fulfil(order) }
            if grants { try await base.fulfil(order) }
            await simulator.crash()
        }
    }

    @Test("a process that is killed between a repeated grant and the revocation leaves the revocation to the next one")
    func killedBeforeRevocation() async throws {
        let harness = ServiceHarness()
        /// Runs a process until an order is given that kills it.
        func runUntilKilled(at fulfilment: Fulfilment, grants: Bool) async {
            let simulator = CrashSimulator(crashingAt: .max)
            let service = PurchaseService(
                store: harness.store, ledger: CrashingLedger(harness.ledger, simulator),
                verifier: harness.verifier,
                fulfiller: KilledFulfiller(
                    base: harness.fulfiller, simulator: simulator, grants: grants, killedAt: fulfilment),
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            await service.resumeUnfinishedPurchases()
        }
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await runUntilKilled(at: .granted, grants: true)
        harness.clock.set(Sample.at(day: 1))
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("1", "coins", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) }))
        await runUntilKilled(at: .revoked, grants: false)
        #expect(await harness.fulfiller.balance == 1)
        harness.clock.set(Sample.at(day: 2))
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.balance == 0)
        #expect(await harness.fulfiller.orders.last?.fulfilment == .revoked)
        #expect(await harness.store.unfinished.isEmpty)
    }

    @Test("a refund that one service records while another one grants the purchase is carried out after the grant")
    func refundMeanwhile() async throws {
        // While the claim of the grant is in force, and after its end.
        for day in [0, 1] {
            let harness = ServiceHarness()
            let gate = Gate()
            let fulfiller = SlowWallet(base: harness.fulfiller, gate: gate)
            func service() -> PurchaseService {
                PurchaseService(
                    store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
                    fulfiller: fulfiller,
                    environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            }
            let (first, second) = (service(), service())
            await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
            let running = Task { await first.resumeUnfinishedPurchases() }
            await gate.arrived()
            harness.clock.set(Sample.at(day: day))
            await harness.store.deliver(
                harness.verifier.sign(
                    Sample.payload("1", "coins", signed: Sample.at(1)) { $0.revocationDate = Sample.at(1) }))
            await second.resumeUnfinishedPurchases()
            await gate.open()
            await running.value
            for service in [first, second] { await service.resumeUnfinishedPurchases() }
            #expect(await harness.fulfiller.balance == 0, "day \(day)")
            #expect(await harness.fulfiller.orders.last?.fulfilment == .revoked, "day \(day)")
            #expect(await harness.store.unfinished.isEmpty)
        }
    }

    /// A wallet that suspends its first order, before it carries it out, until a gate is opened.
    private actor SlowWallet: PurchaseFulfilling {
        private let base: FulfilmentRecorder
        private let gate: Gate
        private var isFirst = true

        init(base: FulfilmentRecorder, gate: Gate) {
            self.base = base
            self.gate = gate
        }

        func fulfil(_ order: FulfilmentOrder) async throws {
            if isFirst {
                isFirst = false
                await gate.pass()
            }
            try await base.fulfil(order)
        }
    }

    @Test("a fulfilment that fails releases its claim, and only that one")
    func release() async throws {
        let harness = ServiceHarness()
        await harness.fulfiller.setReachable(false)
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await harness.service.resumeUnfinishedPurchases()
        await harness.fulfiller.setReachable(true)
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.balance == 1)
        let ledger = InMemoryLedger()
        let key = try Sample.transaction("1", "coins").purchaseKey
        let first = try #require(try await ledger.claimFulfilment(of: key, from: Sample.at(0), until: Sample.at(1)))
        #expect(try await ledger.claimFulfilment(of: key, from: Sample.at(1), until: Sample.at(2)) == nil)
        let second = try #require(try await ledger.claimFulfilment(of: key, from: Sample.at(2), until: Sample.at(3)))
        try await ledger.release(first)
        #expect(try await ledger.claimFulfilment(of: key, from: Sample.at(3), until: Sample.at(4)) == nil)
        try await ledger.release(second)
        #expect(try await ledger.claimFulfilment(of: key, from: Sample.at(3), until: Sample.at(4)) != nil)
    }

    @Test("twenty services over one ledger that wait for approvals at once lose none of them, and no clock mark")
    func memory() async throws {
        let harness = ServiceHarness()
        let products = (0..<20).map { "template.\($0)" }
        for product in products { await harness.store.answer(product, .success(.pending)) }
        let latest = harness.verifier.sign(Sample.payload("1", "coins", signed: Sample.at(7)))
        // Other services run between any two calls, as with a ledger on disk.
        let ledger = CrashingLedger(harness.ledger, CrashSimulator(crashingAt: .max, yields: true))
        await withTaskGroup(of: Void.self) { group in
            for (number, product) in products.enumerated() {
                let service = PurchaseService(
                    store: harness.store, ledger: ledger, verifier: harness.verifier, fulfiller: harness.fulfiller,
                    environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
                group.addTask {
                    if number == 10 { _ = await service.ingest(latest, from: .update) }
                    _ = await service.purchase(productID: product)
                }
            }
        }
        #expect(Set(try await harness.service.pendingPurchases().map(\.productID)) == Set(products))
        #expect(try await harness.ledger.memory().clock.signed == Sample.at(7))
    }

    @Test("an absence that one service confirms stays confirmed although another has read it before")
    func absences() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.switchCustomer()
        let gate = Gate()
        await harness.store.hold(gate, at: .history)
        let refresh = Task { try await harness.service.evidence() }
        await gate.arrived()
        await harness.store.hold(nil, at: .history)
        #expect(try await harness.restarted().requestAllPurchaseHistory().isEmpty)
        #expect(try await harness.ledger.memory().absences.map(\.isConfirmed) == [true])
        await gate.open()
        _ = try await refresh.value
        #expect(try await harness.ledger.memory().absences.map(\.isConfirmed) == [true])
        #expect(try await harness.entitlements().denials == ["template.a": .notListedByStore])
    }
}

extension PurchaseLedger {
    /// Returns the stored claim of a purchase.
    fileprivate func claim(of key: PurchaseKey) async throws(LedgerError) -> FulfilmentClaim? {
        try await read(.readPurchase) { (rows) throws(LedgerError) in try rows.claim(of: key) }
    }
}
