import Paywall
import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

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
    let log = RecordedLog()
    let services: PaywallServices
    /// The app's switches.
    let flags = Locked(FeatureFlags.allEnabled)
    private let clock: SetClock
    /// The dates of the purchases by the ids of their transactions: each a millisecond later than the one before.
    private var purchaseDates: [String: Timestamp] = [:]
    /// The coordinators of the paywalls that a test opens with services of its own.
    private var coordinators: [PaywallCoordinator] = []

    init(
        config: RemoteConfig = RemoteConfig(offers: [FlowHarness.offer]),
        granting granted: Set<Entitlement> = [],
        freshness: EntitlementFreshness = .current,
        risk: ScriptedRisk = ScriptedRisk(),
        userID: String? = nil,
        source: (any RemoteConfigSource)? = nil,
        openPurchases: (any PaywallFile)? = nil,
        clock: SetClock = SetClock()
    ) {
        self.clock = clock
        entitlements = FixedEntitlements(Entitlements(granting: granted), freshness: freshness)
        self.risk = RiskStore(source: risk, timer: timer)
        remoteConfig = RemoteConfigStore(source: source, defaults: config, timer: timer)
        services = PaywallServices(
            entitlement: entitlements, purchase: manager, analytics: analytics, catalog: Self.catalog,
            flags: { [flags] in flags.withLock { $0 } }, log: log,
            exportLog: { facts in Array(facts.sorted(by: <).map { "\($0.key): \($0.value)\n" }.joined().utf8) },
            timer: timer)
        coordinator = PaywallCoordinator(
            services: services, remoteConfig: remoteConfig, risk: self.risk, userID: userID,
            openPurchases: openPurchases, clock: clock.now)
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

    /// Grants what products unlock, each by a transaction of its own; everything else is taken away.
    func grant(_ productIDs: String..., transaction: String = "1") {
        have(productIDs.map { details($0, transaction) })
    }

    /// Lets the customer have purchases, and no others.
    func have(_ purchases: [PurchaseDetails]) {
        entitlements.entitlements = Entitlements(purchases: purchases)
    }

    /// The details of a purchase, which the customer has made now if the transaction was not used before.
    func details(
        _ productID: String, _ transaction: String = "1", _ type: ProductType = .nonConsumable, isGranted: Bool = true,
        ownership: InAppOwnershipType = .purchased, bought date: Timestamp? = nil, first: Timestamp? = nil,
        isRenewal: Bool? = nil
    ) -> PurchaseDetails {
        let id = "\(productID)-\(transaction)"
        let bought = date ?? purchaseDates[id] ?? clock.now().adding(milliseconds: Int64(purchaseDates.count))
        purchaseDates[id] = bought
        return PurchaseDetails(
            productID: productID, transactionID: id, type: type,
            entitlements: Self.catalog.entitlements(for: productID), isGranted: isGranted, ownership: ownership,
            purchaseDate: bought, originalPurchaseDate: first, isRenewal: isRenewal)
    }

    /// Lets the next purchase or restore unlock what a product unlocks.
    func unlock(_ productID: String = FlowHarness.yearly, transaction: String = "1") {
        manager.beforeAnswer = { [self] in grant(productID, transaction: transaction) }
    }

    /// Opens a paywall of another coordinator, with the products of a shop.
    func paywall(
        _ shop: ListedProducts? = nil, cache: InMemoryProducts? = nil, offer: Offer = FlowHarness.offer,
        allowsDismissal: Bool = true
    ) async throws -> PaywallViewModel {
        let services = PaywallServices(
            entitlement: entitlements, purchase: manager, analytics: analytics,
            products: shop.map {
                PurchaseRepository(
                    service: $0, cache: cache, environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock.now)
                )
            }, catalog: Self.catalog, flags: { [flags] in flags.withLock { $0 } }, log: log, timer: timer)
        return try await paywall(services, offer: offer, allowsDismissal: allowsDismissal)
    }

    /// Opens a paywall of another coordinator.
    func paywall(
        _ services: PaywallServices, offer: Offer = FlowHarness.offer, allowsDismissal: Bool = true
    ) async throws -> PaywallViewModel {
        let config = RemoteConfig(allowsDismissal: allowsDismissal, offers: [offer])
        let coordinator = PaywallCoordinator(
            services: services, remoteConfig: RemoteConfigStore(defaults: config, timer: services.timer),
            clock: clock.now)
        coordinators.append(coordinator)
        try await coordinator.start()
        return try #require(try coordinator.toPaywall(personalPromiseKey: nil))
    }
}
