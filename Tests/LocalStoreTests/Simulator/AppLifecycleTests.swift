import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("The lifecycle of purchases in an app", .timeLimit(.minutes(15)))
struct AppLifecycleTests {
    /// Waits until the entitlements meet a condition.
    private func wait(
        for store: EntitlementStore, _ isAsExpected: @Sendable (Entitlements) -> Bool
    ) async {
        for await entitlements in await store.updates() where isAsExpected(entitlements) { return }
    }

    @Test("a listening app receives approvals, renewals and refunds")
    func listens() async throws {
        let store = try SampleStore.simulator()
        let app = try TestDevice().launch(store)
        await app.entitlements.start().value
        let bought = try store.perform { try $0.purchase("pro.other") }
        await wait(for: app.entitlements) { $0.isPro }
        try store.perform { try $0.advance(days: 31) }
        await wait(for: app.entitlements) { entitlements in
            entitlements.grounds[.pro]?.contains { $0.transactionID != bought.id } ?? false
        }
        try store.perform { try $0.refund(try $0.latestTransaction().id) }
        await wait(for: app.entitlements) { !$0.isPro }
        try store.perform { engine in
            try engine.advance(byMilliseconds: 1000)
            try engine.reverseRefund(try engine.latestTransaction().id)
        }
        await wait(for: app.entitlements) { $0.isPro }
        await app.entitlements.stop()
    }

    @Test("[PSE-12] a grace period is granted to its end, billing retry is not, and recovery is")
    func grace() async throws {
        let store = try SampleStore.simulator { $0.isGracePeriodEnabled = true }
        let app = try TestDevice().launch(store)
        let bought = try store.perform { try $0.purchase("pro.other") }
        func kinds() async -> [Ground.Kind] { await app.refreshed().grounds[.pro]?.map(\.kind) ?? [] }
        #expect(await kinds() == [.subscription])
        try store.perform { engine in
            try engine.setBillingIssue(true, bought.id)
            try engine.advance(days: 32)
        }
        #expect(await kinds() == [.gracePeriod])
        try store.perform { try $0.advance(days: 16) }
        #expect(await kinds() == [])
        #expect(await app.refreshed().denials["pro.other"] == .billingRetry)
        try store.perform { try $0.setBillingIssue(false, bought.id) }
        #expect(await kinds() == [.subscription])
        try store.perform { engine in
            try engine.cancelRenewal(bought.id)
            try engine.advance(days: 40)
        }
        #expect(await app.refreshed().denials["pro.other"] == .expired)
    }

    @Test("an upgrade replaces the old plan, and a downgrade is announced and then takes effect")
    func plans() async throws {
        let store = try SampleStore.simulator()
        let app = try TestDevice().launch(store)
        _ = await app.service.purchase(productID: "pro.other")
        let answer = await app.service.purchase(productID: "pro.plus")
        guard case .success(verified: true) = answer else {
            Issue.record("the upgrade did not succeed: \(answer)")
            return
        }
        #expect(await app.refreshed().grounds[.pro]?.map(\.productID) == ["pro.plus"])
        try store.perform { engine in _ = try engine.changePlan(try engine.latestTransaction().id, to: "pro.weekly") }
        let change = try #require(await app.refreshed().planChanges.first)
        #expect(change.nextProductID == "pro.weekly")
        // The last instant of a period is still entitled.
        try store.perform { try $0.advance(byMilliseconds: 31 * SampleStore.day + 1) }
        let entitlements = await app.refreshed()
        #expect(entitlements.grounds[.pro]?.map(\.productID) == ["pro.weekly"])
        #expect(entitlements.planChanges.isEmpty)
    }

