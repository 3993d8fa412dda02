public import PurchaseCore
internal import ReceiptTypes

/// The logic of an open paywall: selection, purchase and restore, and what the customer is told about them.
///
/// A purchase that unlocks the plan closes the paywall, and so does one that awaits an approval. After a cancellation and
/// after a failure the paywall stays open and says so. While a purchase or a restore runs, a second one does nothing, and
/// both end after a deadline at the latest.
///
/// A ``PaywallCoordinator`` creates it. A paywall outside of a flow creates its own.
@MainActor
public final class PaywallViewModel: ScreenModel {
    /// Everything that the paywall shows.
    public private(set) var state: PaywallViewState {
        didSet { if state != oldValue { observers.send(state) } }
    }
    /// The locked feature for which the paywall was opened; nil if it was opened by a decision.
    public let featureID: FeatureID?
    /// Whether the customer can close the paywall without an answer; in any case while there is nothing to buy.
    public let allowsDismissal: Bool

    private let analytics: any PaywallAnalytics
    private let purchase: any PurchaseManager
    private let entitlement: any EntitlementProviding
    private let products: PurchaseRepository?
    private let catalog: TemplatePriceCatalog?
    private let flags: @MainActor () -> FeatureFlags
    private let languages: [String]
    private let texts: MessageCatalog
    private let timer: any PurchaseTimer
    private weak var coordinator: PaywallCoordinator?
    private let observers = Broadcast<PaywallViewState>()
    private var observation: EntitlementObservation?
    /// The plan of a purchase that may have cost money and has not unlocked anything yet.
    private var unsettled: Plan?

    /// The longest purchase and the longest restore in milliseconds: ten minutes for the app's own dialogue, ten for the
    /// store's, and one for everything else.
    static let deadline: Int64 = 1_260_000
    /// The milliseconds for a refresh of the entitlements.
    static let refreshDeadline: Int64 = 30_000
    /// The milliseconds for loading the products.
    private static let productsDeadline: Int64 = 60_000

    /// Creates the logic of a paywall that is open.
    ///
    /// - Parameters:
    ///   - offer: The offer.
    ///   - analytics: Receives the events.
    ///   - purchase: Buys and restores.
    ///   - entitlement: The entitlements, refreshed after a purchase and after a restore.
    ///   - featureID: The locked feature for which the paywall is opened.
    ///   - allowsDismissal: Whether the customer can close the paywall without an answer.
    ///   - products: Loads the products of the plans; without it, the plans keep the prices that they have.
    ///   - catalog: The map from products to entitlements; nil for the one of `entitlement`.
    ///   - flags: Called for each purchase. By default, purchases are switched on.
    ///   - languages: The customer's languages as BCP 47 tags, for ``errorMessage``.
    ///   - texts: The texts of ``errorMessage``.
    ///   - timer: Measures the deadlines.
    ///   - coordinator: Is told when a purchase begins and how it ends.
    public init(
        offer: Offer,
        analytics: any PaywallAnalytics,
        purchase: any PurchaseManager,
        entitlement: any EntitlementProviding,
        featureID: FeatureID? = nil,
        allowsDismissal: Bool = true,
        products: PurchaseRepository? = nil,
        catalog: TemplatePriceCatalog? = nil,
        flags: @escaping @MainActor () -> FeatureFlags = { .allEnabled },
        languages: [String] = ["en"],
        texts: MessageCatalog = .paywall,
        timer: any PurchaseTimer = SystemTimer(),
        coordinator: PaywallCoordinator? = nil
    ) {
        state = PaywallViewState(offer: offer)
        self.featureID = featureID
        self.allowsDismissal = allowsDismissal
        self.analytics = analytics
        self.purchase = purchase
        self.entitlement = entitlement
        self.products = products
        self.catalog = catalog ?? entitlement.catalog
        self.flags = flags
        self.languages = languages
        self.texts = texts
        self.timer = timer
        self.coordinator = coordinator
        observation = entitlement.observeChanges { [weak self] in self?.closeIfUnlocked() }
    }

    // MARK: What the document names

    /// The id of the selected plan.
    public var selectedPlanID: String { state.selectedPlanID }
    /// Whether a purchase or a restore runs.
    public var isLoading: Bool { state.isLoading }
    /// The text of the last failure in the customer's language; nil if nothing has failed since.
    public var errorMessage: String? {
        guard let message = state.message, message.tone == .failure else { return nil }
        return message.userMessage(languages: languages, catalog: texts).text
    }

    // MARK: Observing

    /// Returns a stream of the state and every change of it; a slow consumer receives only the latest.
    public func updates() -> AsyncStream<PaywallViewState> { observers.stream(from: state) }

