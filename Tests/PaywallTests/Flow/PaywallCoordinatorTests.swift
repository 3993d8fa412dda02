import PurchaseCore
import ReceiptTypes
import Testing

@testable import Paywall

/// The way to a paywall: what start does, when none opens, and what opens.
@Suite("The paywall's coordinator", .timeLimit(.minutes(15)))
@MainActor
struct PaywallCoordinatorTests {
    struct Offline: Error {}

    // MARK: Starting

    @Test("start refreshes the configuration, the entitlements and the risk, and shows the onboarding [PWF-2]")
    func start() async throws {
        let harness = FlowHarness(risk: ScriptedRisk(answer: .success(.medium)))
        let steps = Task {
            var steps: [PaywallFlowState.Step] = []
            for await state in harness.coordinator.updates() {
                steps.append(state.step)
                if state == .onboarding { return steps }
            }
            return steps
        }
        try await harness.coordinator.start()
        #expect(harness.entitlements.refreshCount == 1 && harness.risk.snapshot.level == .medium)
        #expect(harness.coordinator.state == .onboarding && harness.coordinator.result == nil)
        // A slow observer receives only the latest state.
        #expect(await steps.value.last == .onboarding)
    }

    @Test("a refresh that fails or never answers does not stop the start [PWF-2]")
    func failingStart() async throws {
        let failing = FlowHarness(risk: ScriptedRisk(answer: .failure(Offline())))
        try await failing.coordinator.start()
        #expect(failing.coordinator.state == .onboarding)

        let gate = FlowGate()
        let hanging = FlowHarness(risk: ScriptedRisk(gate: gate))
        let start = Task { try await hanging.coordinator.start() }
        await gate.arrived()
        #expect(hanging.coordinator.state == .configReady)
        hanging.timer.endWaits()
        try await start.value
        #expect(hanging.coordinator.state == .onboarding && hanging.risk.snapshot == .unknown)
        await gate.open()
    }

    @Test("after an end a new session can begin, which forgets the result and the paywall of the last one [PWF-2]")
    func nextSession() async throws {
        let harness = FlowHarness()
        let paywall = try await harness.open()
        try paywall.dismiss()
        try await harness.coordinator.start()
        #expect(harness.coordinator.result == nil && harness.coordinator.paywall == nil)
        #expect(try harness.coordinator.toPaywall(personalPromiseKey: nil) != nil)
    }

