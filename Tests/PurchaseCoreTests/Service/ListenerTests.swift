import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Listener")
struct ListenerTests {
    @Test(
        "[PSE-8] [defect 1] the listener processes the next transaction after any kind of delivery",
        arguments: ["forged", "revoked", "expired", "upgraded", "incomplete", "unknown product", "conflict", "status"])
    func survives(kind: String) async throws {
        let harness = ServiceHarness()
        let verifier = harness.verifier
        let results = await harness.listening {
            switch kind {
            case "forged": await harness.store.deliver(verifier.forge(Sample.payload("1", "pro.yearly")))
            case "revoked":
                await harness.store.deliver(
                    verifier.sign(Sample.payload("1", "pro.yearly") { $0.revocationDate = Sample.at(1) }))
            case "expired":
                await harness.store.deliver(verifier.sign(Sample.payload("1", "pro.yearly", expires: Sample.at(-1))))
            case "upgraded":
                await harness.store.deliver(verifier.sign(Sample.payload("1", "pro.yearly") { $0.isUpgraded = true }))
            case "incomplete":
                await harness.store.deliver(verifier.sign(Sample.payload("1", "pro.yearly") { $0.productId = nil }))
            case "unknown product": await harness.store.deliver(verifier.sign(Sample.payload("1", "not.in.catalog")))
            case "conflict":
                await harness.store.deliver(verifier.sign(Sample.payload("1", "coins")))
                await harness.store.deliver(verifier.sign(Sample.payload("1", "gems")))
            default:
                harness.store.send(
                    .subscriptionStatus(
                        SignedSubscriptionStatus(
                            transaction: verifier.forge(Sample.payload("1", "pro.yearly")), renewalInfoJWS: "forged")))
            }
            await harness.store.deliver(verifier.sign(Sample.payload("2", "template.a")))
        }
        #expect(results.contains { $0.verifiedPayload?.id == "2" })
        #expect(try await harness.entitlements().templates == [TemplateID(rawValue: "A")])
        #expect(await harness.store.finished.contains("2"))
    }

    @Test("[PSE-8] [defect 5] an unverified transaction does not stop the others")
    func poison() async throws {
        let harness = ServiceHarness()
        await harness.store.deliver(harness.verifier.forge(Sample.payload("1", "pro.yearly")))
        for number in 2..<6 {
            await harness.store.deliver(harness.verifier.sign(Sample.payload("\(number)", "coins")))
        }
        await harness.service.resumeUnfinishedPurchases()
        #expect(await harness.store.finished.sorted() == ["2", "3", "4", "5"])
        #expect(await harness.store.unfinished.map(\.transactionID) == ["1"])
        #expect(try await harness.entitlements().balances == ["coins": 4])
    }

    /// A fulfiller that suspends for one purchase until a gate is opened.
    private struct SlowFulfiller: PurchaseFulfilling {
        let gate: Gate

        func fulfil(_ order: FulfilmentOrder) async throws {
            if order.transaction.id == "slow" { await gate.pass() }
        }
    }

