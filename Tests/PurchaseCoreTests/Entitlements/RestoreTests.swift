import PurchaseCore
import ReceiptTypes
import Testing

/// What a screen learns from a restore, and without calling anything.
@Suite("Restore and refresh for screens", .timeLimit(.minutes(15)))
@MainActor
struct RestoreTests {
    private func store(_ harness: ServiceHarness) -> EntitlementStore {
        EntitlementStore(
            service: harness.service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: ManualTimer(), clock: harness.clock.now))
    }

    @Test("[OTP-6.4] a restore refreshes, and says what is in force then, also if nothing is new")
    func restore() async throws {
        let harness = ServiceHarness()
        let signed = harness.verifier.sign(Sample.payload("1", "pro.lifetime"))
        let store = store(harness)
        await store.start().value
        let nothing = try await store.restore()
        #expect(!nothing.isAnythingInForce && nothing.history.isEmpty && !nothing.hasProblems)
        await harness.store.remember(signed)
        await harness.store.setEntitled([signed])
        await harness.store.fail(StoreError(.network, "down"))
        await store.refresh()
        await #expect(throws: StoreError(.network, "")) { try await store.restore() }
        #expect(store.freshness == .remembered && !store.entitlements.isPro)
        await harness.store.fail(nil)
        for expected in [1, 0] {
            let result = try await store.restore()
            #expect(result.history.restored.count == expected)
            #expect(result.isAnythingInForce && result.entitlements.isPro)
        }
        #expect(store.freshness == .current && store.entitlements.isPro)
    }

    @Test("a history of refunded purchases is not empty, and nothing is in force")
    func refunded() async throws {
        let harness = ServiceHarness()
        await harness.store.remember(
            harness.verifier.sign(Sample.payload("1", "pro.lifetime") { $0.revocationDate = Sample.at(1) }))
        await harness.store.remember(harness.verifier.forge(Sample.payload("2", "pro.lifetime")))
        let result = try await store(harness).restore()
        #expect(!result.history.isEmpty && !result.isAnythingInForce && result.hasProblems)
    }

    @Test("two years of a monthly subscription are one restored purchase, that of the latest period")
    func renewals() throws {
        let periods = try (0..<24).map { month in
            try Sample.transaction("\(month)", "pro.monthly", bought: Sample.at(day: 30 * month), original: "0")
        }
        let history = RestoredHistory(restored: periods + [try Sample.transaction("x", "template.a")])
        #expect(history.restoredPurchases.map(\.id) == ["23", "x"])
    }

    @Test("coins appear in the balances of a started entitlement store after a purchase without a refresh")
    func coins() async throws {
        let harness = ServiceHarness()
        let store = store(harness)
        await store.start().value
        _ = await harness.service.purchase(productID: "coins")
        for await entitlements in store.updates() where entitlements.balances == ["coins": 1] { break }
        #expect(store.entitlements.balances == ["coins": 1])
    }

    @Test("grounds and purchases that a preview sets agree with each other")
    func previews() throws {
        let granted = Entitlements(granting: [.pro, .template(TemplateID(rawValue: "A"))])
        #expect(granted.isPro && granted.templates.count == 1)
        #expect(granted.purchases(of: .pro).map(\.isGranted) == [true])
        let end = Sample.at(day: 30)
        let purchase = PurchaseDetails(
            productID: "pro.yearly", transactionID: "1", type: .autoRenewableSubscription, entitlements: [.pro],
            isGranted: true, purchaseDate: Sample.at(0), accessEnds: end)
        let shown = Entitlements(purchases: [purchase])
        #expect(shown.isPro && shown.grounds[.pro]?.map(\.kind) == [.subscription] && shown.nextEnd == end)
        let ended = PurchaseDetails(
            productID: "pro.yearly", transactionID: "1", type: .autoRenewableSubscription, entitlements: [.pro],
            isGranted: false, purchaseDate: Sample.at(0))
        #expect(!Entitlements(purchases: [ended]).isPro)
    }
}
