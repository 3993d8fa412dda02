import ReceiptTypes
import Testing
import TimerSupport

@testable import Paywall
@testable import PurchaseCore

/// Purchases that were begun and have not arrived: nothing is paid twice, and each sale counts for its own paywall.
@Suite("Open purchases of the paywall", .timeLimit(.minutes(15)))
@MainActor
struct OpenPurchaseTests {
    private let harness = FlowHarness()

    private static let network = PurchaseOutcome.failed(.storeKitError(StoreError(.network, "offline")))

    private var sales: [PaywallEvent] { harness.analytics.events.filter { $0.name == .purchaseSuccess } }

    private func buy(
        _ outcome: PurchaseOutcome, of productID: String = FlowHarness.yearly
    ) async throws -> PaywallViewModel {
        let paywall = try await harness.open()
        paywall.selectPlan(productID)
        harness.manager.outcome = outcome
        await paywall.buy()
        return paywall
    }

    // MARK: Approvals

    @Test("an approval that is awaited is an end of its own, and closes the paywall; once approved, it is a purchase")
    func awaitingApproval() async throws {
        let paywall = try await buy(.pending(.awaitingApproval))
        #expect(paywall.state.result == .awaitingApproval && paywall.state.message?.key == .awaitingApproval)
        #expect(harness.coordinator.state == .skipped && harness.coordinator.result == .awaitingApproval)
        #expect(harness.analytics.events.last?.properties["reason"] == .text("awaiting-approval"))
        harness.grant(FlowHarness.yearly)
        #expect(harness.coordinator.state == .purchased(entitlement: .pro) && harness.coordinator.result == .purchased)
        #expect(sales == [.purchaseSuccess(offerID: .b, planID: FlowHarness.yearly)])
        harness.grant(FlowHarness.yearly, FlowHarness.export)
        #expect(sales.count == 1)
    }

    @Test("an approval in a later session is a purchase of its offer, and leaves that session's result alone")
    func lateApproval() async throws {
        _ = try await buy(.pending(.awaitingApproval))
        let next = try await harness.open()
        harness.grant(FlowHarness.yearly)
        #expect(next.state.result == .restored && harness.coordinator.result == .restored)
        #expect(next.state.message?.key == .unlockedElsewhere, "nothing was restored")
        #expect(sales.count == 1)
    }

    @Test("a purchase after one that awaits approval counts once")
    func purchaseInPlaceOfApproval() async throws {
        _ = try await buy(.pending(.awaitingApproval))
        let next = try await harness.open()
        harness.manager.outcome = .success
        harness.unlock()
        await next.buy()
        #expect(next.state.result == .purchased && harness.coordinator.result == .purchased)
        #expect(sales.count == 1)
    }

    @Test("several approvals are awaited at once, also while another purchase is cancelled")
    func severalApprovals() async throws {
        _ = try await buy(.pending(.awaitingApproval), of: FlowHarness.yearly)
        _ = try await buy(.pending(.awaitingApproval), of: FlowHarness.weekly)
        let third = try await buy(.cancelled, of: FlowHarness.weekly)
        try third.dismiss()
        harness.grant(FlowHarness.yearly)
        harness.grant(FlowHarness.yearly, FlowHarness.weekly)
        #expect(sales.map(\.properties["plan"]) == [.text(FlowHarness.yearly), .text(FlowHarness.weekly)])
    }

    @Test("an approval counts after a tap on something that has no paywall, and its session is a purchase")
    func approvalAfterSkip() async throws {
        _ = try await buy(.pending(.awaitingApproval))
        #expect(try harness.coordinator.toPaywall(featureID: "notes") == nil)
        #expect(harness.coordinator.skipReason == .nothingToSell)
        #expect(harness.coordinator.result == .awaitingApproval, "the result of a session that has ended stays")
        harness.grant(FlowHarness.yearly)
        #expect(harness.coordinator.result == .purchased && harness.coordinator.state.step == .purchased)
    }

    @Test("the approvals of an earlier launch are the purchase service's, are shown, and count when they arrive")
    func earlierLaunch() async throws {
        harness.manager.pendingProductIDs = [FlowHarness.yearly]
        let paywall = try await harness.open()
        #expect(paywall.state.pendingPlanIDs == [FlowHarness.yearly])
        harness.manager.pendingProductIDs = [FlowHarness.yearly, FlowHarness.weekly]
        await paywall.load()
        #expect(paywall.state.pendingPlanIDs == [FlowHarness.weekly, FlowHarness.yearly])
        // Another purchase that unlocks the same is not the awaited one.
        harness.entitlements.entitlements = Entitlements(granting: [.pro, .feature("export")])
        #expect(sales.isEmpty && paywall.state.result == .restored)
        harness.grant(FlowHarness.yearly)
        #expect(sales == [.purchaseSuccess(offerID: nil, planID: FlowHarness.yearly)])
    }

