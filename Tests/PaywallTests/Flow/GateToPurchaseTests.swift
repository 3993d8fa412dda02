import LocalStore
import Paywall
import PurchaseCore
import ReceiptTypes
import Testing

/// Flow 3 of the document from end to end, with the real simulator, verification, ledger, records and event store.
@Suite("From a locked feature to a purchase", .timeLimit(.minutes(15)))
@MainActor
struct GateToPurchaseTests {
    @Test("[OTP-F3] gate, paywall, purchase: the feature is unlocked at once, and the paywall closes")
    func purchase() async throws {
        let app = try PaywallApp(PaywallApp.simulator())
        try await app.launch()
        #expect(!app.gating.canAccessSync("export"))
        let paywall = try #require(try await app.useExport())
        #expect(paywall.state.products.map(\.id) == [PaywallApp.export, PaywallApp.yearly])
        #expect(paywall.state.offer.plans.allSatisfy { !$0.displayPrice.isEmpty })
        #expect(paywall.state.offer.plans.map(\.period) == ["", "year"])
        paywall.selectPlan(PaywallApp.export)
        let outcome = await paywall.buy()
        // Nothing is awaited between the end of the purchase and the gate.
        #expect(outcome == .success && app.gating.canAccessSync("export"))
        #expect(paywall.state.result == .purchased && app.coordinator.result == .purchased)
        #expect(app.coordinator.state == .purchased(entitlement: .feature("export")))
        #expect(try await app.flow.getActivePurchases().map(\.productID) == [PaywallApp.export])
        // The plan was selected before the tap on it.
        #expect(try await app.events() == ["paywallView", "paywallCTAClick", "purchaseSuccess"])
        #expect(try await app.useExport() == nil)
        #expect(app.simulator.state.transactions.count == 1)
    }

    @Test("[OTP-F3] two taps on the button make one sale")
    func doubleTap() async throws {
        let app = try PaywallApp(PaywallApp.simulator())
        try await app.launch()
        let paywall = try #require(try await app.useExport())
        async let first = paywall.buy()
        async let second = paywall.buy()
        #expect(await [first, second].compactMap(\.self) == [.success])
        #expect(app.simulator.state.transactions.count == 1)
    }

    @Test("[OTP-F3] a cancelled purchase leaves the gate locked and the paywall open, and the next one succeeds")
    func cancelled() async throws {
        let app = try PaywallApp(PaywallApp.simulator())
        try await app.launch()
        let paywall = try #require(try await app.useExport())
        try app.simulator.perform { $0.updateSettings { $0.simulatedErrors[.purchase] = "userCancelled" } }
        #expect(await paywall.buy() == .cancelled)
        #expect(!app.gating.canAccessSync("export") && app.simulator.state.transactions.isEmpty)
        #expect(paywall.state.result == nil && app.coordinator.state.step == .paywall)
        try app.simulator.perform { $0.updateSettings { $0.simulatedErrors[.purchase] = nil } }
        #expect(await paywall.buy() == .success && app.gating.canAccessSync("export"))
    }

