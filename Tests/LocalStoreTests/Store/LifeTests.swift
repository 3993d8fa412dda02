import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("The life of a purchase, as an app sees it")
struct LifeTests {
    /// Waits until what the customer may use is as it should be.
    private func wait(
        for store: EntitlementStore, _ isAsExpected: @Sendable (Entitlements) -> Bool
    ) async {
        for await entitlements in await store.updates() where isAsExpected(entitlements) { return }
    }

    @Test("[PSE-2] an app that listens hears of approvals, renewals and refunds by itself")
    func listens() async throws {
        let store = try Shop.store()
        let app = try Device().launch(store)
        await app.entitlements.start().value
        let bought = try store.perform { try $0.bought("pro.other") }
        await wait(for: app.entitlements) { $0.isPro }
        try store.perform { try $0.pass(days: 31) }
        await wait(for: app.entitlements) { entitlements in
            entitlements.grounds[.pro]?.contains { $0.transactionID != bought.id } ?? false
        }
        try store.perform { try $0.refund(try $0.latest().id) }
        await wait(for: app.entitlements) { !$0.isPro }
        try store.perform { engine in
            try engine.advance(by: 1000)
            try engine.reverseRefund(try engine.latest().id)
        }
        await wait(for: app.entitlements) { $0.isPro }
        await app.entitlements.stop()
    }

    @Test("[PSE-3] grace is granted to its end, billing retry is not, and recovery is")
    func grace() async throws {
        let store = try Shop.store { $0.isGracePeriodEnabled = true }
        let app = try Device().launch(store)
        let bought = try store.perform { try $0.bought("pro.other") }
        func kinds() async -> [Ground.Kind] { await app.refreshed().grounds[.pro]?.map(\.kind) ?? [] }
        #expect(await kinds() == [.subscription])
        try store.perform { engine in
            try engine.setBillingIssue(true, bought.id)
            try engine.pass(days: 32)
        }
        #expect(await kinds() == [.gracePeriod])
        try store.perform { try $0.pass(days: 16) }
        #expect(await kinds() == [])
        #expect(await app.refreshed().denials["pro.other"] == .billingRetry)
        try store.perform { try $0.setBillingIssue(false, bought.id) }
        #expect(await kinds() == [.subscription])
        try store.perform { engine in
            try engine.cancelRenewal(bought.id)
            try engine.pass(days: 40)
        }
        #expect(await app.refreshed().denials["pro.other"] == .expired)
    }

    @Test("[PSE-4] an upgrade takes the place of the old plan, and a downgrade is announced and then there")
    func plans() async throws {
        let store = try Shop.store()
        let app = try Device().launch(store)
        _ = await app.service.purchase(productID: "pro.other")
        guard case .success(verified: true) = await app.service.purchase(productID: "pro.plus") else {
            Issue.record("not upgraded")
            return
        }
        #expect(await app.refreshed().grounds[.pro]?.map(\.productID) == ["pro.plus"])
        try store.perform { engine in _ = try engine.changePlan(try engine.latest().id, to: "pro.weekly") }
        let change = try #require(await app.refreshed().planChanges.first)
        #expect(change.nextProductID == "pro.weekly")
        // The last instant of a period still counts.
        try store.perform { try $0.advance(by: 31 * Shop.day + 1) }
        let entitlements = await app.refreshed()
        #expect(entitlements.grounds[.pro]?.map(\.productID) == ["pro.weekly"])
        #expect(entitlements.planChanges.isEmpty)
    }

    @Test("[PSE-5] what a family shares is a ground of its own, and goes without taking one's own")
    func family() async throws {
        let store = try Shop.store(accounts: ["anna", "berta"])
        try store.perform { engine in
            try engine.setFamily("home", of: "anna")
            try engine.setFamily("home", of: "berta")
        }
        let anna = try store.perform { try $0.bought("pro.lifetime", for: "anna") }
        let app = try Device("berta").launch(store)
        #expect(await app.refreshed().grounds[.pro]?.map(\.kind) == [.familyLifetime])
        _ = try store.perform { try $0.bought("pro.lifetime", for: "berta") }
        #expect(await app.refreshed().grounds[.pro]?.map(\.kind) == [.lifetime, .familyLifetime])
        try store.perform { try $0.refund(anna.id) }
        #expect(await app.refreshed().grounds[.pro]?.map(\.kind) == [.lifetime])
    }

    @Test("[PFC-7] a purchase that waits for approval is granted when it comes, and only then")
    func approval() async throws {
        let store = try Shop.store { $0.isAskToBuyEnabled = true }
        let device = Device()
        let app = try device.launch(store)
        guard case .pending = await app.service.purchase(productID: "coins") else {
            Issue.record("it did not wait")
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

    @Test("[PSE-6] under a plan that drops, doubles, reorders and delays, coins are credited once each")
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
            let store = try Shop.store(seed: seed, faults: plan)
            let device = Device()
            let app = try device.launch(store)
            let listener = app.service.listenForTransactions { _ in }
            for _ in 0..<12 {
                _ = try store.perform { try $0.bought("coins") }
                try store.perform { try $0.advance(by: 2000) }
            }
            let refunded = store.state.transactions[3].id
            try store.perform { try $0.refund(refunded) }
            // One process at a time works on a journal.
            listener.cancel()
            await listener.value
            // The next start of the app, and as many more as the plan's faults make necessary.
            let next = try device.launch(store)
            for _ in 0..<20 where !store.engine.unfinishedTransactions(of: "anna").isEmpty {
                await next.service.resumeUnfinishedPurchases()
            }
            #expect(store.engine.unfinishedTransactions(of: "anna").isEmpty, "seed \(seed)")
            #expect(await device.wallet.balance == 11, "seed \(seed)")
        }
    }
}
