import Paywall
import PurchaseCore
import ReceiptTypes
import Testing

/// A coordinator over scripted parts, with an offer of a weekly and a yearly plan that unlock everything.
@MainActor
final class FlowHarness {
    nonisolated static let weekly = "pro.weekly"
    nonisolated static let yearly = "pro.yearly"
    nonisolated static let export = "export.lifetime"

    nonisolated static let offer = Offer(
        id: .b, layoutVariant: "cards",
        plans: [
            Plan(id: weekly, displayPrice: "", period: "week"),
            Plan(id: yearly, displayPrice: "", period: "year", isBestValue: true),
        ], defaultPlanID: yearly)

    let entitlements: FixedEntitlements
    let manager = ScriptedPurchaseManager()
    let analytics = RecordedAnalytics()
    let risk: RiskStore
    let timer = PausedTimer()
    let remoteConfig: RemoteConfigStore
    let coordinator: PaywallCoordinator
    /// The app's switches.
    let flags = Locked(FeatureFlags.allEnabled)

    init(
        config: RemoteConfig = RemoteConfig(offers: [FlowHarness.offer]),
        granting granted: Set<Entitlement> = [],
        freshness: EntitlementFreshness = .current,
        risk: ScriptedRisk = ScriptedRisk(),
        userID: String? = nil
    ) {
        entitlements = FixedEntitlements(Entitlements(granting: granted), freshness: freshness)
        self.risk = RiskStore(source: risk, timer: timer)
        remoteConfig = RemoteConfigStore(defaults: config, timer: timer)
        coordinator = PaywallCoordinator(
            remoteConfig: remoteConfig, entitlement: entitlements, risk: self.risk, analytics: analytics,
            purchase: manager, catalog: Self.catalog, userID: userID,
            flags: { [flags] in flags.withLock { $0 } }, timer: timer)
    }

    nonisolated static var catalog: TemplatePriceCatalog {
        let features = try? FeatureCatalog([
            FeatureDefinition(id: "notes", name: "Notes", level: .free),
            FeatureDefinition(id: "export", name: "Export", level: .premium, productIDs: [export, yearly]),
        ])
        return TemplatePriceCatalog(version: 1, proProductIDs: [weekly, yearly], features: features ?? .empty)
    }

    /// Starts, and opens a paywall.
    func open() async throws -> PaywallViewModel {
        try await coordinator.start()
        return try #require(try coordinator.toPaywall(personalPromiseKey: "focus"))
    }

    /// Lets the next purchase or restore unlock something.
    func unlock(_ granted: Set<Entitlement> = [.pro]) {
        manager.beforeAnswer = { [entitlements] in entitlements.entitlements = Entitlements(granting: granted) }
    }
}
