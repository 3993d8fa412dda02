import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Listener")
struct ListenerTests {
    @Test(
        "[PSE-8] [defect 1] after any kind of item the listener goes on",
        arguments: ["forged", "revoked", "expired", "upgraded", "incomplete", "unknown product", "conflict", "status"])
    func survives(kind: String) async throws {
        let bench = Bench()
        let verifier = bench.verifier
        let results = await bench.listening {
            switch kind {
            case "forged": await bench.store.deliver(verifier.forge(Sample.payload("1", "pro.yearly")))
            case "revoked":
                await bench.store.deliver(
                    verifier.sign(Sample.payload("1", "pro.yearly") { $0.revocationDate = Sample.at(1) }))
            case "expired":
                await bench.store.deliver(verifier.sign(Sample.payload("1", "pro.yearly", expires: Sample.at(-1))))
            case "upgraded":
                await bench.store.deliver(verifier.sign(Sample.payload("1", "pro.yearly") { $0.isUpgraded = true }))
            case "incomplete":
                await bench.store.deliver(verifier.sign(Sample.payload("1", "pro.yearly") { $0.productId = nil }))
            case "unknown product": await bench.store.deliver(verifier.sign(Sample.payload("1", "nobody.knows")))
            case "conflict":
                await bench.store.deliver(verifier.sign(Sample.payload("1", "coins")))
                await bench.store.deliver(verifier.sign(Sample.payload("1", "gems")))
            default:
                bench.store.send(
                    .subscriptionStatus(
                        SignedSubscriptionStatus(
                            transaction: verifier.forge(Sample.payload("1", "pro.yearly")), renewalInfoJWS: "forged")))
            }
            await bench.store.deliver(verifier.sign(Sample.payload("2", "template.a")))
        }
        #expect(results.contains { $0.verifiedPayload?.id == "2" })
        #expect(try await bench.entitlements().templates == [TemplateID(rawValue: "A")])
        #expect(await bench.store.finished.contains("2"))
    }

    @Test("[PSE-8] [defect 5] one item that cannot be dealt with does not stop the others")
    func poison() async throws {
        let bench = Bench()
        await bench.store.deliver(bench.verifier.forge(Sample.payload("1", "pro.yearly")))
        for number in 2..<6 {
            await bench.store.deliver(bench.verifier.sign(Sample.payload("\(number)", "coins")))
        }
        await bench.service.settle()
        #expect(await bench.store.finished.sorted() == ["2", "3", "4", "5"])
        #expect(await bench.store.unfinished.map(\.transactionID) == ["1"])
        #expect(try await bench.entitlements().balances == ["coins": 4])
    }

    /// A wallet that never answers for one purchase, until a gate is opened.
    private struct SlowWallet: PurchaseFulfilling {
        let gate: Gate

        func fulfil(_ order: FulfilmentOrder) async throws {
            if order.transaction.id == "slow" { await gate.pass() }
        }
    }

    @Test("[PSE-8] [defect 5] one item that hangs holds up no other, neither at the start nor later")
    func hanging() async throws {
        let bench = Bench()
        let gate = Gate()
        let service = PurchaseService(
            store: bench.store, journal: bench.journal, verifier: bench.verifier, fulfiller: SlowWallet(gate: gate),
            clock: bench.clock.now
        )
        await bench.store.deliver(bench.verifier.sign(Sample.payload("slow", "coins")))
        await bench.store.deliver(bench.verifier.sign(Sample.payload("1", "coins")))
        let (ids, told) = AsyncStream.makeStream(of: String.self)
        let listener = service.listenForTransactions { result in
            if let id = result.verifiedPayload?.id { told.yield(id) }
        }
        await gate.arrived()
        await bench.store.deliver(bench.verifier.sign(Sample.payload("2", "coins")))
        var waiting: Set = ["1", "2"]
        for await id in ids {
            waiting.remove(id)
            if waiting.isEmpty { break }
        }
        #expect(await !bench.store.finished.contains("slow"))
        await gate.open()
        bench.store.endUpdates()
        await listener.value
        #expect(await bench.store.finished.sorted() == ["1", "2", "slow"])
    }

    @Test("[PSE-8] [defect 3] while it cannot be handed over it stays unfinished, and the next start goes on")
    func networkDown() async throws {
        let bench = Bench()
        await bench.wallet.setReachable(false)
        let result = await bench.service.purchase(productID: "coins")
        #expect(PurchaseResultMapping.outcome(of: result) == .success)
        #expect(await bench.store.finished.isEmpty)
        #expect(await bench.store.unfinished.count == 1)
        #expect(bench.notes.kinds.contains(.notFulfilled))
        await bench.restarted().settle()
        #expect(await bench.store.finished.isEmpty)
        await bench.wallet.setReachable(true)
        await bench.restarted().settle()
        #expect(await bench.store.finished == ["sale-1"])
        #expect(await bench.wallet.balance == 1)
        #expect(try await bench.entitlements().balances == ["coins": 1])
    }

