public import PurchaseCore
public import ReceiptTypes

/// Leads a customer through the screens to a paywall, and knows how the session ends.
///
/// Each change of the step is one of ``PaywallFlowState/Step/transitions``; a call that would need another one throws
/// and changes nothing. A customer that has everything never sees a paywall, and while purchases are switched off none
/// opens.
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
public final class PaywallCoordinator: ScreenModel {
    /// The state, which says what is on the screen.
    public private(set) var state: PaywallFlowState = .idle {
        didSet { if state != oldValue { observers.send(state) } }
    }
    /// How the session has ended; nil while it runs. It changes only together with ``state``.
    public private(set) var result: PaywallResult?
    /// The paywall of the session: open, or closed with the session; nil before one is opened.
    ///
    /// A start that begins a session sets it to nil, and so does a call that opens no paywall.
    public private(set) var paywall: PaywallViewModel?

    /// The reason that the last paywall asked for was not shown; nil if it was, and while none was asked for.
    ///
    /// While a session runs, it ends the session and is its ``result`` too. The result of a session that has ended
    /// stays.
    public private(set) var skipReason: PaywallSkipReason?

    /// The configuration.
    public let remoteConfig: RemoteConfigStore
    /// The risk of the customer.
    public let risk: RiskStore
    /// What the paywalls work with.
    public let services: PaywallServices

    private let userID: String?
    private let observers = Broadcast<PaywallFlowState>()
    private var observation: EntitlementObservation?
    private var starting: Task<Bool, Never>?
    /// The purchases of all paywalls that have not arrived.
    let openPurchases: OpenPurchases
    /// The product whose purchase the session has left open; its arrival makes the session a purchase.
    private var awaitedProductID: String?
    private var openedPaywalls = 0
    /// The uptime at which the open paywall was opened; nil if none is open.
    private var openedAt: Int64?
    /// The time that the customer has spent on paywalls that are closed.
    private var millisecondsOnPaywalls: Int64 = 0

    /// Creates a coordinator for one user of the app; nothing is loaded until it is started.
    ///
    /// Create it after the user has signed in: a change of the user empties its file.
    ///
    /// - Parameters:
    ///   - services: What the paywalls work with. Purchases must be allowed by its flags and by the configuration.
    ///   - remoteConfig: The configuration.
    ///   - risk: The risk of the customer; by default unknown.
    ///   - userID: The stable id of the customer for experiments; without one, the customer takes part in none.
    ///   - openPurchases: A file of this user that keeps the purchases which have not arrived, so that one that arrives
    ///     after a restart counts for its offer. Without it, such a purchase is not counted, and an approval has no
    ///     offer.
    ///   - clock: The device's clock, which tells the purchases of the paywalls from earlier ones.
    public init(
        services: PaywallServices,
        remoteConfig: RemoteConfigStore,
        risk: RiskStore = RiskStore(),
        userID: String? = nil,
        openPurchases: (any PaywallFile)? = nil,
        clock: @escaping @Sendable () -> Timestamp = PurchaseEnvironment.deviceTime
    ) {
        var services = services
        let flags = services.flags
        services.flags = {
            FeatureFlags(purchasesEnabled: flags().purchasesEnabled && remoteConfig.snapshot.purchasesEnabled)
        }
        self.services = services
        self.remoteConfig = remoteConfig
        self.risk = risk
        self.userID = userID
        self.openPurchases = OpenPurchases(
            services.entitlement,
            file: openPurchases.map {
                OpenPurchaseFile(BoundedFile(file: $0, timer: services.timer), log: services.log, clock: clock)
            }, clock: clock)
        observation = services.entitlement.observeChanges { [weak self] in self?.entitlementsChanged() }
    }

    /// Returns a stream of the state and every change of it; a slow consumer receives only the latest.
    public func updates() -> AsyncStream<PaywallFlowState> { observers.stream(from: state) }

    // MARK: The way to the paywall