    @Test("an approval that the service no longer awaits was declined, and does not count later")
    func declined() async throws {
        _ = try await buy(.pending(.awaitingApproval))
        harness.manager.pendingProductIDs = []
        _ = try await harness.open()
        harness.grant(FlowHarness.yearly)
        #expect(sales.isEmpty)
    }

    @Test("a paywall whose selected plan awaits an approval says so, and its button ends the wait")
    func stopWaiting() async throws {
        harness.manager.pendingProductIDs = [FlowHarness.yearly]
        let paywall = try await harness.open()
        paywall.selectPlan(FlowHarness.weekly)
        #expect(paywall.state.pendingMessage == nil)
        await paywall.perform(.stopWaiting)
        #expect(harness.manager.forgotten.isEmpty, "the weekly plan does not wait")
        paywall.selectPlan(FlowHarness.yearly)
        let message = try #require(paywall.state.pendingMessage)
        #expect(message.action == .stopWaiting && message.key == .stillAwaitingApproval)
        #expect(message.userMessage(harness.services.texts).advice.contains("stop waiting"))
        await paywall.performAction()
        #expect(harness.manager.forgotten == [FlowHarness.yearly])
        #expect(paywall.state.pendingPlanIDs.isEmpty && paywall.state.pendingMessage == nil)
        harness.manager.outcome = .success
        harness.unlock()
        #expect(await paywall.buy() == .success)
        #expect(paywall.state.result == .purchased && sales.count == 1)
    }

    @Test("an approval that was given up and arrives all the same is a purchase of its offer")
    func approvedAfterStopping() async throws {
        _ = try await buy(.pending(.awaitingApproval))
        harness.manager.pendingProductIDs = [FlowHarness.yearly]
        let paywall = try await harness.open()
        await paywall.stopWaiting()
        #expect(paywall.state.pendingPlanIDs.isEmpty)
        harness.grant(FlowHarness.yearly)
        #expect(sales == [.purchaseSuccess(offerID: .b, planID: FlowHarness.yearly)])
    }

    @Test("an approval that cannot be forgotten is still awaited, and the paywall says what has failed")
    func failedToStopWaiting() async throws {
        harness.manager.pendingProductIDs = [FlowHarness.yearly]
        let paywall = try await harness.open()
        paywall.selectPlan(FlowHarness.yearly)
        harness.manager.forgetFailure = PurchaseError(LedgerError(.notWritten, "the disk is full"))
        await paywall.stopWaiting()
        #expect(paywall.state.message?.tone == .failure && paywall.state.message?.error != nil)
        #expect(paywall.state.pendingMessage?.action == .stopWaiting)
    }

    @Test("an approval counts for the paywall that has ordered it, also after a second tap on another one")
    func orderedOnce() async throws {
        _ = try await buy(.pending(.awaitingApproval))
        let other = try #require(try harness.coordinator.toPaywall(featureID: "export"))
        other.selectPlan(FlowHarness.yearly)
        await other.buy()
        harness.grant(FlowHarness.yearly)
        #expect(sales == [.purchaseSuccess(offerID: .b, planID: FlowHarness.yearly)])
    }

    @Test("a purchase that is ordered while the list of the approvals is read is not taken for a declined one")
    func orderedDuringList() async throws {
        let paywall = try await harness.open()
        let list = holdList([])
        let load = Task { await paywall.load() }
        await list.arrived()
        harness.manager.outcome = .pending(.awaitingApproval)
        await paywall.buy()
        await list.open()
        await load.value
        harness.grant(FlowHarness.yearly)
        #expect(sales.count == 1)
    }

    @Test("an approval that arrives while the list of the approvals is read counts once")
    func arrivedDuringList() async throws {
        _ = try await buy(.pending(.awaitingApproval))
        let list = holdList([FlowHarness.yearly])
        let start = Task { try await harness.coordinator.start() }
        await list.arrived()
        harness.grant(FlowHarness.yearly)
        await list.open()
        try await start.value
        harness.grant(FlowHarness.yearly, FlowHarness.export)
        #expect(sales.count == 1)
    }

