import Observation
import ReceiptTypes
import Testing
import TimerSupport

@testable import Paywall
@testable import PurchaseCore

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
        #expect(paywall.state.message?.action == .restoreAgain && !paywall.isLoading)
        #expect(harness.entitlements.refreshCount == refreshes + 1)
        #expect(harness.coordinator.state == .error(message: "Subscription not active yet."))
        #expect(
            event("purchaseFail")
                == .purchaseFail(offerID: .b, planID: FlowHarness.yearly, reason: .entitlementInactive))
        #expect(event("purchaseFail")?.properties["reason"] == .text("entitlement_inactive"))
    }

    @Test("a sale that unlocks nothing is no success, also if the customer has the same by another purchase [PWF-6]")
    func unlockedBefore() async throws {
        // The yearly plan unlocks the export too, which was bought on its own before.
        harness.grant(FlowHarness.export)
        let paywall = try await harness.open()
        await paywall.buy()
        #expect(paywall.state.result == nil && paywall.state.message?.tone == .failure)
        #expect(event("purchaseSuccess") == nil && event("purchaseFail") != nil)

        // A part of what the plan unlocks is not the plan.
        harness.entitlements.entitlements = Entitlements(grounds: [
            .feature("export"): [
                Ground(kind: .subscription, productID: FlowHarness.yearly, transactionID: "2", end: nil)
            ]
        ])
        #expect(paywall.state.result == nil && event("purchaseSuccess") == nil)
        harness.grant(FlowHarness.yearly)
        #expect(paywall.state.result == .purchased && event("purchaseSuccess") != nil)
    }

    @Test("the entitlements are refreshed after every sale, also if the plan is unlocked already [PWF-6]")
    func refreshes() async throws {
        let outcomes: [PurchaseOutcome] = [
            .success, .alreadyOwned, .pending(.notHandedOver),
            .pending(.changesAtRenewal(productID: FlowHarness.weekly, date: nil)),
            .pending(.offerAtRenewal(productID: FlowHarness.weekly, date: nil)),
            .pending(.renewsAgain(productID: FlowHarness.weekly, date: nil)),
            .failed(PurchaseFlowError(.differentProduct, "sold something else")),
        ]
        for outcome in outcomes {
            let harness = FlowHarness()
            let paywall = try await harness.open()
            let refreshes = harness.entitlements.refreshCount
            harness.manager.outcome = outcome
            harness.unlock()
            await paywall.buy()
            #expect(harness.entitlements.refreshCount == refreshes + 1, "\(outcome)")
        }
    }

    @Test("a sale of a product that is no subscription and is not in force is told in words of its own")
    func inactiveProduct() async throws {
        try await harness.coordinator.start()
        let paywall = try #require(try harness.coordinator.toPaywall(featureID: "export"))
        await paywall.buy()
        #expect(paywall.errorMessage == "The purchase is not unlocked yet.")
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
    }

    @Test("a retry is offered only after a purchase that has cost nothing, and buys the plan that has failed [OTP-5.5]")
    func retry() async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = .failed(PurchaseFlowError(.rateLimited, "too many"))
        await paywall.buy()
        #expect(paywall.state.message?.action == .buyAgain)
        paywall.selectPlan(FlowHarness.weekly)
        harness.manager.outcome = .success
        harness.unlock()
        await paywall.performAction()
        #expect(harness.manager.purchases.map(\.productID) == [FlowHarness.yearly, FlowHarness.yearly])
        #expect(paywall.state.result == .purchased && paywall.selectedPlanID == FlowHarness.yearly)

        let other = FlowHarness()
        let closed = try await other.open()
        other.manager.outcome = .failed(PurchaseFlowError(.rateLimited, "too many"))
        await closed.buy()
        closed.selectPlan(FlowHarness.weekly)
        try closed.dismiss()
        await closed.perform(.buyAgain)
        #expect(closed.selectedPlanID == FlowHarness.weekly && other.manager.purchases.count == 1)
    }

    @Test("a purchase that is not verified unlocks nothing and leads to support, not to a retry [PWF-6]")
    func unverified() async throws {
        for outcome in [
            PurchaseOutcome.failed(.unverified(Self.forged)), .pending(.unverified(Self.forged)),
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
            let log = String(decoding: try await paywall.supportLog() ?? [], as: UTF8.self)
            let code = outcome == .failed(.unverified(Self.undecided)) ? Self.undecided.code : Self.forged.code
            #expect(log.contains("product: \(FlowHarness.yearly)\n") && log.contains("verification: \(code)\n"))
            #expect(fail?.properties["code"] == .text(code.rawValue))
            #expect(log.contains("offer: B\nproduct") && log.contains("revision: 0\n"))
        }
        let silent = PaywallServices(
            entitlement: harness.entitlements, purchase: harness.manager, timer: StoppedTimer())
        #expect(try await harness.paywall(silent).supportLog() == nil)
    }

    @Test("an offer for the next renewal, and a renewal that is switched on again, are no sale and say their date")
    func renewalChanges() async throws {
        let date = try #require(Timestamp(rfc3339: "2026-12-24T00:00:00Z"))
        let id = FlowHarness.yearly
        let cases: [(PendingReason, String)] = [
            (.offerAtRenewal(productID: id, date: date), "The offer begins on December 24, 2026."),
            (.offerAtRenewal(productID: id, date: nil), "The offer begins with the next renewal."),
            (
                .renewsAgain(productID: id, date: date),
                "Your subscription renews automatically again, next on December 24, 2026."
            ),
            (.renewsAgain(productID: id, date: nil), "Your subscription renews automatically again."),
        ]
        for (reason, text) in cases {
            let harness = FlowHarness()
            let paywall = try await harness.open()
            harness.manager.outcome = .pending(reason)
            await paywall.buy()
            #expect(paywall.state.message?.userMessage(languages: ["en"]).text == text)
            guard case .changesAtRenewal = paywall.state.result else {
                Issue.record("\(reason.name) has ended the paywall as \(String(describing: paywall.state.result))")
                continue
            }
            #expect(harness.analytics.names == ["paywallView", "paywallCTAClick", "purchasePending"])
        }
    }

    @Test("a change of the plan with the next renewal is an end of its own with its date, and no sale")
    func changesAtRenewal() async throws {
        let date = try #require(Timestamp(rfc3339: "2026-12-24T00:00:00Z"))
        for (date, text) in [
            (date, "The plan changes on December 24, 2026."), (nil, "The plan changes with the next renewal."),
        ] {
            let harness = FlowHarness()
            let paywall = try await harness.open()
            harness.manager.outcome = .pending(.changesAtRenewal(productID: FlowHarness.yearly, date: date))
            await paywall.buy()
            #expect(paywall.state.result == .changesAtRenewal(productID: FlowHarness.yearly, date: date))
            #expect(paywall.state.message?.tone == .notice && paywall.errorMessage == nil)
            #expect(paywall.state.message?.userMessage(languages: ["en"]).text == text)
            #expect(harness.coordinator.state == .skipped && harness.coordinator.result == paywall.state.result)
            #expect(harness.analytics.names == ["paywallView", "paywallCTAClick", "purchasePending"])
            // The renewal is no sale of the paywall either.
            harness.grant(FlowHarness.yearly)
            #expect(!harness.analytics.names.contains("purchaseSuccess"))
        }
    }

    @Test("a purchase that is unlocked and not handed over yet counts as bought")
    func unlockedWithRest() async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = .pending(.notHandedOver)
        harness.unlock()
        await paywall.buy()
        #expect(paywall.state.result == .purchased && paywall.state.message?.key == .purchaseUnlocked)
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

    @Test("a plan that the store calls owned and that is not in force is no failure, and leads to a restore")
    func ownedAndNotInForce() async throws {
        let paywall = try await harness.open()
        harness.manager.outcome = .alreadyOwned
        await paywall.buy()
        #expect(paywall.state.result == nil && paywall.state.message?.action == .restoreAgain)
        #expect(paywall.errorMessage == nil && event("purchaseFail") == nil)
    }

    @Test("while purchases are switched off, nothing is bought and the answer says why")
    func purchasesDisabled() async throws {
        let paywall = try await harness.open()
        harness.flags.withLock { $0.purchasesEnabled = false }
        #expect(await paywall.buy() == .failed(.purchasesDisabled))
        #expect(harness.manager.purchases.isEmpty && paywall.state.message?.key == .salesPaused && !paywall.isLoading)
        #expect(harness.coordinator.state == .error(message: paywall.errorMessage ?? ""))
        #expect(harness.analytics.names == ["paywallView", "paywallCTAClick", "purchaseFail"])
        #expect(event("purchaseFail")?.properties["code"] == .text("purchases-disabled"))
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
        harness.grant(FlowHarness.yearly)
        #expect(paywall.state.result == .purchased && event("purchaseSuccess") != nil)
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
        #expect(
            paywall.state.message?.userMessage(languages: ["en"]).advice
                == "What you selected is not among your purchases.")

        harness.manager.restoreOutcome = .failed(PurchaseError(StoreError(.network, "offline")))
        await paywall.restore()
        #expect(paywall.errorMessage != nil && paywall.state.message?.action == .restoreAgain)
        #expect(harness.coordinator.state.step == .error)
        harness.manager.gate = FlowGate()
        let next = Task { await paywall.restore() }
        await harness.manager.gate.arrived()
        #expect(harness.coordinator.state.step == .paywall, "the message of the failure is gone")
        await harness.manager.gate.open()
        _ = await next.value
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
        #expect(harness.manager.restoreCount == 6)
    }

    @Test("a restored purchase of something else leaves the paywall open, and is not called restored before")
    func restoredSomethingElse() async throws {
        let paywall = try await harness.open()
        harness.manager.restoreOutcome = .restored(1)
        harness.unlock(FlowHarness.export)
        await paywall.restore()
        let words = try #require(paywall.state.message).userMessage(languages: ["en"])
        #expect(paywall.state.result == nil && words.text == "1 purchase is restored.")
        #expect(words.advice == "What you selected is not among your purchases.")
    }

    @Test("a purchase that a restore has rejected or could not record is named, with the way to get it")
    func restoredInPart() async throws {
        let paywall = try await harness.open()
        harness.manager.restoreOutcome = .restored(1)
        harness.manager.restoreProblems = [PurchaseError(Self.forged)]
        await paywall.restore()
        #expect(paywall.state.message?.action == .contactSupport)
        let log = String(decoding: try await paywall.supportLog() ?? [], as: UTF8.self)
        #expect(log.contains("verification: \(Self.forged.code)\n"))
        harness.manager.restoreProblems = [PurchaseError(LedgerError(.notWritten, "busy"))]
        await paywall.restore()
        #expect(paywall.state.message?.action == .restoreAgain)
        #expect(paywall.state.message?.userMessage(languages: ["en"]).advice.hasPrefix("1 other purchase") == true)
        harness.manager.restoreOutcome = .alreadyRestored
        await paywall.restore()
        #expect(
            paywall.state.message?.userMessage(languages: ["en"]).text == "Other purchases are already restored.")
    }

    @Test("a restore that finds only a purchase that awaits an approval is neither a failure nor a matter for support")
    func restoredWhileAwaiting() async throws {
        let paywall = try await harness.open()
        harness.manager.restoreOutcome = .failed(PurchaseError(VerificationFailure(code: .purchasePending)))
        await paywall.restore()
        #expect(paywall.state.message?.key == .awaitingApproval && paywall.state.message?.tone == .notice)
        #expect(paywall.state.message?.action == nil && harness.coordinator.state.step == .paywall)
        #expect(event("restoreSuccess") == .restoreSuccess(offerID: .b, result: "awaiting-approval"))
    }

    @Test("a paywall can be closed during a restore, which then changes nothing")
    func closedDuringRestore() async throws {
        let paywall = try await harness.open()
        harness.manager.gate = FlowGate()
        harness.unlock()
        let restore = Task { await paywall.restore() }
        await harness.manager.gate.arrived()
        #expect(paywall.state.isClosable)
        try paywall.dismiss()
        await harness.manager.gate.open()
        _ = await restore.value
        #expect(paywall.state.result == .dismissed && harness.coordinator.result == .dismissed)
    }

    // MARK: Selecting and closing

    @Test("the default plan is selected, a tap selects another one, and an unknown id changes nothing [PWF-6][OTP-5.3]")
    func selection() async throws {
        let paywall = try await harness.open()
        #expect(paywall.selectedPlanID == FlowHarness.yearly && paywall.state.selectedPlan?.isBestValue == true)
        paywall.selectPlan(FlowHarness.weekly)
        paywall.selectPlan(FlowHarness.weekly)
        paywall.selectPlan("unknown")
        #expect(paywall.selectedPlanID == FlowHarness.weekly)
        #expect(event("paywallPlanSelected") == .paywallPlanSelected(offerID: .b, planID: FlowHarness.weekly))
        #expect(harness.analytics.names.count { $0 == "paywallPlanSelected" } == 1)
        harness.unlock(FlowHarness.weekly)
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
        harness.unlock(FlowHarness.export)
        await paywall.buy()
        // A screen that goes away closes the paywall once more.
        try paywall.dismiss()
        #expect(paywall.state.result == .purchased)
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

    @Test("every message has a text in each language, and a language that an app adds hides none of them")
    func texts() {
        let own = FlowMessage.allCases.map(\.key) + RestoreMessage.allCases.map(\.key)
        let core: [MessageKey] = [.cancelled, .notSaved, .checking, .restoreCancelled]
        for key in own + core {
            let message = PaywallMessage(.notice, key)
            let texts = MessageCatalog.standardLanguages.map { message.userMessage(languages: [$0]) }
            #expect(Set(texts.map(\.text)).count == 3 && !texts.contains { $0.text == key.rawValue }, "\(key)")
        }
        let french = MessageCatalog([
            MessageKey.purchasesRestored.rawValue: ["fr": "Achat restauré."], "error.network": ["fr": "Hors ligne."],
        ])
        let restored = PaywallMessage(.success, .purchasesRestored)
        #expect(restored.userMessage(languages: ["ja"], catalog: french).text == "購入が復元されました。")
        #expect(restored.userMessage(languages: ["fr"], catalog: french).text == "Achat restauré.")
        let error = PurchaseError(StoreError(.network, "offline"))
        #expect(error.userMessage(languages: ["ja"], catalog: french).text == "ストアに接続できません。")
    }

    // MARK: Observing

    @Test("the stream begins with the state and has every result, also for Observation")
    func observing() async throws {
        let paywall = try await harness.open()
        let result = Task { await paywall.waitForResult() }
        let model = ObservableScreen(paywall)
        let flow = ObservableScreen(harness.coordinator)
        let following = [Task { await model.follow() }, Task { await flow.follow() }]
        harness.unlock()
        await paywall.buy()
        #expect(await result.value == .purchased)
        var ends = Observations { model.state.result != nil && flow.state.step == .purchased }
            .makeAsyncIterator()
        while await ends.next() == false {}
        #expect(model.state == paywall.state && flow.model.result == .purchased)
        for task in following { task.cancel() }
    }
}