    /// Returns how the paywall ends, as soon as it has; nil if the task is cancelled before.
    public func waitForResult() async -> PaywallResult? {
        for await state in updates() {
            if let result = state.result { return result }
        }
        return nil
    }

    // MARK: Products

    /// Loads the products of the plans, and takes over the store's prices. Call it when the paywall appears.
    ///
    /// A plan that the store does not sell is removed. While the store cannot be reached, prices come from the cache, and a
    /// plan without a price can be bought all the same: the store shows the price before the customer pays.
    public func load() async {
        guard let products, state.result == nil, !state.isLoadingProducts else { return }
        state.isLoadingProducts = true
        if state.message?.action == .loadAgain { state.message = nil }
        let ids = state.offer.plans.map(\.id)
        let metadata =
            await timer.answer(within: Self.productsDeadline) { await products.loadProductMetadata(ids) }
            ?? ProductMetadata(
                items: [], missing: ids,
                error: PurchaseError(StoreError(.timedOut, "the products were not loaded within the deadline")))
        state.isLoadingProducts = false
        guard state.result == nil else { return }
        // A consumable unlocks nothing.
        let loaded = metadata.products.filter { $0.type != .consumable }
        let unsold = metadata.unknown + metadata.products.filter { $0.type == .consumable }.map(\.id)
        let plans = state.offer.plans.filter { plan in !unsold.contains(where: plan.hasID) }.map { plan in
            plan.priced(by: loaded.first { plan.hasID($0.id) })
        }
        state.products = loaded
        state.offer = state.offer.withPlans(plans)
        if state.selectedPlan == nil { state.selectedPlanID = state.offer.defaultPlanID }
        coordinator?.offerChanged(state.offer)
        guard state.message == nil, state.activity == nil else { return }
        if plans.isEmpty {
            fail(PurchaseError(.productUnavailable, "the store sells none of the plans"), action: nil)
        } else if let error = metadata.error, !metadata.missing.isEmpty {
            state.message = PaywallMessage(error, action: .loadAgain)
        }
    }

    // MARK: The customer's actions

    /// Selects a plan of the offer; any other id changes nothing.
    public func selectPlan(_ id: String) {
        guard state.result == nil, state.activity == nil, let plan = state.offer.plan(id) else { return }
        state.selectedPlanID = plan.id
        analytics.track(.paywallPlanSelected(offerID: state.offer.id, planID: plan.id))
    }

    /// Buys the selected plan.
    ///
    /// - Returns: The outcome; nil if nothing was done, because a purchase or a restore runs or the paywall is closed.
    @discardableResult
    public func buy() async -> PurchaseOutcome? {
        guard state.result == nil, state.activity == nil, let plan = state.selectedPlan else { return nil }
        guard flags().purchasesEnabled else {
            state.message = PaywallMessage(PurchaseError(PurchaseFlowError.purchasesDisabled), action: nil)
            return .failed(.purchasesDisabled)
        }
        // Everything up to the purchase happens before the first suspension, so a second tap finds the activity.
        guard coordinator?.purchaseBegan(plan) ?? true else { return nil }
        state.activity = .purchasing(planID: plan.id)
        state.message = nil
        let offerID = state.offer.id
        analytics.track(.paywallCTAClick(offerID: offerID, planID: plan.id))
        let outcome =
            await timer.answer(within: Self.deadline, isCancellable: false) { [purchase] in
                await purchase.purchase(productID: plan.id, offerID: offerID.rawValue)
            } ?? .pending(.noAnswer)
        await settle(outcome, plan)
        return outcome
    }

    /// Restores the customer's purchases. Call it only after a tap, because the store may ask for a password.
    ///
    /// - Returns: The outcome; nil if nothing was done, because a purchase or a restore runs or the paywall is closed.
    @discardableResult
    public func restore() async -> OneTimeRestoreResult.Outcome? {
        guard state.result == nil, state.activity == nil else { return nil }
        state.activity = .restoring
        state.message = nil
        // What is unlocked from here on counts as restored.
        unsettled = nil
        let outcome =
            await timer.answer(within: Self.deadline, isCancellable: false) { [purchase] in await purchase.restore() }
            ?? .failed(PurchaseError(StoreError(.timedOut, "the restore has not ended within its deadline")))
        await refresh()
        state.activity = nil
        settle(outcome)
        return outcome
    }

    /// Does what the button beside the message offers, except for the way to support, which is the app's.
    public func performAction() async {
        switch state.message?.action {
        case .buyAgain: await buy()
        case .restoreAgain: await restore()
        case .loadAgain: await load()
        case .contactSupport, nil: break
        }
    }

