public import PurchaseCore
internal import ReceiptTypes

/// Leads a customer through the screens to a paywall, and knows how the session ends.
///
/// Each change of the state is one of ``PaywallFlowState/Step/transitions``; a call that would need another one throws and
/// changes nothing. A customer that has everything never sees a paywall, and while purchases are switched off none opens.
///
/// ```swift
/// try await coordinator.start()
/// try coordinator.toValuePreview()
/// try coordinator.toProof()
/// if let paywall = try coordinator.toPaywall(personalPromiseKey: "focus") {
///     await paywall.load()  // then show it
/// }
/// ```
@MainActor
public final class PaywallCoordinator {
    /// The state, which says what is on the screen.
    public private(set) var state: PaywallFlowState = .idle {
        didSet { if state != oldValue { observers.send(state) } }
    }
    /// How the session has ended; nil while it runs.
    public private(set) var result: PaywallResult? {
        didSet { if result != oldValue { observers.send(state) } }
    }
    /// The paywall of the session: open, or closed with the session; nil before one is opened.
    public private(set) var paywall: PaywallViewModel?

    /// The configuration.
    public let remoteConfig: RemoteConfigStore
    /// The entitlements of the customer.
    public let entitlement: any EntitlementProviding
    /// The risk of the customer.
    public let risk: RiskStore
    /// The analytics.
    public let analytics: any PaywallAnalytics
    /// Buys and restores.
    public let purchase: any PurchaseManager

    private let products: PurchaseRepository?
    private let catalog: TemplatePriceCatalog?
    private let userID: String?
    private let flags: @Sendable () -> FeatureFlags
    private let languages: [String]
    private let texts: MessageCatalog
    private let timer: any PurchaseTimer
    private let observers = Broadcast<PaywallFlowState>()
    private var observation: EntitlementObservation?
    private var starting: Task<Void, Never>?
    /// The purchase of this or an earlier session that awaits an approval.
    private var awaited: (offerID: OfferID, plan: Plan, target: PaywallTarget)?
    /// The uptime at which the open paywall was opened; nil if none is open.
    private var openedAt: Int64?
    /// The time that the customer has spent on paywalls that are closed.
    private var millisecondsOnPaywalls: Int64 = 0

    /// Creates a coordinator; nothing is loaded until it is started.
    ///
    /// - Parameters:
    ///   - remoteConfig: The configuration.
    ///   - entitlement: The entitlements of the customer, such as a started `EntitlementStore`.
    ///   - risk: The risk of the customer; by default unknown.
    ///   - analytics: Receives the events; by default none does.
    ///   - purchase: Buys and restores.
    ///   - products: Loads the products of the plans.
    ///   - catalog: The map from products to entitlements, with the features; nil for the one of `entitlement`.
    ///   - userID: The stable id of the customer for experiments; without one, the customer takes part in none.
    ///   - flags: The app's switches. By default, purchases are switched on. The configuration must allow them too.
    ///   - languages: The customer's languages as BCP 47 tags, for the messages of errors.
    ///   - texts: The texts of the messages.
    ///   - timer: Measures deadlines, and the time that the customer spends on a paywall.
    public init(
        remoteConfig: RemoteConfigStore,
        entitlement: any EntitlementProviding,
        risk: RiskStore = RiskStore(),
        analytics: any PaywallAnalytics = SilentPaywallAnalytics(),
        purchase: any PurchaseManager,
        products: PurchaseRepository? = nil,
        catalog: TemplatePriceCatalog? = nil,
        userID: String? = nil,
        flags: @escaping @Sendable () -> FeatureFlags = { .allEnabled },
        languages: [String] = ["en"],
        texts: MessageCatalog = .paywall,
        timer: any PurchaseTimer = SystemTimer()
    ) {
        self.remoteConfig = remoteConfig
        self.entitlement = entitlement
        self.risk = risk
        self.analytics = analytics
        self.purchase = purchase
        self.products = products
        self.catalog = catalog ?? entitlement.catalog
        self.userID = userID
        self.flags = flags
        self.languages = languages
        self.texts = texts
        self.timer = timer
        observation = entitlement.observeChanges { [weak self] in self?.entitlementsChanged() }
    }

    /// Returns a stream of the state and every change of it or of the result; a slow consumer receives only the latest.
    public func updates() -> AsyncStream<PaywallFlowState> { observers.stream(from: state) }

    // MARK: The way to the paywall

    /// Loads the configuration, refreshes the entitlements and the risk, and shows the onboarding.
    ///
    /// A refresh that fails or does not answer stops nothing: the last known values stay. Concurrent calls share one start.
    ///
    /// - Throws: ``PaywallFlowError`` if a session runs.
    public func start() async throws(PaywallFlowError) {
        if let starting { return await starting.value }
        try require(.configReady)
        let task = Task {
            await self.load()
            self.starting = nil
        }
        starting = task
        await task.value
    }