    @Test("[PSE-8] a store that cannot be told is told at the next start")
    func finishFails() async throws {
        let bench = Bench()
        await bench.store.failToFinish(StoreError(.network, "down"))
        _ = await bench.service.purchase(productID: "coins")
        #expect(await bench.stages().values.map(\.self) == [.granted])
        await bench.restarted().settle()
        #expect(await bench.stages().values.map(\.self) == [.granted], "the store lists it, so it is not done")
        await bench.store.failToFinish(nil)
        await bench.restarted().settle()
        #expect(await bench.store.finished == ["sale-1"])
        #expect(await bench.wallet.orders.count == 1)
    }

    @Test("[PSE-8] [PSE-7] the same delivery by every way counts once and is finished once")
    func duplicates() async throws {
        let bench = Bench()
        let transaction = bench.verifier.sign(Sample.payload("1", "coins"))
        await bench.store.answer("coins", .success(.success(transaction)))
        await bench.store.remember(transaction)
        let results = await bench.listening {
            for _ in 0..<20 { bench.store.send(.transaction(transaction)) }
            _ = await bench.service.purchase(productID: "coins")
            for _ in 0..<20 { bench.store.send(.transaction(transaction)) }
        }
        _ = try await bench.service.requestAllPurchaseHistory()
        #expect(results.count <= 1)
        #expect(await bench.store.finished == ["1"])
        #expect(await bench.wallet.orders.count == 1)
        #expect(await bench.wallet.balance == 1)
        #expect(try await bench.entitlements().balances == ["coins": 1])
    }

    @Test("[PSE-12] [defect 6] a refund has the id of its purchase: access ends, and it is told once")
    func refund() async throws {
        let bench = Bench()
        _ = await bench.service.purchase(productID: "template.a")
        #expect(try await bench.entitlements().templates.count == 1)
        let refund = bench.verifier.sign(
            Sample.payload("sale-1", "template.a", signed: Sample.at(day: 1)) {
                $0.revocationDate = Sample.at(day: 1)
            })
        await bench.store.setEntitled([])
        let results = await bench.listening {
            for _ in 0..<5 { await bench.store.deliver(refund) }
        }
        #expect(results.compactMap(\.verifiedPayload).count == 1)
        #expect(await bench.wallet.orders.map(\.fulfilment) == [.granted, .revoked])
        #expect(try await bench.entitlements().templates.isEmpty)
        #expect(try await bench.entitlements().denials == ["template.a": .revoked])
    }

    @Test("[PSE-12] a refund that is reversed gives the purchase back, and texts that come late change nothing")
    func reversal() async throws {
        let bench = Bench()
        let purchase = bench.verifier.sign(Sample.payload("1", "coins"))
        let refund = bench.verifier.sign(
            Sample.payload("1", "coins", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) })
        let reversal = bench.verifier.sign(Sample.payload("1", "coins", signed: Sample.at(day: 2)))
        for delivery in [purchase, refund, reversal, refund, purchase] {
            await bench.store.deliver(delivery)
            await bench.service.settle()
        }
        #expect(await bench.wallet.orders.map(\.fulfilment) == [.granted, .revoked, .granted])
        #expect(await bench.wallet.balance == 1)
        #expect(try await bench.entitlements().balances == ["coins": 1])
    }

    @Test("[PSE-12] a refund that comes before its purchase takes nothing back and gives nothing")
    func refundFirst() async throws {
        let bench = Bench()
        await bench.store.deliver(
            bench.verifier.sign(
                Sample.payload("1", "coins", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) }))
        await bench.service.settle()
        await bench.store.deliver(bench.verifier.sign(Sample.payload("1", "coins")))
        await bench.service.settle()
        #expect(await bench.wallet.orders.isEmpty)
        #expect(try await bench.entitlements().balances.isEmpty)
    }

    @Test("[PSE-8] [defect 19] one billing event under two transaction ids is handed over once")
    func regrant() async throws {
        let bench = Bench()
        for id in ["1", "2"] {
            await bench.store.deliver(
                bench.verifier.sign(
                    Sample.payload(id, "pro.monthly", original: "1") { $0.webOrderLineItemId = "event" }))
        }
        await bench.service.settle()
        #expect(await bench.wallet.orders.count == 1)
        #expect(await bench.store.finished.sorted() == ["1", "2"])
        #expect(try await bench.entitlements().grounds[.pro]?.count == 1)
    }

    @Test("[PSE-8] [defect 18] nothing is finished that the journal has not written")
    func journalDown() async throws {
        let bench = Bench()
        let machine = Machine(crashingAt: .max)
        await machine.setJournalBroken(true)
        let service = PurchaseService(
            store: bench.store, journal: MortalJournal(bench.journal, machine), verifier: bench.verifier,
            fulfiller: bench.wallet, clock: bench.clock.now
        )
        await bench.store.deliver(bench.verifier.sign(Sample.payload("1", "coins")))
        await service.settle()
        #expect(await bench.store.finished.isEmpty)
        // Nothing can be written down, so nothing is bought either.
        let result = PurchaseResultMapping.outcome(of: await service.purchase(productID: "gems"))
        #expect(result == .failed(PurchaseFlowError(.journalUnavailable, "")))
        #expect(await bench.store.sales.isEmpty)
        await machine.setJournalBroken(false)
        await service.settle()
        #expect(await bench.store.finished == ["1"])
        #expect(try await bench.entitlements(service).balances == ["coins": 1])
    }
}