    @Test("a start that a paywall has overtaken leaves its session alone, and says so [PWF-2]")
    func overtakenStart() async throws {
        let source = GatedConfig()
        let harness = FlowHarness(source: source)
        try await harness.coordinator.start()
        try harness.coordinator.skip()
        let slow = FlowGate()
        await source.wait(for: slow)
        let start = Task { try await harness.coordinator.start() }
        await slow.arrived()
        let paywall = try #require(try harness.coordinator.toPaywall(featureID: "export"))
        harness.unlock(FlowHarness.export)
        await paywall.buy()
        await slow.open()
        await #expect(throws: PaywallFlowError(.startInterrupted, from: .purchased, to: .configReady)) {
            try await start.value
        }
        #expect(harness.coordinator.result == .purchased && harness.coordinator.state.step == .purchased)
    }

    @Test("the configuration is loaded first, and its offer is on the paywall [PWF-2]")
    func configurationFirst() async throws {
        let source = GatedConfig()
        let harness = FlowHarness(config: RemoteConfig(), source: source)
        let slow = FlowGate()
        await source.wait(for: slow)
        let start = Task { try await harness.coordinator.start() }
        await slow.arrived()
        #expect(harness.coordinator.state == .idle && harness.entitlements.refreshCount == 0)
        await slow.open()
        try await start.value
        #expect(harness.entitlements.refreshCount == 1)
        let paywall = try harness.coordinator.toPaywall(personalPromiseKey: nil)
        #expect(paywall?.state.offer.id == .c)
    }

    // MARK: No paywall

    private func skipped(
        _ harness: FlowHarness, feature: FeatureID? = nil
    ) async throws -> PaywallResult? {
        try await harness.coordinator.start()
        try harness.coordinator.toProof()
        let paywall =
            if let feature {
                try harness.coordinator.toPaywall(featureID: feature)
            } else {
                try harness.coordinator.toPaywall(personalPromiseKey: "focus")
            }
        #expect(paywall == nil && harness.coordinator.paywall == nil && harness.coordinator.state == .skipped)
        #expect(!harness.analytics.names.contains("paywallView") && harness.remoteConfig.localPaywallViews7d() == 0)
        return harness.coordinator.result
    }

    @Test("a premium customer never sees a paywall, and one whose purchases are not loaded does not either [PWF-8]")
    func premium() async throws {
        #expect(try await skipped(FlowHarness(granting: [.pro])) == .skipped(.alreadyUnlocked))
        #expect(try await skipped(FlowHarness(granting: [.pro]), feature: "export") == .skipped(.alreadyUnlocked))
        #expect(
            try await skipped(FlowHarness(granting: [.feature("export")]), feature: "export")
                == .skipped(.alreadyUnlocked))
        #expect(try await skipped(FlowHarness(freshness: .notLoaded)) == .skipped(.entitlementsUnknown))
        // Without a connection, a paywall is also the place to restore purchases.
        for freshness in [EntitlementFreshness.remembered, .unanswered] {
            #expect(try await FlowHarness(freshness: freshness).open().state.result == nil)
        }
        let owner = FlowHarness(granting: [.feature("export")])
        #expect(try await owner.open().state.result == nil, "a feature is not everything")
    }

    @Test("with purchases switched off by the app or by the configuration, no paywall opens")
    func purchasesDisabled() async throws {
        let app = FlowHarness()
        app.flags.withLock { $0.purchasesEnabled = false }
        #expect(try await skipped(app) == .skipped(.purchasesDisabled))
        let server = RemoteConfig(purchasesEnabled: false, offers: [FlowHarness.offer])
        #expect(try await skipped(FlowHarness(config: server)) == .skipped(.purchasesDisabled))
        #expect(try await skipped(FlowHarness(config: server), feature: "export") == .skipped(.purchasesDisabled))
    }

    @Test("a holdout group, the limit of views and an empty configuration are told apart, with their events")
    func decidedAgainst() async throws {
        let holdout = RemoteConfig(
            offers: [FlowHarness.offer], experiment: OfferExperiment(id: "none", holdoutPerMille: 1000))
        let held = FlowHarness(config: holdout, userID: "user-1")
        #expect(try await skipped(held) == .skipped(.heldOut))
        #expect(
            held.analytics.events == [
                .experimentExposure(ExperimentExposure(experimentID: "none", group: .holdout)),
                .paywallSkipped(.heldOut),
            ])
        let limited = FlowHarness(config: RemoteConfig(viewLimit7d: 0, offers: [FlowHarness.offer]))
        #expect(try await skipped(limited) == .skipped(.viewLimit))
        #expect(try await skipped(FlowHarness(config: RemoteConfig())) == .skipped(.noOffer))
        for feature in ["notes", "unknown"] as [FeatureID] {
            #expect(try await skipped(FlowHarness(), feature: feature) == .skipped(.nothingToSell))
        }
    }

    @Test("neither a holdout group nor the limit of views stops a paywall that a locked feature asks for [OTP-5.1]")
    func featuresAreNotLimited() async throws {
        let config = RemoteConfig(
            viewLimit7d: 0, experiment: OfferExperiment(id: "none", holdoutPerMille: 1000))
        let harness = FlowHarness(config: config, userID: "user-1")
        try await harness.coordinator.start()
        #expect(try harness.coordinator.toPaywall(featureID: "export") != nil)
    }

    // MARK: A paywall

    @Test("an opened paywall has the decided offer, is counted, and is reported with its reason [PWF-2][PWF-7]")
    func opened() async throws {
        let config = RemoteConfig(
            revision: 7, offers: [FlowHarness.offer], experiment: OfferExperiment(id: "one", arms: [.init(.b)]))
        let harness = FlowHarness(config: config, userID: "user-1")
        let paywall = try await harness.open()
        #expect(paywall.state.offer.personalPromiseKey == "focus" && paywall.featureID == nil)
        #expect(harness.coordinator.state == .paywall(offer: paywall.state.offer))
        #expect(harness.remoteConfig.localPaywallViews7d() == 1)
        #expect(
            harness.analytics.events == [
                .experimentExposure(ExperimentExposure(experimentID: "one", group: .arm(.b))),
                .paywallView(offer: paywall.state.offer, reason: .experiment("one"), revision: 7),
            ])
        #expect(harness.analytics.events.last?.properties["revision"] == .text("7"))
        #expect(throws: PaywallFlowError(.paywallOpen, from: .paywall, to: .paywall)) {
            try harness.coordinator.toPaywall(featureID: "export")
        }
        #expect(harness.remoteConfig.localPaywallViews7d() == 1)
    }

    @Test("the views and the seconds of earlier paywalls decide about the next one [PWF-4][PWF-5]")
    func contextOfDecisions() async throws {
        let other = Offer(
            id: .c, layoutVariant: "exit", plans: FlowHarness.offer.plans, defaultPlanID: FlowHarness.weekly)
        let config = RemoteConfig(
            offers: [FlowHarness.offer, other],
            rules: [OfferRule(name: "long-look", offerID: .c, minimumViews7d: 1, minimumTimeOnPaywallSec: 30)])
        let harness = FlowHarness(config: config)
        for seconds: Int64 in [10, 19] {
            let paywall = try await harness.open()
            #expect(paywall.state.offer.id == .b)
            harness.timer.pass(seconds * 1000)
            try paywall.dismiss()
            harness.timer.pass(600_000)
        }
        let paywall = try await harness.open()
        #expect(paywall.state.offer.id == .b, "29 seconds on paywalls")
        harness.timer.pass(1000)
        try paywall.dismiss()
        #expect(try await harness.open().state.offer.id == .c)
    }

    @Test("an answer of the store vouches for the clock that counts the views; a remembered answer does not [PWF-5]")
    func storeVouchesForClock() async throws {
        let clock = SetClock()
        let harness = FlowHarness(freshness: .remembered)
        let views = PaywallViewCounter(file: nil, clock: clock.now)
        let coordinator = PaywallCoordinator(
            services: harness.services, remoteConfig: RemoteConfigStore(views: views))
        views.recordView()
        clock.advance(days: 365)
        views.recordView()
        clock.advance(days: -364)
        harness.entitlements.entitlements = Entitlements(granting: [.feature("export")])
        #expect(views.viewsWithinSevenDays() == 1)
        harness.entitlements.freshness = .current
        #expect(views.viewsWithinSevenDays() == 2 && coordinator.state == .idle)
    }

    @Test("a paywall for a feature has its products as plans, and closes when the feature is unlocked [OTP-5.1]")
    func feature() async throws {
        let harness = FlowHarness()
        try await harness.coordinator.start()
        let paywall = try #require(try harness.coordinator.toPaywall(featureID: "export"))
        #expect(paywall.state.offer.plans.map(\.id) == [FlowHarness.export, FlowHarness.yearly])
        #expect(paywall.selectedPlanID == FlowHarness.export && paywall.allowsDismissal)
        #expect(paywall.state.offer.layoutVariant == "feature")
        #expect(harness.analytics.events.last?.properties["feature"] == .text("export"))
        harness.unlock(FlowHarness.export)
        await paywall.buy()
        #expect(harness.coordinator.state == .purchased(entitlement: .feature("export")))
        #expect(paywall.state.result == .purchased)
    }

    @Test("an open paywall closes when another device or a late approval unlocks what it sells [PWF-8]")
    func unlockedElsewhere() async throws {
        let harness = FlowHarness()
        let paywall = try await harness.open()
        harness.entitlements.entitlements = Entitlements(granting: [.feature("export")])
        #expect(paywall.state.result == nil)
        harness.entitlements.entitlements = Entitlements(granting: [.pro])
        #expect(paywall.state.result == .restored && harness.coordinator.state == .purchased(entitlement: .pro))
        #expect(!harness.analytics.names.contains("purchaseSuccess"))
    }

    @Test("not now ends the session on every screen, with the offer in the event where there is one [PWF-2][PWF-7]")
    func notNow() async throws {
        let early = FlowHarness()
        try await early.coordinator.start()
        try early.coordinator.skip()
        #expect(early.coordinator.state == .skipped && early.coordinator.result == .declined)
        #expect(early.analytics.events == [.paywallNotNow()])
        #expect(throws: PaywallFlowError(.impossibleTransition, from: .skipped, to: .skipped)) {
            try early.coordinator.skip()
        }
        let late = FlowHarness()
        let paywall = try await late.open()
        try late.coordinator.skip()
        #expect(paywall.state.result == .declined && late.coordinator.result == .declined)
        #expect(late.analytics.events.last == .paywallNotNow(offerID: .b))
    }
}

/// A configuration of a server with an offer C, which a test can hold back.
private actor GatedConfig: RemoteConfigSource {
    private var gate = FlowGate(isOpen: true)

    func wait(for gate: FlowGate) { self.gate = gate }

    func remoteConfig() async throws -> [UInt8] {
        await gate.pass()
        let offer = #"{"id": "C", "layout": "cards", "defaultPlan": "pro.yearly", "plans": [{"id": "pro.yearly"}]}"#
        return Array(#"{"schema": 1, "offers": [\#(offer)]}"#.utf8)
    }
}