    @Test(
        "an accepted downgrade or crossgrade is pending until the renewal, and the plan change is current",
        arguments: [
            "pro.weekly", "pro.yearly",
        ])
    func deferredPlan(next: String) async throws {
        let store = try SampleStore.simulator()
        let app = try TestDevice().launch(store)
        let coordinator = ProSubscriptionCoordinator(
            purchaseService: app.service, entitlementRefresher: app.entitlements, catalog: SampleStore.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) })
        #expect(await coordinator.buyPro(productID: "pro.basic") == .success)
        let end = try #require(store.state.transactions.first?.expiresDate)
        // The second call finds the change that was already accepted.
        for _ in 0..<2 {
            try store.perform { try $0.advance(byMilliseconds: 1000) }
            #expect(
                await coordinator.buyPro(productID: next) == .pending(.changesAtRenewal(productID: next, date: end)))
            let change = PlanChange(productID: "pro.basic", nextProductID: next, date: end)
            #expect(await app.entitlements.entitlements.planChanges == [change])
        }
        try store.perform { try $0.advance(byMilliseconds: 1000) }
        #expect(await coordinator.buyPro(productID: "pro.basic") == .alreadyOwned)
        #expect(await app.entitlements.entitlements.planChanges.isEmpty)
    }

    @Test("a lifetime purchase after a refund that the app did not hear is sold again and unlocked")
    func unheardRefund() async throws {
        let store = try SampleStore.simulator()
        let app = try TestDevice().launch(store)
        let coordinator = ProSubscriptionCoordinator(
            purchaseService: app.service, entitlementRefresher: app.entitlements, catalog: SampleStore.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) })
        #expect(await coordinator.buyPro(productID: "pro.lifetime") == .success)
        try store.perform { engine in try engine.refund(engine.state.transactions[0].id) }
        #expect(await coordinator.buyPro(productID: "pro.lifetime") == .success)
        #expect(store.state.transactions.count == 2)
        #expect(await app.entitlements.entitlements.isPro)
        // The store lists the new purchase, so a third call sells nothing.
        #expect(await coordinator.buyPro(productID: "pro.lifetime") == .alreadyOwned)
        #expect(store.state.transactions.count == 2)
    }

    @Test("a family-shared purchase is a ground of its own, and losing it keeps the customer's own")
    func family() async throws {
        let store = try SampleStore.simulator(accounts: ["anna", "berta"])
        try store.perform { engine in
            try engine.setFamily("home", of: "anna")
            try engine.setFamily("home", of: "berta")
        }
        let anna = try store.perform { try $0.purchase("pro.lifetime", for: "anna") }
        let app = try TestDevice("berta").launch(store)
        #expect(await app.refreshed().grounds[.pro]?.map(\.kind) == [.familyLifetime])
        _ = try store.perform { try $0.purchase("pro.lifetime", for: "berta") }
        #expect(await app.refreshed().grounds[.pro]?.map(\.kind) == [.lifetime, .familyLifetime])
        try store.perform { try $0.refund(anna.id) }
        #expect(await app.refreshed().grounds[.pro]?.map(\.kind) == [.lifetime])
    }

    @Test("[PFC-11] a purchase that waits for approval is granted only after the approval")
    func approval() async throws {
        let store = try SampleStore.simulator { $0.isAskToBuyEnabled = true }
        let device = TestDevice()
        let app = try device.launch(store)
        let answer = await app.service.purchase(productID: "coins")
        guard case .pending = answer else {
            Issue.record("the purchase did not wait: \(answer)")
            return
        }
        await app.service.resumeUnfinishedPurchases()
        #expect(await device.wallet.balance == 0)
        try store.perform { engine in _ = try engine.approve(engine.state.pending[0].id) }
        await app.service.resumeUnfinishedPurchases()
        #expect(await device.wallet.balance == 1)
        try store.perform { engine in try engine.refund(engine.state.transactions[0].id) }
        await app.service.resumeUnfinishedPurchases()
        #expect(await device.wallet.balance == 0)
        #expect(store.engine.unfinishedTransactions(of: "anna").isEmpty)
    }

    @Test("coins are credited once each, however updates are dropped, duplicated, reordered and delayed")
    func disturbedDeliveries() async throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            let plan = FaultPlan(
                seed: seed,
                faults: [
                    Fault(at: .delivery, when: .chance(perMille: 200), do: .drop),
                    Fault(at: .delivery, when: .chance(perMille: 200), do: .duplicate(times: 2)),
                    Fault(at: .delivery, when: .chance(perMille: 200), do: .holdBack(updates: 2)),
                    Fault(at: .delivery, when: .chance(perMille: 200), do: .delay(milliseconds: 5000)),
                    Fault(at: .signing, when: .chance(perMille: 100), do: .flipBit),
                    Fault(at: .finish, when: .chance(perMille: 200), do: .fail(code: "network")),
                ])
            let store = try SampleStore.simulator(seed: seed, faults: plan)
            let device = TestDevice()
            let app = try device.launch(store)
            let listener = app.service.listenForTransactions { _ in }
            for _ in 0..<12 {
                _ = try store.perform { try $0.purchase("coins") }
                try store.perform { try $0.advance(byMilliseconds: 2000) }
            }
            let refunded = store.state.transactions[3].id
            try store.perform { try $0.refund(refunded) }
            // Only one process at a time may use a ledger.
            listener.cancel()
            await listener.value
            // The next launch, repeated until the faults let every transaction finish.
            let next = try device.launch(store)
            for _ in 0..<20 where !store.engine.unfinishedTransactions(of: "anna").isEmpty {
                await next.service.resumeUnfinishedPurchases()
            }
            #expect(store.engine.unfinishedTransactions(of: "anna").isEmpty, "seed \(seed)")
            #expect(await device.wallet.balance == 11, "seed \(seed)")
        }
    }
}
