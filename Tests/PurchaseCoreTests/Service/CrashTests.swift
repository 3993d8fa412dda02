import PurchaseCore
import ReceiptTypes
import Testing

/// The process ends at every boundary in turn: before and after each call to store, journal and wallet.
@Suite("Crashes")
struct CrashTests {
    /// What a customer and a store do in one run.
    private func live(_ bench: Bench, on machine: Machine, _ deliveries: [SignedTransaction]) async {
        let service = PurchaseService(
            store: MortalStore(base: bench.store, machine: machine, journal: bench.journal),
            journal: MortalJournal(bench.journal, machine), verifier: bench.verifier,
            fulfiller: MortalWallet(base: bench.wallet, machine: machine), clock: bench.clock.now
        )
        await service.settle()
        for product in ["coins", "template.a"] {
            // A customer buys what they have not bought yet, also after the crash.
            if await !bench.store.sales.contains(product) { _ = await service.purchase(productID: product) }
        }
        for delivery in deliveries {
            if await bench.store.past.values.contains(delivery) == false { await bench.store.deliver(delivery) }
        }
        await service.settle()
        _ = try? await service.evidence()
    }

    private struct Final: Equatable {
        let entitlements: Entitlements
        let balance: Int
        let unfinished: [String]
        let stages: [String: JournalStage]
        let fulfilments: Set<String>
    }

    private func run(crashingAt step: Int) async throws -> (final: Final, machine: Machine, bench: Bench) {
        let bench = Bench()
        let deliveries = [
            bench.verifier.sign(Sample.payload("r1", "gems") { $0.quantity = 3 }),
            bench.verifier.sign(
                Sample.payload("r2", "gems", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) }),
            bench.verifier.sign(Sample.payload("s1", "pro.monthly")),
            bench.verifier.forge(Sample.payload("f1", "pro.lifetime")),
        ]
        let machine = Machine(crashingAt: step)
        await live(bench, on: machine, deliveries)
        // The next run, on a machine that lasts. Once more for what only a later start can know to be done.
        let next = Machine(crashingAt: .max)
        await live(bench, on: next, deliveries)
        await bench.restarted().settle()
        #expect(await machine.faults.isEmpty)
        #expect(await next.faults.isEmpty)
        let final = Final(
            entitlements: try await bench.entitlements(bench.restarted()),
            balance: await bench.wallet.balance,
            unfinished: await bench.store.unfinished.map(\.transactionID),
            stages: await bench.stages(),
            fulfilments: Set(await bench.wallet.orders.map { "\($0.key) \($0.fulfilment)" })
        )
        return (final, machine, bench)
    }

    @Test("[PSE-8] [defect 2] whichever step the process ends at, the next start ends where an undisturbed run does")
    func everyBoundary() async throws {
        let undisturbed = try await run(crashingAt: .max)
        let steps = await undisturbed.machine.steps
        #expect(undisturbed.final.entitlements.balances == ["coins": 1, "gems": 3])
        #expect(undisturbed.final.balance == 4)
        #expect(undisturbed.final.unfinished == ["f1"])
        #expect(undisturbed.final.entitlements.isPro)
        #expect(!undisturbed.final.entitlements.grounds.values.joined().contains { $0.productID == "pro.lifetime" })
        #expect(Set(steps).count >= 24, "at least twelve steps with a boundary on each side")
        print("crash test: \(steps.count) boundaries of \(Set(steps).count) kinds")
        var stopped = 0
        for step in steps.indices {
            let disturbed = try await run(crashingAt: step)
            if await disturbed.machine.isDead { stopped += 1 }
            #expect(disturbed.final == undisturbed.final, "stopped at step \(step): \(steps[step])")
            #expect(await disturbed.bench.store.sales.sorted() == ["coins", "template.a"])
        }
        // What goes side by side may take a step more or less.
        #expect(stopped > steps.count - 12)
    }

    @Test("[PSE-8] [defect 2] a journal that loses everything credits what the store still has, and no more")
    func lostJournal() async throws {
        let bench = Bench()
        await bench.store.failToFinish(StoreError(.network, "down"))
        _ = await bench.service.purchase(productID: "coins")
        await bench.store.failToFinish(nil)
        let service = PurchaseService(
            store: bench.store, journal: InMemoryJournal(), verifier: bench.verifier, fulfiller: bench.wallet,
            clock: bench.clock.now
        )
        await service.settle()
        #expect(try await bench.entitlements(service).balances == ["coins": 1])
        // The order comes again, with the key by which the wallet knows it.
        #expect(await bench.wallet.orders.count == 2)
        #expect(await bench.wallet.balance == 1)
    }
}