    private func load() async {
        await remoteConfig.refresh()
        // A paywall for a feature can have opened since the last session ended; it continues.
        guard (try? move(to: .configReady)) != nil else { return }
        (result, paywall) = (nil, nil)
        async let refreshedRisk = risk.refresh()
        _ = await timer.answer(within: PaywallViewModel.refreshDeadline) { [entitlement] in
            await entitlement.refresh()
        }
        _ = await refreshedRisk
        try? move(to: .onboarding)
    }

    /// Shows the value of the app.
    public func toValuePreview() throws(PaywallFlowError) { try move(to: .valuePreview) }

    /// Shows the proof.
    public func toProof() throws(PaywallFlowError) { try move(to: .proof) }

    /// Ends the session because the customer has said "not now", on a screen or on the paywall.
    ///
    /// - Throws: ``PaywallFlowError`` if no session runs, while a purchase runs, and if the paywall does not allow it.
    public func skip() throws(PaywallFlowError) {
        if let paywall, isPaywallOpen { return try paywall.decline() }
        try move(to: .skipped)
        result = .declined
        analytics.track(.paywallNotNow())
    }

    // MARK: The paywall

    /// Opens the paywall with the offer that the ``OfferDecisionEngine`` decides for.
    ///
    /// - Parameter personalPromiseKey: The key of the promise that the customer has given; nil if none was given.
    /// - Returns: The paywall; nil if none is shown, and ``result`` says why.
    /// - Throws: ``PaywallFlowError`` before the onboarding, and while a paywall is open.
    @discardableResult
    public func toPaywall(personalPromiseKey: String?) throws(PaywallFlowError) -> PaywallViewModel? {
        try requirePaywallIsPossible()
        if let reason = reasonToSkip(isUnlocked: entitlement.entitlements.isPro) { return endWithoutPaywall(reason) }
        let decision = OfferDecisionEngine.decide(
            config: remoteConfig.snapshot, risk: risk.snapshot, paywallViews7d: remoteConfig.localPaywallViews7d(),
            timeOnPaywallSec: timeOnPaywallSec, personalPromiseKey: personalPromiseKey, userID: userID)
        if let offer = decision.offer {
            let target = PaywallTarget(offer: offer, featureID: nil, catalog: catalog)
            if target.unlockedEntitlement(in: entitlement.entitlements) != nil {
                return endWithoutPaywall(.alreadyUnlocked)
            }
        }
        if let exposure = decision.exposure { analytics.track(.experimentExposure(exposure)) }
        guard let offer = decision.offer else {
            switch decision.reasons.first {
            case .heldOut: return endWithoutPaywall(.heldOut)
            case .viewLimit: return endWithoutPaywall(.viewLimit)
            default: return endWithoutPaywall(.noOffer)
            }
        }
        return try open(
            offer, featureID: nil, allowsDismissal: remoteConfig.snapshot.allowsDismissal,
            reason: decision.reasons.first)
    }

    /// Opens a paywall with the products of a locked feature.
    ///
    /// - Parameters:
    ///   - featureID: The feature.
    ///   - allowDismiss: Whether the customer can close the paywall without an answer.
    /// - Returns: The paywall; nil if none is shown, and ``result`` says why.
    /// - Throws: ``PaywallFlowError`` before the onboarding, and while a paywall is open.
    @discardableResult
    public func toPaywall(
        featureID: FeatureID, allowDismiss: Bool = true
    ) throws(PaywallFlowError) -> PaywallViewModel? {
        try requirePaywallIsPossible()
        guard let offer = Offer(for: featureID, in: catalog, config: remoteConfig.snapshot) else {
            return endWithoutPaywall(.nothingToSell, featureID)
        }
        let isUnlocked = entitlement.entitlements.grants(.feature(featureID))
        if let reason = reasonToSkip(isUnlocked: isUnlocked) { return endWithoutPaywall(reason, featureID) }
        return try open(offer, featureID: featureID, allowsDismissal: allowDismiss, reason: nil)
    }

    private func requirePaywallIsPossible() throws(PaywallFlowError) {
        // The table has ways back to an open paywall, which are not for another one.
        guard !isPaywallOpen else { throw PaywallFlowError(.paywallOpen, from: state.step, to: .paywall) }
        try require(.paywall)
    }

    private func reasonToSkip(isUnlocked: Bool) -> PaywallSkipReason? {
        if isUnlocked { return .alreadyUnlocked }
        if entitlement.freshness == .notLoaded { return .entitlementsUnknown }
        return arePurchasesEnabled() ? nil : .purchasesDisabled
    }

