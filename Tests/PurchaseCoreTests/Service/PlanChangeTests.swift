import PurchaseCore
import ReceiptTypes
import Testing

/// Downgrades and crossgrades, which a store accepts without selling anything yet.
@Suite("Changes of plan")
struct PlanChangeTests {
    private let end = Sample.at(day: 30)

    /// A customer with a yearly subscription, and a store that accepts the change to the monthly one.
    private func subscribed(
        _ answer: (SignedTransaction) -> StorePurchase
    ) async throws -> (harness: ServiceHarness, store: EntitlementStore, coordinator: ProSubscriptionCoordinator) {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "pro.yearly")
        let present = try #require(await harness.store.past["sale-1"])
        await harness.store.answer("pro.monthly", .success(answer(present)))
        let renewal = harness.verifier.sign(
            Sample.renewal("sale-1", signed: Sample.at(1)) {
                $0.productId = "pro.yearly"
                $0.autoRenewProductId = "pro.monthly"
            })
        await harness.store.setStatuses([SignedSubscriptionStatus(transaction: present, renewalInfoJWS: renewal)])
        let store = EntitlementStore(service: harness.service, catalog: Sample.catalog, clock: harness.clock.now)
        let coordinator = ProSubscriptionCoordinator(
            purchaseService: harness.service, entitlementRefresher: store, catalog: Sample.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) })
        return (harness, store, coordinator)
    }

    @Test(
        "an accepted change of plan is pending until the renewal, whether the store answers with the present one or none"
    )
    func accepted() async throws {
        for isNone in [false, true] {
            let (_, store, coordinator) = try await subscribed { isNone ? .pending : .success($0) }
            let outcome = await coordinator.buyPro(productID: "pro.monthly")
            #expect(outcome == .pending(.changesAtRenewal(productID: "pro.monthly", date: end)))
            let changes = await store.entitlements.planChanges
            #expect(changes == [PlanChange(productID: "pro.yearly", nextProductID: "pro.monthly", date: end)])
            #expect(await store.entitlements.isPro)
        }
    }

    @Test("an accepted change of plan is not listed as a purchase that awaits an approval")
    func notPending() async throws {
        let (harness, _, coordinator) = try await subscribed { _ in .pending }
        _ = await coordinator.buyPro(productID: "pro.monthly")
        #expect(try await harness.service.pendingPurchases().isEmpty)
    }

    @Test("without the statuses it is not known what the store has accepted, so the purchase is pending")
    func unreachable() async throws {
        let (harness, _, _) = try await subscribed { .success($0) }
        let gate = Gate()
        await harness.store.hold(gate, at: .statuses)
        let purchase = Task { await harness.service.purchase(productID: "pro.monthly") }
        await gate.arrived()
        harness.timer.advance(by: PurchaseDeadlines().queryMilliseconds)
        #expect(PurchaseResultMapping.outcome(of: await purchase.value) == .pending(.noAnswer))
        await gate.open()
    }

    @Test("the present subscription as the answer for another product is a failure if no change was accepted")
    func notAccepted() async throws {
        let (harness, _, coordinator) = try await subscribed { .success($0) }
        await harness.store.setStatuses([])
        #expect(
            await coordinator.buyPro(productID: "pro.monthly") == .failed(PurchaseFlowError(.differentProduct, "")))
    }

    @Test("an unverified renewal info does not make a purchase a change of plan")
    func forged() async throws {
        let (harness, _, coordinator) = try await subscribed { .success($0) }
        let present = try #require(await harness.store.past["sale-1"])
        await harness.store.setStatuses([SignedSubscriptionStatus(transaction: present, renewalInfoJWS: "forged")])
        #expect(
            await coordinator.buyPro(productID: "pro.monthly") == .failed(PurchaseFlowError(.differentProduct, "")))
    }
}