    /// Loads the configuration, refreshes the entitlements and the risk, and shows the onboarding.
    ///
    /// A refresh that fails or does not answer stops nothing: the last known values stay. The open purchases of earlier
    /// launches are taken over from their file, and the awaited approvals from the purchase service. Concurrent calls
    /// share one start.
    ///
    /// - Throws: ``PaywallFlowError`` if a session runs, or if a paywall is opened while the configuration is loaded.
    public func start() async throws(PaywallFlowError) {
        if starting == nil { try require(.configReady) }
        let task =
            starting
            ?? Task {
                let hasStarted = await self.load()
                self.starting = nil
                return hasStarted
            }
        starting = task
        guard await task.value else { throw PaywallFlowError(.startInterrupted, from: state.step, to: .configReady) }
    }

    /// Returns false if a paywall was opened meanwhile, whose session continues.
    private func load() async -> Bool {
        let openedPaywalls = openedPaywalls
        await remoteConfig.refresh()
        guard openedPaywalls == self.openedPaywalls, (try? move(to: .configReady)) != nil else { return false }
        (result, paywall, skipReason, awaitedProductID) = (nil, nil, nil, nil)
        async let refreshedRisk = risk.refresh()
        await openPurchases.load(services)
        await services.refreshEntitlements()
        countArrivals()
        await openPurchases.updateApprovals(services, countArrivals: countArrivals)
        _ = await refreshedRisk
        try? move(to: .onboarding)
        return true
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
        services.analytics.track(.paywallNotNow())
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
        if let reason = reasonToSkip(isUnlocked: services.entitlement.entitlements.isPro) {
            return endWithoutPaywall(reason)
        }
        let decision = OfferDecisionEngine.decide(
            config: remoteConfig.snapshot, risk: risk.snapshot, paywallViews7d: remoteConfig.localPaywallViews7d(),
            timeOnPaywallSec: timeOnPaywallSec, personalPromiseKey: personalPromiseKey, userID: userID)
        let withheld = decision.offer.map(services.plansUnlockingNothing) ?? []
        let offer = decision.offer?.without(withheld)
        if let offer, !offer.plans.isEmpty {
            let target = PaywallTarget(offer: offer, featureID: nil, services: services)
            if target.unlockedEntitlement != nil { return endWithoutPaywall(.alreadyUnlocked) }
        }
        if let exposure = decision.exposure { services.analytics.track(.experimentExposure(exposure)) }
        guard let offer else {
            switch decision.reasons.first {
            case .heldOut: return endWithoutPaywall(.heldOut)
            case .viewLimit: return endWithoutPaywall(.viewLimit)
            default: return endWithoutPaywall(.noOffer)
            }
        }
        guard !offer.plans.isEmpty else {
            services.report(withheld)
            return endWithoutPaywall(.nothingToSell)
        }
        return try open(
            decision.offer ?? offer, featureID: nil, allowsDismissal: remoteConfig.snapshot.allowsDismissal,
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
        // A customer that has everything is not told that there is nothing to sell.
        if services.entitlement.entitlements.grants(.feature(featureID)) {
            return endWithoutPaywall(.alreadyUnlocked, featureID)
        }
        guard let offer = Offer(for: featureID, in: services.catalog, config: remoteConfig.snapshot) else {
            return endWithoutPaywall(.nothingToSell, featureID)
        }
        if let reason = reasonToSkip(isUnlocked: false) { return endWithoutPaywall(reason, featureID) }
        return try open(offer, featureID: featureID, allowsDismissal: allowDismiss, reason: nil)
    }

    private func requirePaywallIsPossible() throws(PaywallFlowError) {
        // The table has ways back to an open paywall, which are not for another one.
        guard !isPaywallOpen else { throw PaywallFlowError(.paywallOpen, from: state.step, to: .paywall) }
        try require(.paywall)
    }

    private func reasonToSkip(isUnlocked: Bool) -> PaywallSkipReason? {
        if isUnlocked { return .alreadyUnlocked }
        if services.entitlement.freshness.isOpen { return .entitlementsUnknown }
        return services.flags().purchasesEnabled ? nil : .purchasesDisabled
    }

    /// Ends the session that runs, if there is one.
    private func endWithoutPaywall(_ reason: PaywallSkipReason, _ featureID: FeatureID? = nil) -> PaywallViewModel? {
        switch state.step {
        case .onboarding, .valuePreview, .proof:
            state = .skipped
            result = .skipped(reason)
        default: break
        }
        paywall = nil
        skipReason = reason
        services.analytics.track(.paywallSkipped(reason, featureID: featureID))
        return nil
    }

    private func open(
        _ offer: Offer, featureID: FeatureID?, allowsDismissal: Bool, reason: OfferReason?
    ) throws(PaywallFlowError) -> PaywallViewModel {
        let paywall = PaywallViewModel(
            offer: offer, services: services, featureID: featureID, allowsDismissal: allowsDismissal,
            coordinator: self)
        try move(to: .paywall(offer: paywall.state.offer))
        (result, skipReason, awaitedProductID) = (nil, nil, nil)
        self.paywall = paywall
        openedPaywalls += 1
        openedAt = services.timer.uptimeMilliseconds()
        remoteConfig.views.recordView()
        services.analytics.track(
            .paywallView(
                offer: offer, featureID: featureID, reason: reason, revision: remoteConfig.snapshot.revision))
        return paywall
    }

    /// Returns when the open purchases are in their file, or when the file has failed, which is logged.
    public func flush() async { await openPurchases.flush() }

    private var isPaywallOpen: Bool { paywall.map { $0.state.result == nil } ?? false }

    /// The seconds that the customer has spent on paywalls since the launch of the app, in which the coordinator was
    /// created.
    private var timeOnPaywallSec: Int { Int(clamping: millisecondsOnPaywalls / 1000) }

    // MARK: Reports of the paywall

    /// Takes the store's prices over.
    func offerChanged(_ offer: Offer) {
        if case .paywall = state { state = .paywall(offer: offer) }
    }

    /// Returns whether a purchase may begin.
    func purchaseBegan(_ plan: Plan) -> Bool { (try? move(to: .purchasing(plan: plan))) != nil }

    /// A purchase has ended without an access and without a failure, or the last failure is no longer shown.
    func purchaseReturned() {
        guard let offer = paywall?.state.offer else { return }
        try? move(to: .paywall(offer: offer))
    }

    /// A purchase or a restore has failed. The paywall stays open.
    func paywallFailed(message: String) {
        // A second failure replaces the message of the first one.
        if case .error = state { state = .error(message: message) } else { try? move(to: .error(message: message)) }
    }

    /// The paywall has closed.
    ///
    /// - Parameter productID: The product that was bought last on the paywall; nil if none was.
    func paywallEnded(_ result: PaywallResult, entitlement: Entitlement?, productID: String?) {
        self.result = result
        if let openedAt {
            // A timer of the app's own can return anything.
            let (elapsed, isTooLong) = services.timer.uptimeMilliseconds().subtractingReportingOverflow(openedAt)
            let (sum, overflow) = millisecondsOnPaywalls.addingReportingOverflow(isTooLong ? 0 : max(0, elapsed))
            if !overflow { millisecondsOnPaywalls = sum }
            self.openedAt = nil
        }
        awaitedProductID = productID
        let end: PaywallFlowState = entitlement.map { .purchased(entitlement: $0) } ?? .skipped
        try? move(to: end)
    }

    private func entitlementsChanged() {
        let entitlement = services.entitlement
        if entitlement.freshness == .current { remoteConfig.views.recordStoreAnswer() }
        if openPurchases.forgetsFormerUser(entitlement) {
            risk.removeSnapshot()
            paywall?.userChanged()
            awaitedProductID = nil
        }
        countArrivals()
    }

    /// Counts the purchases that have arrived, each for the offer of its own paywall, and tells the open paywall.
    func countArrivals() {
        let arrivals = openPurchases.countArrivals(services)
        paywall?.entitlementsChanged(arrivals)
        // A later session has a result of its own.
        guard state.step == .skipped, let awaitedProductID,
            let purchase = arrivals.first(where: { $0.productID.isIdentical(to: awaitedProductID) }),
            let entitlement = purchase.entitlement
        else { return }
        self.awaitedProductID = nil
        result = .purchased
        try? move(to: .purchased(entitlement: entitlement))
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
