import PurchaseCore
import ReceiptTypes
import Testing

/// Ends the process at every boundary in turn: before and after each call to the store, the ledger and the fulfiller.
@Suite("Crashes")
struct CrashTests {
    /// Runs the actions of a customer and a store once.
    private func launch(
        _ harness: ServiceHarness, with simulator: CrashSimulator, _ deliveries: [SignedTransaction]
    ) async {
        let service = PurchaseService(
            store: CrashingStore(base: harness.store, simulator: simulator, ledger: harness.ledger),
            ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: CrashingFulfiller(base: harness.fulfiller, simulator: simulator),
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now)
        )
        await service.resumeUnfinishedPurchases()
        for product in ["coins", "template.a"] {
            // The customer buys each product once, if necessary after the crash.
            if await !harness.store.sales.contains(product) { _ = await service.purchase(productID: product) }
        }
        for delivery in deliveries {
            if await harness.store.past.values.contains(delivery) == false { await harness.store.deliver(delivery) }
        }
        await service.resumeUnfinishedPurchases()
        _ = try? await service.evidence()
    }

    private struct FinalState: Equatable {
        let entitlements: Entitlements
        let balance: Int
        let unfinished: [String]
        let stages: [String: DeliveryStage]
        let fulfilments: Set<String>
    }

    private func run(
        crashingAt step: Int
    ) async throws -> (final: FinalState, simulator: CrashSimulator, harness: ServiceHarness) {
        let harness = ServiceHarness()
        let deliveries = [
            harness.verifier.sign(Sample.payload("r1", "gems") { $0.quantity = 3 }),
            harness.verifier.sign(
                Sample.payload("r2", "gems", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) }),
            harness.verifier.sign(Sample.payload("s1", "pro.monthly")),
            harness.verifier.forge(Sample.payload("f1", "pro.lifetime")),
            // Google Play: a pending purchase, and one that is completed.
            harness.verifier.sign(
                Sample.playPurchase("p1", "gems") { $0.purchaseState = PlayPurchaseState(rawValue: 4) }),
            harness.verifier.sign(Sample.playPurchase("p2", "gems") { $0.quantity = 2 }),
            harness.verifier.sign(Sample.playPurchase("p3", "template.b")),
        ]
        let simulator = CrashSimulator(crashingAt: step)
        await launch(harness, with: simulator, deliveries)
        // The next launch does not crash, and begins when the claims of the killed process have ended. One more launch
        // closes the entries that the store no longer lists.
        harness.clock.set(Sample.at(PurchaseService.claimDurationMilliseconds + 1))
        let next = CrashSimulator(crashingAt: .max)
        await launch(harness, with: next, deliveries)
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(await simulator.violations.isEmpty)
        #expect(await next.violations.isEmpty)
        let final = FinalState(
            entitlements: try await harness.entitlements(harness.restarted()),
            balance: await harness.fulfiller.balance,
            unfinished: await harness.store.unfinished.map(\.transactionID),
            stages: try await harness.stages(),
            fulfilments: Set(await harness.fulfiller.orders.map { "\($0.key) \($0.fulfilment)" })
        )
        return (final, simulator, harness)
    }

    @Test("[PSE-8] [defect 2] after a crash at any step the next launch reaches the state of an undisturbed run")
    func everyBoundary() async throws {
        let undisturbed = try await run(crashingAt: .max)
        let steps = await undisturbed.simulator.steps
        #expect(undisturbed.final.entitlements.balances == ["coins": 1, "gems": 5])
        #expect(undisturbed.final.balance == 6)
        #expect(undisturbed.final.unfinished.sorted() == ["f1", "p1"])
        #expect(undisturbed.final.entitlements.isPro)
        #expect(undisturbed.final.entitlements.grants(.template(TemplateID(rawValue: "B"))))
        #expect(!undisturbed.final.entitlements.grounds.values.joined().contains { $0.productID == "pro.lifetime" })
        #expect(Set(steps).count >= 24, "at least twelve steps with two boundaries each")
        print("crash test: \(steps.count) boundaries of \(Set(steps).count) kinds")
        var crashed = 0
        for step in steps.indices {
            let disturbed = try await run(crashingAt: step)
            if await disturbed.simulator.hasCrashed { crashed += 1 }
            #expect(disturbed.final == undisturbed.final, "crashed at step \(step): \(steps[step])")
            #expect(await disturbed.harness.store.sales.sorted() == ["coins", "template.a"])
        }
        // Concurrent deliveries can take a few steps more or less.
        #expect(crashed > steps.count - 12)
    }

    @Test("after a crash right after an approved purchase was recorded, the next launch no longer lists it as pending")
    func crashAfterRecord() async throws {
        let harness = ServiceHarness()
        await harness.store.answer("template.a", .success(.pending))
        _ = await harness.service.purchase(productID: "template.a")
        let payload = Sample.payload("1", "template.a", signed: Sample.at(1))
        let approved = harness.verifier.sign(payload)
        let transaction = try #require(Transaction(payload))
        _ = try await harness.ledger.observe(approved, from: .update, at: Sample.at(1))
        _ = try await harness.ledger.markVerified(transaction, signedText: approved.signedText)
        #expect(try await harness.ledger.record(transaction, signedText: approved.signedText, for: nil) == .inserted)
        let service = harness.restarted()
        #expect(try await service.pendingPurchases().count == 1)
        await service.resumeUnfinishedPurchases()
        #expect(try await service.pendingPurchases().isEmpty)
        #expect(harness.log.kinds.contains(.recorded))
        #expect(try await service.evidence().clock.signed == Sample.at(1))
    }

    @Test("[defect 2] after the loss of the ledger an unfinished consumable is credited once")
    func lostLedger() async throws {
        let harness = ServiceHarness()
        await harness.store.failToFinish(StoreError(.network, "down"))
        _ = await harness.service.purchase(productID: "coins")
        await harness.store.failToFinish(nil)
        let service = PurchaseService(
            store: harness.store, ledger: InMemoryLedger(), verifier: harness.verifier, fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now)
        )
        await service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements(service).balances == ["coins": 1])
        // The order is repeated with the same key, so the balance does not change.
        #expect(await harness.fulfiller.orders.count == 2)
        #expect(await harness.fulfiller.balance == 1)
    }

    @Test("a refund after the loss of the ledger takes the purchase back, once")
    func refundAfterLostLedger() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "coins")
        #expect(await harness.fulfiller.balance == 1)
        let ledger = InMemoryLedger()
        func launch() async {
            await PurchaseService(
                store: harness.store, ledger: ledger, verifier: harness.verifier, fulfiller: harness.fulfiller,
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now)
            ).resumeUnfinishedPurchases()
        }
        for day in 1...3 {
            await harness.store.deliver(
                harness.verifier.sign(
                    Sample.payload("sale-1", "coins", signed: Sample.at(day: day)) {
                        $0.revocationDate = Sample.at(day: 1)
                    }))
            await launch()
        }
        #expect(await harness.fulfiller.orders.map(\.fulfilment) == [.granted, .revoked])
        #expect(Set(await harness.fulfiller.orders.map(\.key)).count == 1)
        #expect(await harness.fulfiller.balance == 0)
    }
}