    @Test("an approval that is no longer awaited and not in the entitlements yet is not taken for a declined one")
    func approvedBeforeRefresh() async throws {
        let store = GatedEntitlements()
        let services = PaywallServices(
            entitlement: store, purchase: harness.manager, analytics: harness.analytics, catalog: FlowHarness.catalog,
            timer: StoppedTimer())
        let coordinator = PaywallCoordinator(services: services, remoteConfig: harness.remoteConfig)
        try await coordinator.start()
        harness.manager.outcome = .pending(.awaitingApproval)
        await (try #require(try coordinator.toPaywall(personalPromiseKey: nil))).buy()
        let list = holdList([])
        let start = Task { try await coordinator.start() }
        await list.arrived()
        harness.grant(FlowHarness.yearly)
        store.next = harness.entitlements.entitlements
        await list.open()
        try await start.value
        #expect(sales == [.purchaseSuccess(offerID: .b, planID: FlowHarness.yearly)])
    }

    @Test("a purchase without an answer awaits an approval as soon as the purchase service says so")
    func undecidedApproval() async throws {
        let paywall = try await buy(.pending(.noAnswer))
        harness.manager.pendingProductIDs = [FlowHarness.yearly]
        await paywall.load()
        #expect(paywall.state.pendingPlanIDs == [FlowHarness.yearly])
        harness.grant(FlowHarness.yearly)
        #expect(sales == [.purchaseSuccess(offerID: .b, planID: FlowHarness.yearly)])
    }

    /// Holds back the purchase service's list of the purchases that await an approval.
    private func holdList(_ productIDs: [String]) -> FlowGate {
        harness.manager.pendingProductIDs = productIDs
        harness.manager.pendingGate = FlowGate()
        return harness.manager.pendingGate
    }

    // MARK: Purchases that may have cost money

    @Test(
        "a purchase that may have cost money leaves the paywall open; its arrival is a purchase",
        arguments: [
            PendingReason.noAnswer, .notRecorded, .awaitingSignIn, .notHandedOver,
            .unverified(VerificationFailure(code: .keyNotFound)),
        ])
    func unsettled(reason: PendingReason) async throws {
        let paywall = try await buy(.pending(reason))
        #expect(paywall.state.result == nil && paywall.state.message?.tone == .notice && !paywall.isLoading)
        #expect(paywall.state.message?.action != .buyAgain && harness.coordinator.state.step == .paywall)
        #expect(harness.analytics.events.last?.name == .purchasePending)
        #expect(harness.analytics.events.last?.properties["reason"] == .text(reason.name))
        let advice = try #require(paywall.state.message).userMessage(languages: ["en"])
        #expect(!(advice.text + advice.advice).contains("try again"))
        harness.grant(FlowHarness.yearly)
        #expect(paywall.state.result == .purchased && sales.count == 1)
    }

    @Test("a purchase that is left open by a closed paywall counts when it arrives, and makes its session a purchase")
    func closedPaywall() async throws {
        let paywall = try await buy(.pending(.noAnswer))
        try paywall.dismiss()
        harness.grant(FlowHarness.yearly)
        #expect(sales == [.purchaseSuccess(offerID: .b, planID: FlowHarness.yearly)])
        #expect(harness.coordinator.result == .purchased)
    }

    @Test(
        "after a failure that may have been a sale, the advice is to wait, and nothing invites to buy again [OTP-5.5]")
    func advice() async throws {
        let paywall = try await buy(Self.network)
        let words = try #require(paywall.state.message).userMessage(languages: ["en"])
        #expect(words.text == "The store cannot be reached.")
        #expect(words.advice.contains("restore purchases") && words.advice.contains("Do not buy it again"))
        #expect(paywall.state.message?.action == .restoreAgain)
    }

    @Test(
        "nothing is bought while an earlier purchase may have been made; a restore that does not find it is the way on")
    func nothingBoughtTwice() async throws {
        let paywall = try await buy(Self.network)
        let refreshes = harness.entitlements.refreshCount
        #expect(await paywall.buy() == .pending(.noAnswer))
        #expect(harness.manager.purchases.count == 1 && harness.entitlements.refreshCount == refreshes + 1)
        #expect(paywall.state.message?.key == .undecidedPurchase && paywall.state.message?.action == .restoreAgain)
        #expect(harness.coordinator.state.step == .paywall && !paywall.isLoading)
        paywall.selectPlan(FlowHarness.weekly)
        #expect(await paywall.buy() == .pending(.noAnswer), "another plan would be bought in addition")

        harness.manager.restoreOutcome = .failed(PurchaseError(StoreError(.network, "offline")))
        await paywall.restore()
        #expect(await paywall.buy() == .pending(.noAnswer), "the store has not answered")
        harness.manager.restoreOutcome = .nothingFound
        await paywall.restore()
        harness.manager.outcome = .cancelled
        #expect(await paywall.buy() == .cancelled && harness.manager.purchases.count == 2)
        harness.grant(FlowHarness.yearly)
        #expect(
            paywall.state.result == .restored && sales == [.purchaseSuccess(offerID: .b, planID: FlowHarness.yearly)])
    }