    private func arePurchasesEnabled() -> Bool {
        flags().purchasesEnabled && remoteConfig.snapshot.purchasesEnabled
    }

    /// Ends the session, or, after its end, only replaces the result.
    private func endWithoutPaywall(_ reason: PaywallSkipReason, _ featureID: FeatureID? = nil) -> PaywallViewModel? {
        switch state.step {
        case .onboarding, .valuePreview, .proof: state = .skipped
        default: break
        }
        paywall = nil
        result = .skipped(reason)
        analytics.track(.paywallSkipped(reason, featureID: featureID))
        return nil
    }

    private func open(
        _ offer: Offer, featureID: FeatureID?, allowsDismissal: Bool, reason: OfferReason?
    ) throws(PaywallFlowError) -> PaywallViewModel {
        try move(to: .paywall(offer: offer))
        let paywall = PaywallViewModel(
            offer: offer, analytics: analytics, purchase: purchase, entitlement: entitlement, featureID: featureID,
            allowsDismissal: allowsDismissal, products: products, catalog: catalog,
            flags: { [weak self] in FeatureFlags(purchasesEnabled: self?.arePurchasesEnabled() ?? false) },
            languages: languages, texts: texts, timer: timer, coordinator: self)
        result = nil
        self.paywall = paywall
        openedAt = timer.uptimeMilliseconds()
        remoteConfig.views.recordView()
        analytics.track(.paywallView(offer: offer, featureID: featureID, reason: reason))
        return paywall
    }

    private var isPaywallOpen: Bool { paywall.map { $0.state.result == nil } ?? false }

    /// The seconds that the customer has spent on paywalls since the coordinator was created.
    private var timeOnPaywallSec: Int { Int(clamping: millisecondsOnPaywalls / 1000) }

    // MARK: Reports of the paywall

    /// Takes the store's prices over.
    func offerChanged(_ offer: Offer) {
        if case .paywall = state { state = .paywall(offer: offer) }
    }

    /// Returns whether a purchase may begin.
    func purchaseBegan(_ plan: Plan) -> Bool {
        guard (try? move(to: .purchasing(plan: plan))) != nil else { return false }
        // What is unlocked from here on is the new purchase.
        awaited = nil
        return true
    }

    /// A purchase has ended without an access and without a failure.
    func purchaseReturned() {
        guard let offer = paywall?.state.offer else { return }
        try? move(to: .paywall(offer: offer))
    }

    /// A purchase, a restore or the products have failed. The paywall stays open.
    func paywallFailed(message: String) {
        // A second failure replaces the message of the first one.
        if case .error = state { state = .error(message: message) } else { try? move(to: .error(message: message)) }
    }

    /// The paywall has closed.
    func paywallEnded(_ result: PaywallResult, entitlement: Entitlement?, plan: Plan?) {
        self.result = result
        if let openedAt {
            // A timer of the app's own can return anything.
            let (elapsed, isTooLong) = timer.uptimeMilliseconds().subtractingReportingOverflow(openedAt)
            let (sum, overflow) = millisecondsOnPaywalls.addingReportingOverflow(isTooLong ? 0 : max(0, elapsed))
            if !overflow { millisecondsOnPaywalls = sum }
            self.openedAt = nil
        }
        if result == .awaitingApproval, let plan, let paywall {
            let target = PaywallTarget(
                offer: paywall.state.offer.withPlans([plan]), featureID: paywall.featureID, catalog: catalog)
            awaited = (paywall.state.offer.id, plan, target)
        }
        let end: PaywallFlowState = entitlement.map { .purchased(entitlement: $0) } ?? .skipped
        try? move(to: end)
    }

    private func entitlementsChanged() {
        if entitlement.freshness == .current { remoteConfig.views.recordStoreAnswer() }
        guard let awaited, let unlocked = awaited.target.unlockedEntitlement(in: entitlement.entitlements) else {
            return
        }
        self.awaited = nil
        analytics.track(.purchaseSuccess(offerID: awaited.offerID, planID: awaited.plan.id))
        // A later session has a result of its own.
        guard result == .awaitingApproval, (try? move(to: .purchased(entitlement: unlocked))) != nil else { return }
        result = .purchased
    }

    // MARK: The table

    /// Changes the state if the table allows it.
    func move(to next: PaywallFlowState) throws(PaywallFlowError) {
        try require(next.step)
        state = next
    }

    private func require(_ next: PaywallFlowState.Step) throws(PaywallFlowError) {
        guard state.step.canBeFollowed(by: next) else {
            throw PaywallFlowError(.impossibleTransition, from: state.step, to: next)
        }
    }
}