    @Test("[OTP-F3] a purchase that awaits approval closes the paywall, and unlocks as soon as it is approved")
    func approved() async throws {
        let app = try PaywallApp(PaywallApp.simulator())
        try app.simulator.perform { $0.updateSettings { $0.isAskToBuyEnabled = true } }
        try await app.launch()
        let paywall = try #require(try await app.useExport())
        #expect(await paywall.buy() == .pending(.awaitingApproval))
        #expect(paywall.state.result == .awaitingApproval && app.coordinator.state == .skipped)
        #expect(!app.gating.canAccessSync("export"))
        let pending = try #require(app.simulator.state.pending.first)
        try app.simulator.perform { _ = try $0.approve(pending.id) }
        await app.reached(.purchased)
        #expect(app.gating.canAccessSync("export") && app.coordinator.result == .purchased)
        #expect(
            try await app.events() == ["paywallView", "paywallCTAClick", "purchasePending", "purchaseSuccess"])
    }

    @Test("[OTP-F3] a declined approval unlocks nothing; once it is forgotten, the product can be bought")
    func declined() async throws {
        let app = try PaywallApp(PaywallApp.simulator())
        try app.simulator.perform { $0.updateSettings { $0.isAskToBuyEnabled = true } }
        try await app.launch()
        _ = await (try #require(try await app.useExport())).buy()
        let pending = try #require(app.simulator.state.pending.first)
        try app.simulator.perform { try $0.decline(pending.id) }
        await app.entitlements.refresh()
        #expect(!app.gating.canAccessSync("export") && app.coordinator.result == .awaitingApproval)
        // No store reports that a purchase was declined.
        let second = try #require(try await app.useExport())
        #expect(await second.buy() == .pending(.awaitingApproval))
        try app.simulator.perform { $0.updateSettings { $0.isAskToBuyEnabled = false } }
        let waiting = try #require(try await app.useExport())
        await waiting.load()
        #expect(waiting.state.pendingMessage?.action == .stopWaiting)
        await waiting.performAction()
        #expect(waiting.state.pendingMessage == nil)
        #expect(await waiting.buy() == .success && app.gating.canAccessSync("export"))
    }

    @Test("[OTP-F3] a spoiled signature unlocks nothing, and the paywall leads to support")
    func spoiledSignature() async throws {
        let faults = FaultPlan(faults: [Fault(at: .signing, do: .signUnderUnknownRoot)])
        let app = try PaywallApp(PaywallApp.simulator(faults: faults))
        try await app.launch()
        let paywall = try #require(try await app.useExport())
        _ = await paywall.buy()
        #expect(!app.gating.canAccessSync("export") && paywall.state.result == nil && !paywall.isLoading)
        #expect(paywall.state.message?.action == .contactSupport && paywall.errorMessage != nil)
        #expect(try await app.events().last == "purchaseFail")
    }

    @Test("[OTP-F3] a purchase of another device is restored on the paywall; a restore without one says so")
    func restored() async throws {
        let simulator = try PaywallApp.simulator()
        let app = try PaywallApp(simulator)
        try await app.launch()
        let empty = try #require(try await app.useExport())
        #expect(await empty.restore() == .nothingFound)
        #expect(empty.state.message?.key == .nothingToRestore && empty.state.result == nil)
        #expect(await empty.buy() == .success)

        // A new installation that has not reached the store yet knows of no purchase.
        simulator.isOnline = false
        let second = try PaywallApp(simulator)
        try await second.launch()
        let paywall = try #require(try await second.useExport())
        simulator.isOnline = true
        #expect(await paywall.restore() == .restored(1))
        #expect(second.gating.canAccessSync("export") && paywall.state.result == .restored)
        #expect(second.coordinator.state == .purchased(entitlement: .feature("export")))
        #expect(simulator.state.transactions.count == 1)
    }

    @Test("[PWF-8] a subscription bought after the onboarding is premium, and premium customers see no paywall")
    func subscription() async throws {
        let simulator = try PaywallApp.simulator()
        let app = try PaywallApp(simulator)
        try await app.launch()
        try app.coordinator.toValuePreview()
        try app.coordinator.toProof()
        let paywall = try #require(try app.coordinator.toPaywall(personalPromiseKey: "focus"))
        await paywall.load()
        #expect(await paywall.buy() == .success)
        #expect(app.coordinator.state == .purchased(entitlement: .pro) && app.gating.canAccessSync("export"))
        let next = try PaywallApp(simulator)
        try await next.launch()
        #expect(try next.coordinator.toPaywall(personalPromiseKey: "focus") == nil)
        #expect(next.coordinator.result == .skipped(.alreadyUnlocked))
        #expect(try await next.useExport() == nil)
    }
}