    @Test("a restore that finds nothing but an approval has had the store's answer about all other purchases")
    func restoreWithApproval() async throws {
        let paywall = try await buy(Self.network)
        harness.manager.restoreOutcome = .failed(PurchaseError(VerificationFailure(code: .purchasePending)))
        await paywall.restore()
        harness.manager.outcome = .cancelled
        #expect(await paywall.buy() == .cancelled)
    }

    @Test("a purchase that is paid is never repeated, also not on the next paywall and after a restore")
    func paid() async throws {
        let paywall = try await buy(.pending(.notRecorded))
        await paywall.restore()
        #expect(await paywall.buy() == .pending(.noAnswer))
        try paywall.dismiss()
        let next = try await harness.open()
        #expect(await next.buy() == .pending(.noAnswer) && harness.manager.purchases.count == 1)
    }

    @Test("an earlier purchase that has arrived by the next tap closes the paywall, and nothing is bought")
    func arrivedBeforeTap() async throws {
        let store = GatedEntitlements()
        let services = PaywallServices(
            entitlement: store, purchase: harness.manager, analytics: harness.analytics, catalog: FlowHarness.catalog,
            timer: StoppedTimer())
        let paywall = try await harness.paywall(services)
        harness.manager.outcome = .pending(.noAnswer)
        await paywall.buy()
        harness.grant(FlowHarness.yearly)
        store.next = harness.entitlements.entitlements
        #expect(await paywall.buy() == .success)
        #expect(harness.manager.purchases.count == 1 && paywall.state.result == .purchased && sales.count == 1)
    }

    @Test("a product that the store sells only once can be bought after a lost answer")
    func soldOnce() async throws {
        for type in [ProductType.autoRenewableSubscription, .nonConsumable, .nonRenewingSubscription] {
            let harness = FlowHarness()
            let paywall = try await harness.paywall(
                ListedProducts([.sample(FlowHarness.yearly, type), .sample(FlowHarness.weekly, type)]))
            await paywall.load()
            harness.manager.outcome = Self.network
            await paywall.buy()
            await paywall.buy()
            #expect(harness.manager.purchases.count == (type == .nonRenewingSubscription ? 1 : 2), "\(type)")
            paywall.selectPlan(FlowHarness.weekly)
            #expect(await paywall.buy() == .pending(.noAnswer), "another product is sold in addition")
        }
    }

    @Test("an earlier period of the same product is not the purchase that is awaited")
    func earlierTransaction() async throws {
        harness.grant(FlowHarness.export)
        let paywall = try await harness.paywall(
            offer: Offer(
                id: .a, layoutVariant: "cards",
                plans: FlowHarness.offer.plans + [Plan(id: FlowHarness.export, displayPrice: "", period: "")],
                defaultPlanID: FlowHarness.export))
        harness.manager.outcome = .pending(.noAnswer)
        await paywall.buy()
        harness.grant(FlowHarness.export)
        #expect(paywall.state.result == nil && sales.isEmpty)
        harness.grant(FlowHarness.export, transaction: "2")
        #expect(paywall.state.result == .purchased && sales.count == 1)
    }

    @Test("another user takes over neither an open purchase nor the paywall nor the risk")
    func otherUser() async throws {
        let paywall = try await buy(.pending(.noAnswer))
        #expect(harness.risk.snapshot.level == .low)
        harness.entitlements.changeUser()
        #expect(paywall.state.result == .skipped(.entitlementsUnknown) && harness.risk.snapshot == .unknown)
        harness.entitlements.freshness = .current
        harness.grant(FlowHarness.yearly)
        #expect(sales.isEmpty && harness.coordinator.result != .purchased)
    }

    @Test("the risk of a user is not the one of the next, also if nothing was loaded for the former user")
    func riskOfUnloadedUser() async throws {
        harness.entitlements.freshness = .notLoaded
        try await harness.coordinator.start()
        #expect(harness.risk.snapshot.level == .low)
        harness.entitlements.changeUser()
        #expect(harness.risk.snapshot == .unknown)
    }

    @Test(
        "the events of a paywall for a feature have the feature and none of the offers, and the purchase has no offer")
    func feature() async throws {
        try await harness.coordinator.start()
        let paywall = try #require(try harness.coordinator.toPaywall(featureID: "export"))
        harness.unlock(FlowHarness.export)
        await paywall.buy()
        #expect(harness.manager.purchases == [.init(productID: FlowHarness.export, offerID: nil)])
        #expect(harness.analytics.names == ["paywallView", "paywallCTAClick", "purchaseSuccess"])
        for event in harness.analytics.events {
            #expect(event.properties["feature"] == .text("export") && event.properties["offer"] == nil)
        }
    }
}
