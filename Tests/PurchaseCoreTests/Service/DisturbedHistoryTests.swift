import PurchaseCore
import ReceiptTypes
import Testing

/// Whole histories through the service, with everything going wrong that can.
@Suite("Disturbed histories")
struct DisturbedHistoryTests {
    @Test("[PSE-8] [PFC-11] duplicates, reordering, failures, crashes and clock jumps change nothing in the end")
    func disturbed() async throws {
        for seed in History.seeds(share: 10) {
            try await run(History(seed: seed))
        }
    }

    private func run(_ history: History) async throws {
        var generator = SplitMix64(seed: ~history.seed)
        let bench = Bench()
        let genuine = history.payloads.map { bench.verifier.sign($0) }
        let forged = history.payloads.filter { _ in generator.once(in: 4) }.map { payload in
            var payload = payload
            payload.transactionId = "forged-\(payload.transactionId ?? "")"
            payload.productId = "pro.lifetime"
            payload.type = .nonConsumable
            payload.revocationDate = nil
            return bench.verifier.forge(payload)
        }
        let deliveries = genuine + forged + genuine.filter { _ in generator.once(in: 3) }

        // Two runs that end somewhere, over a store and a clock that do what they like.
        var rest = deliveries.shuffled(using: &generator)[...]
        for _ in 0..<2 {
            let machine = Machine(crashingAt: Int.random(in: 0...120, using: &generator))
            let service = service(bench, on: machine)
            for delivery in rest.prefix(rest.count / 2 + 1) {
                bench.clock.set(Sample.at(day: Int.random(in: -500...900, using: &generator)))
                await bench.wallet.setReachable(!generator.once(in: 4))
                await bench.store.failToFinish(generator.once(in: 4) ? StoreError(.network, "down") : nil)
                await machine.setJournalBroken(generator.once(in: 6))
                if generator.once(in: 2) {
                    await bench.store.deliver(delivery)
                } else {
                    await bench.store.remember(delivery)
                }
                if generator.once(in: 2) { await service.settle() }
                if generator.once(in: 4) { _ = try? await service.requestAllPurchaseHistory() }
                if generator.once(in: 4) { _ = try? await service.evidence() }
            }
            rest = rest.dropFirst(rest.count / 2 + 1)
            #expect(await machine.faults.isEmpty, "\(history.replay)")
        }

        // And one in which all is well, and everything comes that was lost on the way.
        await bench.wallet.setReachable(true)
        await bench.store.failToFinish(nil)
        let service = service(bench, on: Machine(crashingAt: .max))
        for delivery in deliveries.shuffled(using: &generator) {
            await bench.store.deliver(delivery)
            await service.settle()
        }
        try await check(bench, service, history)
    }

    private func service(_ bench: Bench, on machine: Machine) -> PurchaseService {
        PurchaseService(
            store: MortalStore(base: bench.store, machine: machine, journal: bench.journal),
            journal: MortalJournal(bench.journal, machine), verifier: bench.verifier,
            fulfiller: MortalWallet(base: bench.wallet, machine: machine), clock: bench.clock.now
        )
    }

    private func check(_ bench: Bench, _ service: PurchaseService, _ history: History) async throws {
        let evidence = try await service.evidence()
        let projection = EntitlementProjection(catalog: Sample.catalog)
        let found = projection.entitlements(from: evidence.transactions, at: history.now)
        let expected = projection.entitlements(
            from: try history.payloads.map { try #require(Transaction($0)) }, at: history.now)
        #expect(found == expected, "\(history.replay)")
        let balance = await bench.wallet.balance
        #expect(balance == expected.balances.values.reduce(0, +), "credited otherwise than bought: \(history.replay)")
        let finished = await bench.store.finished
        #expect(!finished.contains { $0.hasPrefix("forged") }, "\(history.replay)")
        let unfinished = await bench.store.unfinished
        #expect(unfinished.allSatisfy { $0.transactionID.hasPrefix("forged") }, "\(history.replay)")
    }
}
