import PurchaseCore
import ReceiptTypes
import Testing

/// Runs random histories through the service with duplicates, reordering, failures, crashes and clock jumps.
@Suite("Random histories")
struct RandomHistoryTests {
    @Test("[PSE-8] [PFC-11] a disturbed history ends in the state of an undisturbed one")
    func disturbed() async throws {
        for seed in RandomHistory.seeds(share: 10) {
            try await run(RandomHistory(seed: seed))
        }
    }

    private func run(_ history: RandomHistory) async throws {
        var generator = SplitMix64(seed: ~history.seed)
        let harness = ServiceHarness()
        let genuine = history.payloads.map { harness.verifier.sign($0) }
        let forged = history.payloads.filter { _ in generator.once(in: 4) }.map { payload in
            var payload = payload
            payload.transactionId = "forged-\(payload.transactionId ?? "")"
            payload.productId = "pro.lifetime"
            payload.type = .nonConsumable
            payload.revocationDate = nil
            return harness.verifier.forge(payload)
        }
        let deliveries = genuine + forged + genuine.filter { _ in generator.once(in: 3) }

        // Two runs that crash at a random step, with a failing store and a jumping clock.
        var remaining = deliveries.shuffled(using: &generator)[...]
        for _ in 0..<2 {
            let simulator = CrashSimulator(crashingAt: Int.random(in: 0...120, using: &generator))
            let service = service(harness, with: simulator)
            for delivery in remaining.prefix(remaining.count / 2 + 1) {
                harness.clock.set(Sample.at(day: Int.random(in: -500...900, using: &generator)))
                await harness.fulfiller.setReachable(!generator.once(in: 4))
                await harness.store.failToFinish(generator.once(in: 4) ? StoreError(.network, "down") : nil)
                await simulator.setLedgerBroken(generator.once(in: 6))
                if generator.once(in: 2) {
                    await harness.store.deliver(delivery)
                } else {
                    await harness.store.remember(delivery)
                }
                if generator.once(in: 2) { await service.resumeUnfinishedPurchases() }
                if generator.once(in: 4) { _ = try? await service.requestAllPurchaseHistory() }
                if generator.once(in: 4) { _ = try? await service.evidence() }
            }
            remaining = remaining.dropFirst(remaining.count / 2 + 1)
            #expect(await simulator.violations.isEmpty, "\(history.replay)")
        }

        // One run without failures, in which the store delivers everything again, after the claims of the crashed runs.
        harness.clock.set(Sample.at(day: 1000))
        await harness.fulfiller.setReachable(true)
        await harness.store.failToFinish(nil)
        let service = service(harness, with: CrashSimulator(crashingAt: .max))
        for delivery in deliveries.shuffled(using: &generator) {
            await harness.store.deliver(delivery)
            await service.resumeUnfinishedPurchases()
        }
        try await check(harness, service, history)
    }

    private func service(_ harness: ServiceHarness, with simulator: CrashSimulator) -> PurchaseService {
        PurchaseService(
            store: CrashingStore(base: harness.store, simulator: simulator, ledger: harness.ledger),
            ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: CrashingFulfiller(base: harness.fulfiller, simulator: simulator),
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now)
        )
    }

    private func check(_ harness: ServiceHarness, _ service: PurchaseService, _ history: RandomHistory) async throws {
        let evidence = try await service.evidence()
        let projection = EntitlementProjection(catalog: Sample.catalog)
        let found = projection.entitlements(from: evidence.transactions, at: history.now)
        let expected = projection.entitlements(
            from: try history.payloads.map { try #require(Transaction($0)) }, at: history.now)
        #expect(found == expected, "\(history.replay)")
        let balance = await harness.fulfiller.balance
        #expect(balance == expected.balances.values.reduce(0, +), "wrong balance: \(history.replay)")
        let finished = await harness.store.finished
        #expect(!finished.contains { $0.hasPrefix("forged") }, "\(history.replay)")
        let unfinished = await harness.store.unfinished
        #expect(unfinished.allSatisfy { $0.transactionID.hasPrefix("forged") }, "\(history.replay)")
    }
}
