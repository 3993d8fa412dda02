import Observation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import Paywall

/// How purchases end on an open paywall: what the customer sees, and what analytics receives.
@Suite("The paywall's view model", .timeLimit(.minutes(15)))
@MainActor
struct PaywallViewModelTests {
    private let harness = FlowHarness()

    private static let network = PurchaseOutcome.failed(.storeKitError(StoreError(.network, "offline")))
    private static let forged = VerificationFailure(code: .signatureInvalid)
    private static let undecided = VerificationFailure(code: .keyNotFound)

    private func event(_ name: String) -> PaywallEvent? { harness.analytics.events.last { $0.name.rawValue == name } }

    // MARK: Purchases

    @Test("a purchase that unlocks the plan closes the paywall and says so [PWF-6][OTP-5.4][OTP-5.5]")
    func success() async throws {
        let paywall = try await harness.open()
        harness.unlock()
        #expect(await paywall.buy() == .success)
        #expect(harness.manager.purchases == [.init(productID: FlowHarness.yearly, offerID: "B")])
        #expect(paywall.state.result == .purchased && !paywall.isLoading && paywall.errorMessage == nil)
        #expect(paywall.state.message?.tone == .success)
        #expect(
            paywall.state.message?.userMessage(languages: ["ja"]).text
                == "ありがとうございます。ご利用いただけるようになりました。")
        #expect(harness.coordinator.state == .purchased(entitlement: .pro) && harness.coordinator.result == .purchased)
        #expect(harness.analytics.names == ["paywallView", "paywallCTAClick", "purchaseSuccess"])
        #expect(event("purchaseSuccess") == .purchaseSuccess(offerID: .b, planID: FlowHarness.yearly))
    }

    @Test("a sale after which nothing is in force is not a success, and the document's message says so [PWF-6][PWF-7]")
    func inactive() async throws {
        let paywall = try await harness.open()
        let refreshes = harness.entitlements.refreshCount
        await paywall.buy()
        #expect(paywall.state.result == nil && paywall.errorMessage == "Subscription not active yet.")
        #expect(paywall.state.message?.action == .contactSupport && !paywall.isLoading)
        #expect(harness.entitlements.refreshCount == refreshes + 1)
        #expect(harness.coordinator.state == .error(message: "Subscription not active yet."))
        #expect(
            event("purchaseFail")
                == .purchaseFail(offerID: .b, planID: FlowHarness.yearly, reason: .entitlementInactive))
        #expect(event("purchaseFail")?.properties["reason"] == .text("entitlement_inactive"))
    }

    @Test("a cancelled purchase leaves the paywall open and says so, and is no failure [PWF-6][OTP-5.5]")
    func cancelled() async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = .cancelled
        await paywall.buy()
        #expect(paywall.state.message?.key == .cancelled && paywall.state.message?.tone == .notice)
        #expect(paywall.state.result == nil && paywall.errorMessage == nil && !paywall.isLoading)
        #expect(harness.coordinator.state.step == .paywall && harness.coordinator.result == nil)
        #expect(harness.analytics.names == ["paywallView", "paywallCTAClick", "purchaseCancelled"])
    }

    @Test("a failure of the store leaves the paywall open and has the document's reason [PWF-6][PWF-7][OTP-5.5]")
    func failed() async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = Self.network
        await paywall.buy()
        #expect(paywall.errorMessage == "The store cannot be reached." && paywall.state.result == nil)
        #expect(harness.coordinator.state == .error(message: "The store cannot be reached."))
        #expect(
            event("purchaseFail")
                == .purchaseFail(
                    offerID: .b, planID: FlowHarness.yearly, reason: .storeKitOrNetwork, code: "store-kit-error"))
        #expect(event("purchaseFail")?.properties["reason"] == .text("storekit_or_network"))
        harness.unlock()
        harness.manager.outcome = .success
        await paywall.buy()
        #expect(paywall.state.result == .purchased && paywall.errorMessage == nil)
    }

    @Test("a retry is offered only where a second charge is impossible, and repeats the purchase [OTP-5.5]")
    func retry() async throws {
        // The kind of the product is not known, so a lost answer may have been a sale of something that is sold twice.
        let paywall = try await harness.open()
        harness.manager.outcome = Self.network
        await paywall.buy()
        #expect(paywall.state.message?.action == nil)
        harness.manager.outcome = .failed(PurchaseFlowError(.rateLimited, "too many"))
        await paywall.buy()
        #expect(paywall.state.message?.action == .buyAgain)
        harness.manager.outcome = .success
        harness.unlock()
        await paywall.performAction()
        #expect(harness.manager.purchases.count == 3 && paywall.state.result == .purchased)
    }

    @Test("a retry is offered after a lost answer for a product that the store sells only once [OTP-5.5]")
    func retryOfKnownProduct() async throws {
        for type in [ProductType.autoRenewableSubscription, .nonConsumable, .nonRenewingSubscription] {
            let shop = ListedProducts([.sample(FlowHarness.yearly, type), .sample(FlowHarness.weekly, type)])
            let paywall = PaywallViewModel(
                offer: FlowHarness.offer, analytics: harness.analytics, purchase: harness.manager,
                entitlement: harness.entitlements, products: PurchaseRepository(service: shop),
                catalog: FlowHarness.catalog)
            await paywall.load()
            harness.manager.outcome = Self.network
            await paywall.buy()
            #expect(paywall.state.message?.action == (type == .nonRenewingSubscription ? nil : .buyAgain), "\(type)")
        }
    }

    @Test("a purchase that is not verified unlocks nothing and leads to support, not to a retry [PWF-6]")
    func unverified() async throws {
        for outcome in [
            PurchaseOutcome.failed(.unverified(Self.forged)), .pending(.unverified(Self.undecided)),
            .failed(.unverified(Self.undecided)),
        ] {
            let harness = FlowHarness()
            let paywall = try await harness.open()
            harness.manager.outcome = outcome
            await paywall.buy()
            #expect(paywall.state.message?.action == .contactSupport && paywall.state.message?.tone == .failure)
            #expect(paywall.state.result == nil && harness.coordinator.state.step == .error)
            let fail = harness.analytics.events.last
            #expect(fail?.name == .purchaseFail && fail?.properties["reason"] == .text("entitlement_inactive"))
            await paywall.performAction()
            #expect(harness.manager.purchases.count == 1)
        }
    }

    @Test("an approval that is awaited is an end of its own, and closes the paywall; once approved, it is a purchase")
    func awaitingApproval() async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = .pending(.awaitingApproval)
        await paywall.buy()
        #expect(paywall.state.result == .awaitingApproval && paywall.state.message?.key == .awaitingApproval)
        #expect(harness.coordinator.state == .skipped && harness.coordinator.result == .awaitingApproval)
        #expect(event("purchasePending")?.properties["reason"] == .text("awaiting-approval"))
        harness.entitlements.entitlements = Entitlements(granting: [.pro])
        #expect(harness.coordinator.state == .purchased(entitlement: .pro) && harness.coordinator.result == .purchased)
        #expect(harness.analytics.names.count { $0 == "purchaseSuccess" } == 1)
        harness.entitlements.entitlements = Entitlements(granting: [.pro, .feature("export")])
        #expect(harness.analytics.names.count { $0 == "purchaseSuccess" } == 1)
    }

    @Test("an approval in a later session is a purchase of its offer, and leaves that session's result alone")
    func lateApproval() async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = .pending(.awaitingApproval)
        await paywall.buy()
        let next = try await harness.open()
        harness.entitlements.entitlements = Entitlements(granting: [.pro])
        #expect(next.state.result == .restored && harness.coordinator.result == .restored)
        #expect(harness.analytics.names.count { $0 == "purchaseSuccess" } == 1)
    }

    @Test("a purchase after one that awaits approval counts once")
    func purchaseInPlaceOfApproval() async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = .pending(.awaitingApproval)
        await paywall.buy()
        let next = try await harness.open()
        harness.manager.outcome = .success
        harness.unlock()
        await next.buy()
        #expect(next.state.result == .purchased && harness.coordinator.result == .purchased)
        #expect(harness.analytics.names.count { $0 == "purchaseSuccess" } == 1)
    }

    @Test(
        "a purchase that may have cost money and has not arrived leaves the paywall open; its arrival is a purchase",
        arguments: [PendingReason.noAnswer, .notRecorded, .awaitingSignIn])
    func unsettled(reason: PendingReason) async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = .pending(reason)
        await paywall.buy()
        #expect(paywall.state.result == nil && paywall.state.message?.tone == .notice && !paywall.isLoading)
        #expect(paywall.state.message?.action == nil && harness.coordinator.state.step == .paywall)
        #expect(event("purchasePending")?.properties["reason"] == .text(reason.name))
        harness.entitlements.entitlements = Entitlements(granting: [.pro])
        #expect(paywall.state.result == .purchased && event("purchaseSuccess") != nil)
    }

    @Test("a purchase that is unlocked and not handed over yet, and a change of the plan, count as bought")
    func unlockedWithRest() async throws {
        let rests: [(PendingReason, MessageKey)] = [
            (.notHandedOver, .purchaseUnlocked),
            (.changesAtRenewal(productID: FlowHarness.weekly, date: nil), .changesAtRenewal),
        ]
        for (reason, key) in rests {
            let harness = FlowHarness()
            let paywall = try await harness.open()
            harness.manager.outcome = .pending(reason)
            harness.unlock()
            await paywall.buy()
            #expect(paywall.state.result == .purchased && paywall.state.message?.key == key)
        }
    }

    @Test("a plan that the customer owns is restored, which is no sale in analytics")
    func alreadyOwned() async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = .alreadyOwned
        harness.unlock()
        await paywall.buy()
        #expect(paywall.state.result == .restored && harness.coordinator.state == .purchased(entitlement: .pro))
        #expect(event("purchaseSuccess") == nil && event("restoreSuccess")?.properties["plan"] != nil)
    }

    @Test("while purchases are switched off, nothing is bought and the answer says why")
    func purchasesDisabled() async throws {
        let paywall = try await harness.open()
        harness.flags.withLock { $0.purchasesEnabled = false }
        #expect(await paywall.buy() == .failed(.purchasesDisabled))
        #expect(harness.manager.purchases.isEmpty && paywall.state.message?.key == .salesPaused && !paywall.isLoading)
        #expect(harness.coordinator.state.step == .paywall)
    }

    // MARK: Re-entry and deadlines

    @Test("a second purchase, a restore and a selection during a purchase do nothing [PWF-8]")
    func reentry() async throws {
        let paywall = try await harness.open()
        harness.manager.gate = FlowGate()
        harness.unlock()
        // Both calls are made before either has suspended.
        async let first = paywall.buy()
        async let second = paywall.buy()
        await harness.manager.gate.arrived()
        #expect(paywall.isLoading && harness.coordinator.state.step == .purchasing)
        #expect(await paywall.buy() == nil)
        #expect(await paywall.restore() == nil)
        paywall.selectPlan(FlowHarness.weekly)
        #expect(paywall.selectedPlanID == FlowHarness.yearly)
        #expect(throws: PaywallFlowError(.impossibleTransition, from: .purchasing, to: .skipped)) {
            try paywall.dismiss()
        }
        await harness.manager.gate.open()
        #expect(await [first, second].compactMap(\.self) == [.success])
        #expect(harness.manager.purchases.count == 1 && harness.manager.restoreCount == 0)
        #expect(harness.analytics.names.count { $0 == "paywallCTAClick" } == 1)
        #expect(await paywall.buy() == nil, "the paywall is closed")
    }

    @Test("a paywall without a coordinator buys once, too, and closes [PWF-8]")
    func withoutCoordinator() async throws {
        let paywall = PaywallViewModel(
            offer: FlowHarness.offer, analytics: harness.analytics, purchase: harness.manager,
            entitlement: harness.entitlements, catalog: FlowHarness.catalog)
        harness.manager.gate = FlowGate()
        harness.unlock()
        let first = Task { await paywall.buy() }
        await harness.manager.gate.arrived()
        #expect(await paywall.buy() == nil)
        await harness.manager.gate.open()
        #expect(await first.value == .success)
        #expect(harness.manager.purchases.count == 1 && paywall.state.result == .purchased)
    }

    @Test("a purchase and a restore that never answer end with the deadline; a late purchase still closes the paywall")
    func deadlines() async throws {
        let paywall = try await harness.open()
        harness.manager.gate = FlowGate()
        let purchase = Task { await paywall.buy() }
        await harness.manager.gate.arrived()
        harness.timer.endWaits()
        #expect(await purchase.value == .pending(.noAnswer))
        #expect(!paywall.isLoading && paywall.state.message?.key == .noAnswer)

        harness.manager.gate = FlowGate()
        let restore = Task { await paywall.restore() }
        await harness.manager.gate.arrived()
        #expect(paywall.state.activity == .restoring)
        harness.timer.endWaits()
        _ = await restore.value
        #expect(!paywall.isLoading && paywall.errorMessage != nil && paywall.state.result == nil)
        harness.entitlements.entitlements = Entitlements(granting: [.pro])
        #expect(paywall.state.result == .restored)
        await harness.manager.gate.open()
    }

    // MARK: Restoring

    @Test(
        "a restore that unlocks closes the paywall; the other results are told apart, and nothing is no error [PWF-6]")
    func restore() async throws {
        let paywall = try await harness.open()
        #expect(await paywall.restore() == .nothingFound)
        #expect(paywall.state.message?.key == .nothingToRestore && paywall.state.message?.tone == .notice)
        #expect(event("restoreSuccess") == .restoreSuccess(offerID: .b, result: "nothing-found"))

        harness.manager.restoreOutcome = .alreadyRestored
        await paywall.restore()
        #expect(paywall.state.message?.key == .alreadyRestored && paywall.state.result == nil)

        harness.manager.restoreOutcome = .failed(PurchaseError(StoreError(.network, "offline")))
        await paywall.restore()
        #expect(paywall.errorMessage != nil && paywall.state.message?.action == .restoreAgain)
        #expect(harness.coordinator.state.step == .error)
        #expect(event("restoreFail") == .restoreFail(offerID: .b, reason: "NETWORK_ERROR"))

        harness.manager.restoreOutcome = .failed(PurchaseError(StoreError(.userCancelled, "closed")))
        await paywall.restore()
        #expect(paywall.state.message?.tone == .notice && harness.coordinator.state.step == .paywall)

        harness.manager.restoreOutcome = .restored(1)
        harness.unlock()
        await paywall.performAction()
        #expect(paywall.state.result == .restored && paywall.state.message?.key == .purchasesRestored)
        #expect(harness.coordinator.state == .purchased(entitlement: .pro) && harness.coordinator.result == .restored)
        #expect(harness.manager.restoreCount == 5)
    }

    @Test("a restored purchase of something else leaves the paywall open")
    func restoredSomethingElse() async throws {
        let paywall = try await harness.open()
        harness.manager.restoreOutcome = .restored(1)
        harness.unlock([.feature("export")])
        await paywall.restore()
        #expect(paywall.state.result == nil && paywall.state.message?.key == .alreadyRestored)
    }

    // MARK: Selecting and closing

    @Test("the default plan is selected, a tap selects another one, and an unknown id changes nothing [PWF-6][OTP-5.3]")
    func selection() async throws {
        let paywall = try await harness.open()
        #expect(paywall.selectedPlanID == FlowHarness.yearly && paywall.state.selectedPlan?.isBestValue == true)
        paywall.selectPlan(FlowHarness.weekly)
        paywall.selectPlan("unknown")
        #expect(paywall.selectedPlanID == FlowHarness.weekly)
        #expect(event("paywallPlanSelected") == .paywallPlanSelected(offerID: .b, planID: FlowHarness.weekly))
        #expect(harness.analytics.names.count { $0 == "paywallPlanSelected" } == 1)
        harness.unlock()
        await paywall.buy()
        #expect(harness.manager.purchases.map(\.productID) == [FlowHarness.weekly])
    }

    @Test("declined, dismissed and failed are different ends, and after an end nothing changes")
    func ends() async throws {
        let declined = try await FlowHarness().open()
        try declined.decline()
        #expect(declined.state.result == .declined)
        try declined.dismiss()
        #expect(declined.state.result == .declined)

        let dismissed = try await harness.open()
        try dismissed.dismiss()
        #expect(dismissed.state.result == .dismissed && harness.coordinator.result == .dismissed)
        #expect(harness.coordinator.state == .skipped && harness.analytics.names.last == "paywallDismissed")
        #expect(await dismissed.restore() == nil)

        let other = FlowHarness()
        let failed = try await other.open()
        other.manager.outcome = Self.network
        await failed.buy()
        try failed.dismiss()
        #expect(failed.state.result == .failed(message: "The store cannot be reached."))
        #expect(other.coordinator.state == .skipped && other.coordinator.result == failed.state.result)
    }

    @Test("a paywall that does not allow dismissal stays open, whichever way is tried [OTP-5.1]")
    func hardPaywall() async throws {
        try await harness.coordinator.start()
        let paywall = try #require(try harness.coordinator.toPaywall(featureID: "export", allowDismiss: false))
        let refused = PaywallFlowError(.dismissalNotAllowed, from: .paywall, to: .skipped)
        #expect(throws: refused) { try paywall.dismiss() }
        #expect(throws: refused) { try paywall.decline() }
        #expect(throws: refused) { try harness.coordinator.skip() }
        #expect(paywall.state.result == nil && harness.coordinator.state.step == .paywall)
    }

    @Test("a paywall that does not allow dismissal can be closed while nothing can be bought [OTP-5.1]")
    func hardPaywallWithoutSale() async throws {
        try await harness.coordinator.start()
        let paywall = try #require(try harness.coordinator.toPaywall(featureID: "export", allowDismiss: false))
        harness.flags.withLock { $0.purchasesEnabled = false }
        try paywall.dismiss()
        #expect(harness.coordinator.state == .skipped && harness.coordinator.result == .dismissed)

        let unsold = PaywallViewModel(
            offer: FlowHarness.offer, analytics: harness.analytics, purchase: harness.manager,
            entitlement: harness.entitlements, allowsDismissal: false,
            products: PurchaseRepository(service: ListedProducts([])))
        #expect(throws: PaywallFlowError.self) { try unsold.dismiss() }
        await unsold.load()
        try unsold.dismiss()
        #expect(unsold.state.result?.name == "failed")
    }

    @Test("a sale of another product than the selected one leads to support, and is no failure of the store")
    func differentProduct() async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = .failed(PurchaseFlowError(.differentProduct, "sold something else"))
        await paywall.buy()
        #expect(paywall.state.message?.action == .contactSupport && paywall.state.result == nil)
        #expect(event("purchaseFail")?.properties["reason"] == .text("entitlement_inactive"))
        #expect(event("purchaseFail")?.properties["code"] == .text("different-product"))
    }

    @Test("every message has a text in each language, and a failure its advice")
    func texts() {
        let keys: [MessageKey] = [
            .purchaseUnlocked, .purchasesRestored, .alreadyRestored, .nothingToRestore, .notActive, .awaitingApproval,
            .changesAtRenewal, .noAnswer, .awaitingSignIn, .cancelled, .notSaved, .restoreCancelled,
        ]
        for key in keys {
            let message = PaywallMessage(.notice, key)
            let texts = MessageCatalog.standardLanguages.map { message.userMessage(languages: [$0]) }
            #expect(Set(texts.map(\.text)).count == 3 && !texts.contains { $0.text == key.rawValue }, "\(key)")
        }
        #expect(!PaywallMessage(.failure, .notActive).userMessage(languages: ["en"]).advice.isEmpty)
    }

    // MARK: Observing

    @Test("the stream begins with the state and has every result, also for Observation")
    func observing() async throws {
        let paywall = try await harness.open()
        let result = Task { await paywall.waitForResult() }
        let model = ObservableScreen(paywall)
        let flow = ObservablePaywallFlow(harness.coordinator)
        let following = [Task { await model.follow() }, Task { await flow.follow() }]
        harness.unlock()
        await paywall.buy()
        #expect(await result.value == .purchased)
        var ends = Observations { model.state.result != nil && flow.result != nil && flow.state.step == .purchased }
            .makeAsyncIterator()
        while await ends.next() == false {}
        #expect(model.state == paywall.state && flow.state == harness.coordinator.state)
        for task in following { task.cancel() }
    }
}
