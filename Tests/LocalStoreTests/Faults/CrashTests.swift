import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Crashes of a local store")
struct CrashTests {
    /// What is the same in every run, however it was disturbed.
    private struct Outcome: Equatable {
        let balance: Int
        let isPro: Bool
        let templates: Set<TemplateID>
        let products: [String]
        let unfinished: Int
    }

    /// A customer's day: what was done already is not done again, and a crash anywhere ends it.
    private func live(_ store: LocalStore, _ device: Device) async throws {
        let app = try device.launch(store)
        await app.service.resumeUnfinishedPurchases()
        for product in ["coins", "template.a", "pro.other"] {
            guard !store.state.transactions.contains(where: { $0.productID == product }) else { continue }
            _ = await app.service.purchase(productID: product)
        }
        try store.perform { engine in
            if engine.state.now == Shop.start { try engine.pass(days: 40) }
        }
        try store.perform { engine in
            guard let coins = engine.state.transactions.first(where: { $0.productID == "template.a" }), !coins.isRevoked
            else { return }
            try engine.refund(coins.id)
        }
        await app.service.resumeUnfinishedPurchases()
        _ = await app.refreshed()
    }

    private func outcome(_ store: LocalStore, _ device: Device) async throws -> Outcome {
        let app = try device.launch(store)
        await app.service.resumeUnfinishedPurchases()
        let entitlements = await app.refreshed()
        return Outcome(
            balance: await device.wallet.balance, isPro: entitlements.isPro, templates: entitlements.templates,
            products: store.state.transactions.map(\.productID),
            unfinished: store.engine.unfinishedTransactions(of: "anna").count
        )
    }

    @Test("[PSE-6] wherever the process ends, the next start comes to the same, and coins are credited once")
    func crashesAnywhere() async throws {
        let undisturbed = Device()
        let calm = try Shop.store()
        try await live(calm, undisturbed)
        let expected = try await outcome(calm, undisturbed)
        #expect(expected.balance == 1)
        #expect(expected.isPro)
        #expect(expected.unfinished == 0)
        var crashes = 0
        for point in FaultPoint.allCases where point != .products {
            for number in 1...6 {
                let device = Device()
                let plan = FaultPlan(faults: [Fault(at: point, when: .nth(number), do: .crash)])
                let dying = try Shop.store(faults: plan)
                // A launch that listens, so that deliveries happen too.
                let updates = dying.customer("anna").updates()
                try? await live(dying, device)
                _ = updates
                let hasCrashed = (try? dying.perform { _ in }) == nil
                if hasCrashed { crashes += 1 }
                // The state on disk and the device's journal are all that is left.
                let next = try Shop.store(over: dying.durableState)
                try await live(next, device)
                let reached = try await outcome(next, device)
                #expect(reached == expected, "\(point.rawValue), time \(number): \(reached)")
            }
        }
        #expect(crashes >= 40, "only \(crashes) runs crashed")
    }

    @Test("[PSE-6] the same over a state file, crashing at every step in turn until the work is done")
    func crashesAgainAndAgain() async throws {
        try await withTemporaryFolder { folder in
            let signer = try #require(Shop.signer)
            let device = Device()
            var starts = 0
            for point in [FaultPoint.beforeSaving, .afterSaving, .beforeAnswering, .finish, .signing] {
                for number in 1...3 {
                    starts += 1
                    let plan = FaultPlan(faults: [Fault(at: point, when: .nth(number), do: .crash)])
                    let store = try LocalStore(
                        configuration: Shop.configuration, signer: signer, file: "\(folder)/state",
                        initial: Shop.state(), faults: plan)
                    try? await live(store, device)
                }
            }
            #expect(starts == 15)
            let store = try LocalStore(
                configuration: Shop.configuration, signer: signer, file: "\(folder)/state", initial: Shop.state())
            try await live(store, device)
            let reached = try await outcome(store, device)
            #expect(reached.balance == 1)
            #expect(reached.isPro)
            #expect(reached.unfinished == 0)
            #expect(reached.products.sorted() == ["coins", "pro.other", "pro.other", "template.a"])
        }
    }
}