    /// Closes the paywall without an answer.
    ///
    /// - Throws: ``PaywallFlowError`` while a purchase runs, and if the paywall does not allow it.
    public func dismiss() throws(PaywallFlowError) {
        try requireClosable()
        guard state.result == nil else { return }
        analytics.track(.paywallDismissed(offerID: state.offer.id))
        end(errorMessage.map { .failed(message: $0) } ?? .dismissed)
    }

    /// Closes the paywall because the customer has said "not now".
    ///
    /// - Throws: ``PaywallFlowError`` while a purchase runs, and if the paywall does not allow it.
    public func decline() throws(PaywallFlowError) {
        try requireClosable()
        guard state.result == nil else { return }
        analytics.track(.paywallNotNow(offerID: state.offer.id))
        end(.declined)
    }

    private func requireClosable() throws(PaywallFlowError) {
        if case .purchasing = state.activity {
            throw PaywallFlowError(.impossibleTransition, from: .purchasing, to: .skipped)
        }
        // A customer that cannot buy must be able to leave.
        let canBuy = !state.offer.plans.isEmpty && flags().purchasesEnabled
        guard allowsDismissal || !canBuy else {
            throw PaywallFlowError(.dismissalNotAllowed, from: .paywall, to: .skipped)
        }
    }

    // MARK: How a purchase ends

    private func settle(_ outcome: PurchaseOutcome, _ plan: Plan) async {
        switch outcome {
        case .success, .alreadyOwned, .pending(.notHandedOver), .pending(.changesAtRenewal):
            if unlockedEntitlement(by: plan) == nil { await refresh() }
        case .cancelled, .pending, .failed: break
        }
        state.activity = nil
        if OneTimePurchaseResult.Sale(outcome) != .notSold { unsettled = plan }
        switch outcome {
        case .success, .pending(.notHandedOver): unlock(.purchased, .purchaseUnlocked, plan)
        case .pending(.changesAtRenewal): unlock(.purchased, .changesAtRenewal, plan)
        case .alreadyOwned: unlock(.restored, .purchasesRestored, plan)
        case .cancelled:
            analytics.track(.purchaseCancelled(offerID: state.offer.id, planID: plan.id))
            stayOpen(with: .cancelled)
        case .pending(.unverified(let failure)): failVerification(PurchaseError(failure, productID: plan.id), plan)
        case .pending(let reason):
            analytics.track(.purchasePending(offerID: state.offer.id, planID: plan.id, reason: reason.name))
            switch reason {
            case .awaitingApproval:
                // The coordinator waits for the approval.
                unsettled = nil
                state.message = PaywallMessage(.notice, .awaitingApproval)
                coordinator?.purchaseReturned()
                end(.awaitingApproval, plan: plan)
            case .awaitingSignIn: stayOpen(with: .awaitingSignIn)
            case .notRecorded: stayOpen(with: .notSaved)
            default: stayOpen(with: .noAnswer)
            }
        case .failed(let reason):
            let error = PurchaseError(reason, productID: plan.id)
            if error.flowCode == .verificationFailed { return failVerification(error, plan) }
            // The customer has paid for something else.
            let isOtherProduct = reason.code == .differentProduct
            track(isOtherProduct ? .entitlementInactive : .storeKitOrNetwork, code: reason.code.rawValue, plan)
            let offersRetry = error.isRetryable && isRepeatable(outcome, plan)
            fail(error, action: offersRetry ? .buyAgain : isOtherProduct ? .contactSupport : nil)
        }
        closeIfUnlocked()
    }

    /// Closes the paywall if the plan is unlocked; otherwise the purchase has failed, although the store has sold.
    private func unlock(_ result: PaywallResult, _ key: MessageKey, _ plan: Plan) {
        guard let entitlement = unlockedEntitlement(by: plan) else {
            track(.entitlementInactive, code: nil, plan)
            return fail(PaywallMessage(.failure, .notActive, action: .contactSupport))
        }
        switch result {
        case .purchased: analytics.track(.purchaseSuccess(offerID: state.offer.id, planID: plan.id))
        default:
            // Nothing was sold, so it does not count as a purchase.
            analytics.track(
                .restoreSuccess(offerID: state.offer.id, planID: plan.id, result: "already-owned"))
        }
        state.message = PaywallMessage(.success, key)
        end(result, entitlement: entitlement, plan: plan)
    }

    /// A purchase that is not verified unlocks nothing, and another one would cost the customer money again.
    private func failVerification(_ error: PurchaseError, _ plan: Plan) {
        let failure = error.underlying as? VerificationFailure
        track(.entitlementInactive, code: failure?.code.rawValue ?? error.code.rawValue, plan)
        fail(error, action: .contactSupport)
    }

