import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Crashes of a store simulator")
struct CrashTests {
    /// The result of a run, which must not depend on its crashes.
    private struct Outcome: Equatable {
        let balance: Int
        let isPro: Bool
        let templates: Set<TemplateID>
        let products: [String]
        let unfinished: Int
    }

    /// Runs the app once: buys what is not bought yet, renews and refunds. A crash ends it early.
    private func runApp(_ store: StoreSimulator, _ device: TestDevice) async throws {
        let app = try device.launch(store)
        await app.service.resumeUnfinishedPurchases()
        for product in ["coins", "template.a", "pro.other"] {
            guard !store.state.transactions.contains(where: { $0.productID == product }) else { continue }
            _ = await app.service.purchase(productID: product)
        }
        try store.perform { engine in
            if engine.state.now == SampleStore.start { try engine.advance(days: 40) }
        }
        try store.perform { engine in
            guard let coins = engine.state.transactions.first(where: { $0.productID == "template.a" }), !coins.isRevoked
            else { return }
            try engine.refund(coins.id)
        }
        await app.service.resumeUnfinishedPurchases()
        _ = await app.refreshed()
    }

    private func outcome(_ store: StoreSimulator, _ device: TestDevice) async throws -> Outcome {
        let app = try device.launch(store)
        await app.service.resumeUnfinishedPurchases()
        let entitlements = await app.refreshed()
        return Outcome(
            balance: await device.wallet.balance, isPro: entitlements.isPro, templates: entitlements.templates,
            products: store.state.transactions.map(\.productID),
            unfinished: store.engine.unfinishedTransactions(of: "anna").count
        )
    }

    @Test("after a crash at any point, the next launch has the same result, and coins are credited once")
    func crashesAnywhere() async throws {
        let referenceDevice = TestDevice()
        let reference = try SampleStore.simulator()
        try await runApp(reference, referenceDevice)
        let expected = try await outcome(reference, referenceDevice)
        #expect(expected.balance == 1)
        #expect(expected.isPro)
        #expect(expected.unfinished == 0)
        var crashes = 0
        for point in FaultPoint.allCases where point != .products {
            for number in 1...6 {
                let device = TestDevice()
                let plan = FaultPlan(faults: [Fault(at: point, when: .nth(number), do: .crash)])
                let crashing = try SampleStore.simulator(faults: plan)
                // A listening device, so that updates are delivered.
                let updates = crashing.customer("anna").updates()
                try? await runApp(crashing, device)
                _ = updates
                let hasCrashed = (try? crashing.perform { _ in }) == nil
                if hasCrashed { crashes += 1 }
                // Only the saved state and the device's ledger survive.
                let next = try SampleStore.simulator(over: crashing.durableState)
                try await runApp(next, device)
                let reached = try await outcome(next, device)
                #expect(reached == expected, "\(point.rawValue), time \(number): \(reached)")
            }
        }
        #expect(crashes >= 40, "only \(crashes) runs crashed")
    }

    @Test("after crashes at one point after the other over a state file, coins are credited once")
    func crashesAgainAndAgain() async throws {
        try await withTemporaryFolder { folder in
            let signer = try #require(SampleStore.signer)
            let device = TestDevice()
            var starts = 0
            for point in [FaultPoint.beforeSaving, .afterSaving, .beforeAnswering, .finish, .signing] {
                for number in 1...3 {
                    starts += 1
                    let plan = FaultPlan(faults: [Fault(at: point, when: .nth(number), do: .crash)])
                    let store = try StoreSimulator(
                        configuration: SampleStore.configuration, signer: signer, file: "\(folder)/state",
                        initial: SampleStore.state(), faults: plan)
                    try? await runApp(store, device)
                }
            }
            #expect(starts == 15)
            let store = try StoreSimulator(
                configuration: SampleStore.configuration, signer: signer, file: "\(folder)/state",
                initial: SampleStore.state())
            try await runApp(store, device)
            let reached = try await outcome(store, device)
            #expect(reached.balance == 1)
            #expect(reached.isPro)
            #expect(reached.unfinished == 0)
            #expect(reached.products.sorted() == ["coins", "pro.other", "pro.other", "template.a"])
        }
    }
}
