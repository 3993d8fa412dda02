import Paywall
import PurchaseCore
import PurchaseStorage

// The code of Paywall's documentation.

/// `ThePaywallFlow.md`
@MainActor
private func flow(
    _ remoteConfig: RemoteConfigStore, _ entitlementStore: EntitlementStore, _ eventStore: DatabaseAnalytics,
    _ flow: OneTimePurchaseFlow, _ repository: PurchaseRepository, _ gating: FeatureGatingService,
    _ installationID: String, _ flags: FeatureFlags, _ preferredLanguages: [String], _ log: any PurchaseLog
) async throws {
    let analytics = StoredPaywallAnalytics(queue: eventStore)
    let services = PaywallServices(
        entitlement: entitlementStore, purchase: OneTimePurchaseManager(flow), analytics: analytics,
        products: repository, flags: { flags }, texts: PaywallTexts(languages: preferredLanguages), log: log)
    let coordinator = PaywallCoordinator(services: services, remoteConfig: remoteConfig, userID: installationID)
    try await onboarding(coordinator)
    try lockedFeature(coordinator, gating)
    let decision = OfferDecisionEngine.decide(
        config: remoteConfig.snapshot, risk: .unknown, paywallViews7d: remoteConfig.localPaywallViews7d(),
        timeOnPaywallSec: 0, personalPromiseKey: nil, userID: installationID)
    print(decision.reasons.map(\.name))  // ["rule often-seen", "paywall-views 3"]
}

/// `ThePaywallFlow.md`
@MainActor
private func trials(
    _ entitlements: EntitlementStore, _ purchase: any PurchaseManager, _ repository: PurchaseRepository,
    _ service: PurchaseService
) -> PaywallServices {
    let services = PaywallServices(
        entitlement: entitlements, purchase: purchase, products: repository,
        introductoryOffer: { product in (try? await service.introductoryOffer(of: product)) ?? .unknown })
    return services
}

/// `ThePaywallFlow.md`, `PaywallCoordinator`
@MainActor
private func onboarding(_ coordinator: PaywallCoordinator) async throws {
    try await coordinator.start()
    try coordinator.toValuePreview()
    try coordinator.toProof()
    if let paywall = try coordinator.toPaywall(personalPromiseKey: "focus") {
        await paywall.load()  // then show it
    }
}

/// `ThePaywallFlow.md`
@MainActor
private func keptPurchases(
    _ services: PaywallServices, _ remoteConfig: RemoteConfigStore, _ installationID: String, _ folder: String
) -> PaywallCoordinator {
    let coordinator = PaywallCoordinator(
        services: services, remoteConfig: remoteConfig, userID: installationID,
        openPurchases: PaywallDiskFile(path: "\(folder)/open-purchases.json"))
    return coordinator
}

/// `ThePaywallFlow.md`
@MainActor
private func support(_ paywall: PaywallViewModel, mail: ([UInt8]) -> Void) async throws {
    if let message = paywall.state.message, message.action == .contactSupport {
        let log = try await paywall.supportLog()
        mail(log ?? [])
    }
}

/// `ThePaywallFlow.md`
@MainActor
private func lockedFeature(_ coordinator: PaywallCoordinator, _ gating: FeatureGatingService) throws {
    guard gating.access(to: "export") == .denied else { return }
    let paywall = try coordinator.toPaywall(featureID: "export", allowDismiss: true)
    if let paywall { show(paywall) }
}

/// `ThePaywallFlow.md`
@MainActor
private func show(_ paywall: PaywallViewModel) {
    let screen = ObservableScreen(paywall)
    let following = Task { await screen.follow() }  // in SwiftUI: .task { await screen.follow() }
    following.cancel()
}

/// `RemoteConfigStore`
@MainActor
private func remoteConfig(_ server: any RemoteConfigSource, _ folder: String) async {
    let remoteConfig = RemoteConfigStore(
        source: server, file: PaywallDiskFile(path: "\(folder)/paywall.json"),
        views: PaywallViewCounter(file: PaywallDiskFile(path: "\(folder)/paywall-views.json")))
    await remoteConfig.refresh()
}