    private func track(_ reason: PaywallEvent.FailReason, code: String?, _ plan: Plan) {
        analytics.track(.purchaseFail(offerID: state.offer.id, planID: plan.id, reason: reason, code: code))
    }

    /// Returns whether a purchase that has failed can be repeated without the danger of a second charge: it has certainly cost
    /// nothing, or the store sells the product only once.
    private func isRepeatable(_ outcome: PurchaseOutcome, _ plan: Plan) -> Bool {
        let type = state.products.first { plan.hasID($0.id) }?.type
        return OneTimePurchaseResult.Sale(outcome) == .notSold || type == .nonConsumable
            || type == .autoRenewableSubscription
    }

    private func settle(_ outcome: OneTimeRestoreResult.Outcome) {
        let offerID = state.offer.id
        switch outcome {
        case .restored: analytics.track(.restoreSuccess(offerID: offerID, result: "restored"))
        case .alreadyRestored: analytics.track(.restoreSuccess(offerID: offerID, result: "already-restored"))
        case .nothingFound: analytics.track(.restoreSuccess(offerID: offerID, result: "nothing-found"))
        case .failed(let error): analytics.track(.restoreFail(offerID: offerID, reason: error.code.rawValue))
        }
        // The customer can have closed the paywall during the restore.
        guard state.result == nil else { return }
        closeIfUnlocked()
        guard state.result == nil else { return }
        switch outcome {
        case .restored, .alreadyRestored: stayOpen(with: .alreadyRestored)
        case .nothingFound: stayOpen(with: .nothingToRestore)
        case .failed(let error) where error.code == .purchaseCancelled:
            stayOpen(with: .restoreCancelled, action: .restoreAgain)
        case .failed(let error): fail(error, action: error.isRetryable ? .restoreAgain : .contactSupport)
        }
    }

    // MARK: What is unlocked

    /// Returns what a plan has unlocked; nil if it has unlocked nothing.
    private func unlockedEntitlement(by plan: Plan) -> Entitlement? {
        let entitlements = entitlement.entitlements
        if let featureID { return entitlements.grants(.feature(featureID)) ? .feature(featureID) : nil }
        let sold = catalog?.entitlements(for: plan.id) ?? [.pro]
        return sold.strongestFirst.first(where: entitlements.grants)
    }

    /// Returns what makes the paywall needless: the feature, everything, or all of its plans.
    private var unlockedTarget: Entitlement? {
        PaywallTarget(offer: state.offer, featureID: featureID, catalog: catalog)
            .unlockedEntitlement(in: entitlement.entitlements)
    }

    /// Closes the paywall if what it sells is unlocked: late by its own purchase, by a restore, or by another device.
    private func closeIfUnlocked() {
        guard state.result == nil, state.activity == nil else { return }
        if let unsettled, unlockedEntitlement(by: unsettled) != nil {
            return unlock(.purchased, .purchaseUnlocked, unsettled)
        }
        guard let entitlement = unlockedTarget else { return }
        state.message = PaywallMessage(.success, .purchasesRestored)
        end(.restored, entitlement: entitlement)
    }

    private func refresh() async {
        _ = await timer.answer(within: Self.refreshDeadline, isCancellable: false) { [entitlement] in
            await entitlement.refresh()
        }
    }

    // MARK: Reports

    private func fail(_ error: PurchaseError, action: PaywallMessage.Action?) {
        fail(PaywallMessage(error, action: action))
    }

    private func fail(_ message: PaywallMessage) {
        state.message = message
        coordinator?.paywallFailed(message: message.userMessage(languages: languages, catalog: texts).text)
    }

    private func stayOpen(with key: MessageKey, action: PaywallMessage.Action? = nil) {
        state.message = PaywallMessage(.notice, key, action: action)
        coordinator?.purchaseReturned()
    }

    private func end(_ result: PaywallResult, entitlement: Entitlement? = nil, plan: Plan? = nil) {
        state.result = result
        observation = nil
        coordinator?.paywallEnded(result, entitlement: entitlement, plan: plan)
    }
}

extension Plan {
    /// Returns the plan with the store's own price and period; unchanged without a product.
    fileprivate func priced(by product: Product?) -> Plan {
        guard let product else { return self }
        return Plan(
            id: id, displayPrice: product.displayPrice, period: product.subscription?.period.name ?? "",
            isBestValue: isBestValue)
    }
}

extension BillingPeriod {
    /// The period as plans name it: `week`, `month`, `year`, or in ISO 8601.
    fileprivate var name: String {
        switch self {
        case .week: "week"
        case .month: "month"
        case .year: "year"
        default: description
        }
    }
}