    @Test("[defect 5] a suspended delivery does not delay the others, at launch or later")
    func hanging() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
            fulfiller: SlowFulfiller(gate: gate),
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now)
        )
        await harness.store.deliver(harness.verifier.sign(Sample.payload("slow", "coins")))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        let (ids, handled) = AsyncStream.makeStream(of: String.self)
        let listener = service.listenForTransactions { result in
            if let id = result.verifiedPayload?.id { handled.yield(id) }
        }
        await gate.arrived()
        await harness.store.deliver(harness.verifier.sign(Sample.payload("2", "coins")))
        var waiting: Set = ["1", "2"]
        for await id in ids {
            waiting.remove(id)
            if waiting.isEmpty { break }
        }
        #expect(await !harness.store.finished.contains("slow"))
        await gate.open()
        harness.store.endUpdates()
        await listener.value
        #expect(await harness.store.finished.sorted() == ["1", "2", "slow"])
    }

    @Test("[defect 5] an update whose handler is suspended does not delay the next update", .timeLimit(.minutes(15)))
    func concurrentUpdates() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let (ids, handled) = AsyncStream.makeStream(of: String.self)
        let listener = harness.service.listenForTransactions { result in
            let id = result.verifiedPayload?.id ?? ""
            if id == "slow" { await gate.pass() }
            handled.yield(id)
        }
        harness.store.send(.transaction(harness.verifier.sign(Sample.payload("slow", "coins"))))
        await gate.arrived()
        harness.store.send(.transaction(harness.verifier.sign(Sample.payload("fast", "coins"))))
        #expect(await ids.first { _ in true } == "fast")
        await gate.open()
        harness.store.endUpdates()
        await listener.value
        #expect(await harness.store.finished.sorted() == ["fast", "slow"])
    }

    private struct HeldFulfiller: PurchaseFulfilling {
        let gate: Gate
        func fulfil(_ order: FulfilmentOrder) async throws { await gate.pass() }
    }

    @Test(
        "a refund that arrives while its purchase is handed over is logged, and moves the clock marks",
        .timeLimit(.minutes(15)))
    func refundDuringHandOver() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
            fulfiller: HeldFulfiller(gate: gate), environment: harness.environment)
        let purchase = Task { await service.purchase(productID: "coins") }
        await gate.arrived()
        await harness.store.remember(
            harness.verifier.sign(
                Sample.payload("sale-1", "coins", signed: Sample.at(1)) { $0.revocationDate = Sample.at(1) }))
        let restore = Task { try await service.requestAllPurchaseHistory() }
        while harness.log.kinds.count(where: { $0 == .recorded }) < 2, !Task.isCancelled { await Task.yield() }
        await gate.open()
        _ = await purchase.value
        #expect(try await restore.value.restored.count == 1)
        #expect(try await service.evidence().clock.signed == Sample.at(1))
    }

    @Test("an update whose fulfilment is suspended does not delay the next update", .timeLimit(.minutes(15)))
    func updateDuringHandOver() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
            fulfiller: HeldFulfiller(gate: gate),
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let (ids, handled) = AsyncStream.makeStream(of: String.self)
        let listener = service.listenForTransactions { handled.yield($0.verifiedPayload?.id ?? "") }
        harness.store.send(.transaction(harness.verifier.sign(Sample.payload("1", "coins"))))
        await gate.arrived()
        harness.store.send(.transaction(harness.verifier.sign(Sample.payload("2", "template.a"))))
        #expect(await ids.first { $0 == "2" } != nil)
        await gate.open()
        harness.store.endUpdates()
        await listener.value
        #expect(await harness.store.finished.sorted() == ["1", "2"])
    }

    @Test("a resumed purchase reaches the handler although the fulfiller has not answered", .timeLimit(.minutes(15)))
    func handledBeforeHandOver() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        let service = PurchaseService(
            store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
            fulfiller: HeldFulfiller(gate: gate),
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "template.a")))
        let (ids, handled) = AsyncStream.makeStream(of: String.self)
        let listener = service.listenForTransactions { handled.yield($0.verifiedPayload?.id ?? "") }
        await gate.arrived()
        #expect(await ids.first { _ in true } == "1")
        #expect(await harness.store.finished.isEmpty)
        await gate.open()
        harness.store.endUpdates()
        await listener.value
        #expect(await harness.store.finished == ["1"])
    }

    @Test("a granted entry is not closed as finished while the store does not answer what is unfinished")
    func notSettledOffline() async throws {
        let harness = ServiceHarness()
        await harness.store.failToFinish(StoreError(.network, "down"))
        _ = await harness.service.purchase(productID: "coins")
        await harness.store.fail(StoreError(.network, "down"))
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(try await harness.stages().values.map(\.self) == [.granted])
        await harness.store.fail(nil)
        await harness.store.failToFinish(nil)
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await harness.store.finished == ["sale-1"])
        #expect(try await harness.stages().values.map(\.self) == [.finished])
    }

    @Test("[PSE-8] [defect 3] a purchase that cannot be handed over stays unfinished until a later launch succeeds")
    func networkDown() async throws {
        let harness = ServiceHarness()
        await harness.fulfiller.setReachable(false)
        let result = await harness.service.purchase(productID: "coins")
        #expect(PurchaseResultMapping.outcome(of: result) == .pending(.notHandedOver))
        #expect(await harness.store.finished.isEmpty)
        #expect(await harness.store.unfinished.count == 1)
        #expect(harness.log.kinds.contains(.notFulfilled))
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await harness.store.finished.isEmpty)
        await harness.fulfiller.setReachable(true)
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await harness.store.finished == ["sale-1"])
        #expect(await harness.fulfiller.balance == 1)
        #expect(try await harness.entitlements().balances == ["coins": 1])
    }

    @Test("[PSE-8] a transaction that could not be finished is finished at the next launch")
    func finishFails() async throws {
        let harness = ServiceHarness()
        await harness.store.failToFinish(StoreError(.network, "down"))
        _ = await harness.service.purchase(productID: "coins")
        #expect(try await harness.stages().values.map(\.self) == [.granted])
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(try await harness.stages().values.map(\.self) == [.granted], "the store still lists it as unfinished")
        await harness.store.failToFinish(nil)
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await harness.store.finished == ["sale-1"])
        #expect(await harness.fulfiller.orders.count == 1)
    }

    @Test("[PSE-8] a granted entry that the store no longer lists as unfinished is closed at the next launch")
    func finishedElsewhere() async throws {
        let harness = ServiceHarness()
        await harness.store.failToFinish(StoreError(.network, "down"))
        _ = await harness.service.purchase(productID: "coins")
        #expect(try await harness.stages().values.map(\.self) == [.granted])
        await harness.store.switchCustomer()
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(try await harness.stages().values.map(\.self) == [.finished])
        #expect(await harness.store.finished.isEmpty)
    }

    @Test("an entry in quarantine is not processed at a launch unless the store delivers it again")
    func quarantined() async throws {
        let harness = ServiceHarness()
        let forged = harness.verifier.forge(Sample.payload("1", "template.a"))
        await harness.store.deliver(forged)
        for isDelivered in [true, false] {
            if !isDelivered { await harness.store.switchCustomer() }
            let log = LogRecorder()
            let service = PurchaseService(
                store: harness.store, ledger: harness.ledger, verifier: harness.verifier,
                environment: PurchaseEnvironment(log: log, timer: harness.timer, clock: harness.clock.now))
            await service.resumeUnfinishedPurchases()
            #expect(log.kinds == (isDelivered ? [.unverified] : []))
        }
    }

    @Test("[PSE-8] a transaction that the store lists as unfinished although it was finished is finished again")
    func finishMissed() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "coins")
        let transaction = try #require(await harness.store.past["sale-1"])
        await harness.store.deliver(transaction)
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await harness.store.finished == ["sale-1", "sale-1"])
        #expect(await harness.store.unfinished.isEmpty)
        #expect(await harness.fulfiller.orders.count == 1)
    }

    @Test("[PSE-8] a transaction from every source counts once and is finished once")
    func duplicates() async throws {
        let harness = ServiceHarness()
        let transaction = harness.verifier.sign(Sample.payload("1", "coins"))
        await harness.store.answer("coins", .success(.success(transaction)))
        await harness.store.remember(transaction)
        let results = await harness.listening {
            for _ in 0..<20 { harness.store.send(.transaction(transaction)) }
            _ = await harness.service.purchase(productID: "coins")
            for _ in 0..<20 { harness.store.send(.transaction(transaction)) }
        }
        _ = try await harness.service.requestAllPurchaseHistory()
        #expect(results.count <= 1)
        #expect(await harness.store.finished == ["1"])
        #expect(await harness.fulfiller.orders.count == 1)
        #expect(await harness.fulfiller.balance == 1)
        #expect(try await harness.entitlements().balances == ["coins": 1])
    }

    @Test("[PSE-12] [defect 6] a refund with the id of its purchase ends access and is handled once")
    func refund() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        #expect(try await harness.entitlements().templates.count == 1)
        let refund = harness.verifier.sign(
            Sample.payload("sale-1", "template.a", signed: Sample.at(day: 1)) {
                $0.revocationDate = Sample.at(day: 1)
            })
        await harness.store.setEntitled([])
        let results = await harness.listening {
            for _ in 0..<5 { await harness.store.deliver(refund) }
        }
        #expect(results.compactMap(\.verifiedPayload).count == 1)
        #expect(await harness.fulfiller.orders.map(\.fulfilment) == [.granted, .revoked])
        #expect(try await harness.entitlements().templates.isEmpty)
        #expect(try await harness.entitlements().denials == ["template.a": .revoked])
    }

    @Test("[PSE-12] a reversed refund restores the purchase, and redelivered old versions change nothing")
    func reversal() async throws {
        let harness = ServiceHarness()
        let purchase = harness.verifier.sign(Sample.payload("1", "coins"))
        let refund = harness.verifier.sign(
            Sample.payload("1", "coins", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) })
        let reversal = harness.verifier.sign(Sample.payload("1", "coins", signed: Sample.at(day: 2)))
        for delivery in [purchase, refund, reversal, refund, purchase] {
            await harness.store.deliver(delivery)
            await harness.service.resumeUnfinishedPurchases()
        }
        #expect(await harness.fulfiller.orders.map(\.fulfilment) == [.granted, .revoked, .granted])
        #expect(await harness.fulfiller.balance == 1)
        #expect(try await harness.entitlements().balances == ["coins": 1])
    }

    @Test("[PSE-12] a refund that arrives before its purchase is one order without items, and nothing is granted")
    func refundFirst() async throws {
        let harness = ServiceHarness()
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("1", "coins", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) }))
        await harness.service.resumeUnfinishedPurchases()
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await harness.service.resumeUnfinishedPurchases()
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.orders.map(\.fulfilment) == [.revoked])
        #expect(await harness.fulfiller.orders.map(\.quantity) == [0])
        #expect(await harness.fulfiller.balance == 0)
        #expect(try await harness.entitlements().balances.isEmpty)
    }

    @Test("[defect 19] one billing event under two transaction ids is handed over once")
    func regrant() async throws {
        let harness = ServiceHarness()
        for id in ["1", "2"] {
            await harness.store.deliver(
                harness.verifier.sign(
                    Sample.payload(id, "pro.monthly", original: "1") { $0.webOrderLineItemId = "event" }))
        }
        await harness.service.resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.orders.count == 1)
        #expect(await harness.store.finished.sorted() == ["1", "2"])
        #expect(try await harness.entitlements().grounds[.pro]?.count == 1)
    }

    @Test("[PSE-8] [defect 18] a transaction is not finished while the ledger cannot be written")
    func ledgerDown() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        await simulator.setLedgerBroken(true)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now)
        )
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await service.resumeUnfinishedPurchases()
        #expect(await harness.store.finished.isEmpty)
        // A purchase that could not be recorded is not started.
        let result = PurchaseResultMapping.outcome(of: await service.purchase(productID: "gems"))
        #expect(
            result == .failed(PurchaseFlowError(.ledgerUnavailable, "", underlying: LedgerError(.notWritten, ""))))
        #expect(await harness.store.sales.isEmpty)
        await simulator.setLedgerBroken(false)
        await service.resumeUnfinishedPurchases()
        #expect(await harness.store.finished == ["1"])
        #expect(try await harness.entitlements(service).balances == ["coins": 1])
    }

    @Test("each of two listeners receives a renewal once, although the store delivers a transaction and a status")
    func twoListeners() async throws {
        let harness = ServiceHarness()
        let renewal = harness.verifier.sign(Sample.payload("2", "pro.monthly", original: "1"))
        let info = harness.verifier.sign(Sample.renewal("1", signed: Sample.at(0)))
        let second = ListenerRecorder()
        let listener = harness.service.listenForTransactions { await second.record($0) }
        let first = await harness.listening {
            harness.store.send(.transaction(renewal))
            harness.store.send(
                .subscriptionStatus(SignedSubscriptionStatus(transaction: renewal, renewalInfoJWS: info)))
            harness.store.send(.transaction(renewal))
        }
        await listener.value
        #expect(first.compactMap(\.verifiedPayload?.id) == ["2"])
        #expect(await second.results.compactMap(\.verifiedPayload?.id) == ["2"])
        #expect(harness.log.kinds.filter { $0 == .recorded }.count == 1)
    }

    @Test("a renewal that is switched off reaches each listener once")
    func renewalSwitchedOff() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "pro.monthly")
        let transaction = try #require(await harness.store.entitled["pro.monthly"])
        let info = harness.verifier.sign(Sample.renewal("sale-1", signed: Sample.at(1), renews: false))
        let second = ListenerRecorder()
        let listener = harness.service.listenForTransactions { await second.record($0) }
        let first = await harness.listening {
            harness.store.send(
                .subscriptionStatus(SignedSubscriptionStatus(transaction: transaction, renewalInfoJWS: info)))
        }
        await listener.value
        #expect(first.count == 1)
        #expect(await second.results.count == 1)
    }

    @Test("a subscription status whose transaction or renewal info cannot be recorded reaches no handler until it can")
    func statusNotRecorded() async throws {
        let harness = ServiceHarness()
        let isBroken = Shared(true)
        let ledger = HookedLedger(
            base: harness.ledger,
            before: { (step) throws(LedgerError) in
                if step == .record, isBroken.value { throw LedgerError(.notWritten, "the disk is full") }
            })
        let service = PurchaseService(
            store: harness.store, ledger: ledger, verifier: harness.verifier,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let status = SignedSubscriptionStatus(
            transaction: harness.verifier.sign(Sample.payload("1", "pro.yearly")),
            renewalInfoJWS: harness.verifier.sign(Sample.renewal("1", signed: Sample.at(1), renews: false)))
        let recorder = ListenerRecorder()
        for isExpected in [false, true] {
            isBroken.value = !isExpected
            let listener = service.listenForTransactions { await recorder.record($0) }
            harness.store.send(.subscriptionStatus(status))
            harness.store.endUpdates()
            await listener.value
            #expect(await recorder.results.isEmpty != isExpected)
        }
    }

    @Test("the handler of a cancelled listener is not called by the deliveries that it has left")
    func cancelledListener() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.hold(gate, at: .unfinished)
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await harness.store.deliver(harness.verifier.forge(Sample.payload("2", "coins")))
        let recorder = ListenerRecorder()
        let listener = harness.service.listenForTransactions { await recorder.record($0) }
        await gate.arrived()
        listener.cancel()
        await gate.open()
        let other = ListenerRecorder()
        let running = harness.service.listenForTransactions { await other.record($0) }
        harness.store.send(.transaction(harness.verifier.sign(Sample.payload("3", "coins"))))
        harness.store.endUpdates()
        await running.value
        await listener.value
        #expect(await recorder.results.isEmpty)
        #expect(await other.results.contains { $0.verifiedPayload?.id == "3" })
        #expect(await harness.store.finished.contains("1"), "what has arrived is processed")
    }

    @Test("a transaction that a refresh, a restore or a purchase records reaches the handler")
    func recordedElsewhere() async throws {
        let harness = ServiceHarness()
        await harness.store.setEntitled([harness.verifier.sign(Sample.payload("1", "template.a"))])
        await harness.store.remember(harness.verifier.sign(Sample.payload("2", "coins")))
        let results = try await harness.listening {
            _ = try await harness.service.evidence()
            _ = try await harness.service.requestAllPurchaseHistory()
            _ = await harness.service.purchase(productID: "gems")
        }
        #expect(Set(results.compactMap(\.verifiedPayload?.id)) == ["1", "2", "sale-1"])
        #expect(results.count == 3)
    }
}
