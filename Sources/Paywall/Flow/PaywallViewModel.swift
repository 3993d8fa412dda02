public import PurchaseCore
internal import ReceiptTypes

/// The logic of an open paywall: selection, purchase and restore, and what the customer is told about them.
///
/// A purchase that unlocks the plan closes the paywall, and so does one that awaits an approval or the next renewal.
/// After a cancellation and after a failure the paywall stays open and says so. While a purchase or a restore runs, a
/// second one does nothing, and both end after a deadline at the latest. After a minute, the customer no longer has to
/// wait for them.
///
/// Only a ``PaywallCoordinator`` opens one. It counts the view and the purchases, also after the paywall has closed, so
/// keep it as long as the app sells.
@MainActor
public final class PaywallViewModel: ScreenModel {
    /// Everything that the paywall shows.
    public private(set) var state: PaywallViewState {
        didSet {
            state.isClosable = isClosable
            if state != oldValue { observers.send(state) }
        }
    }
    /// The locked feature for which the paywall was opened; nil if it was opened by a decision.
    public let featureID: FeatureID?
    /// Whether the customer can close the paywall without an answer; ``PaywallViewState/isClosable`` says whether it
    /// can be closed now.
    public let allowsDismissal: Bool

    let services: PaywallServices
    private let open: OpenPurchases
    private let restoring: RestoreViewModel
    private(set) weak var coordinator: PaywallCoordinator?
    private let observers = Broadcast<PaywallViewState>()
    /// The offer as it was opened. Each load begins with it, so a plan that the store did not know once can come back.
    private let openedOffer: Offer
    private var loading: Task<Void, Never>?
    /// Products that have arrived during a purchase.
    private var lateProducts: ProductMetadata?
    /// What the customer had, and how current that was known to be, when the trials were asked for last.
    private var basisOfTrials: (Entitlements, EntitlementFreshness)?
    /// The number of times that the trials were asked for.
    private var trialRequests = 0
    /// The plan of the last purchase that has failed and can be repeated.
    private var failedPlan: Plan?
    /// The last product that was bought on this paywall.
    private var boughtProductID: String?
    /// Whether the signature of that purchase was rejected; a later one can be valid.
    private var wasRejected = false
    /// A purchase of this paywall that has arrived late.
    private var arrived: BegunPurchase?
    /// The failures of the last purchase or restore, for support.
    private(set) var failures: [PurchaseError] = []
    /// Waits until the customer need not wait any more.
    private var patience: Task<Void, Never>?

    /// The milliseconds after which the customer can leave a purchase or a restore that runs.
    static let patienceMilliseconds: Int64 = 60_000
    /// The longest purchase in milliseconds: ten minutes for the app's own dialogue, ten for the store's, and one for
    /// everything else.
    static let deadline: Int64 = 1_260_000
    /// The milliseconds for loading the products.
    private static let productsDeadline: Int64 = 60_000

    /// Creates the logic of the one open paywall of a coordinator, which learns when a purchase begins and how it ends.
    init(
        offer: Offer, services: PaywallServices, featureID: FeatureID?, allowsDismissal: Bool,
        coordinator: PaywallCoordinator
    ) {
        let withheld = services.plansUnlockingNothing(of: offer)
        services.report(withheld)
        openedOffer = offer.without(withheld)
        state = PaywallViewState(offer: offer, withheldPlans: withheld)
        self.featureID = featureID
        self.allowsDismissal = allowsDismissal
        self.services = services
        self.coordinator = coordinator
        open = coordinator.openPurchases
        restoring = RestoreViewModel(purchase: services.purchase, texts: services.texts, timer: services.timer)
        state.isClosable = isClosable
        showPendingPlans()
    }

    // MARK: What the document names

    /// The id of the selected plan.
    public var selectedPlanID: String { state.selectedPlanID }
    /// Whether a purchase or a restore runs.
    public var isLoading: Bool { state.isLoading }
    /// The text of the last failure in the customer's language; nil if nothing has failed since.
    public var errorMessage: String? {
        guard let message = state.message, message.tone == .failure else { return nil }
        return message.userMessage(services.texts).text
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

    /// Loads the products of the plans and the pending purchases. Call it when the paywall appears.
    ///
    /// The plans get the store's prices, and a plan that the store does not sell is removed. While the store cannot be
    /// reached, prices come from the cache with a warning, and a plan without a price can be bought all the same: the
    /// store shows the price before the customer pays. Then the trials are updated. Concurrent calls share one load
    /// of the products, which the end of a caller does not stop.
    public func load() async {
        if let loading { return await loading.value }
        guard state.result == nil else { return }
        let task = Task {
            async let approvals: Void = self.loadApprovals()
            await self.loadProducts()
            // From here on another attempt is a load of its own: the customer reads the result of this one.
            self.loading = nil
            await self.updateTrials()
            await approvals
        }
        loading = task
        await task.value
    }

    /// Asks again which introductory offers the customer gets, for ``PaywallViewState/trial(of:)``.
    ///
    /// The paywall does so with each load, and when the customer's purchases have changed. Call it before a
    /// confirmation of the app's own shows what is charged, and when the connection is lost: an offer is not promised
    /// while the store cannot confirm it.
    public func updateTrials() async {
        guard state.result == nil else { return }
        basisOfTrials = (services.entitlement.entitlements, services.entitlement.freshness)
        trialRequests += 1
        let number = trialRequests
        let trials = await services.trials(of: state.products)
        // A later request knows more.
        guard number == trialRequests, state.result == nil else { return }
        state.trials = trials
    }

    private func loadApprovals() async {
        await open.updateApprovals(services, countArrivals: countArrivals)
        showPendingPlans()
    }

    private func loadProducts() async {
        guard let products = services.products else { return }
        state.isLoadingProducts = true
        let ids = openedOffer.plans.map(\.id)
        let metadata =
            await services.timer.answer(within: Self.productsDeadline, isCancellable: false) {
                await products.loadProductMetadata(ids)
            }
            ?? ProductMetadata(
                items: [], missing: ids,
                error: PurchaseError(StoreError(.timedOut, "the products were not loaded within the deadline")))
        state.isLoadingProducts = false
        if case .purchasing = state.activity {
            // What is being bought stays on the screen.
            lateProducts = metadata
        } else {
            show(metadata)
        }
    }

    private func show(_ metadata: ProductMetadata) {
        guard state.result == nil else { return }
        let consumables = metadata.products.filter { $0.type == .consumable }
        let withheld =
            consumables.map { WithheldPlan(id: $0.id, reason: .unlocksNothing) }
            + metadata.unknown.map { WithheldPlan(id: $0, reason: .notSold) }
        services.report(withheld.filter { !state.withheldPlans.contains($0) })
        let neverShown = state.withheldPlans.filter { openedOffer.plan($0.id) == nil }
        let loaded = metadata.products.filter { $0.type != .consumable }
        var next = state
        next.withheldPlans = neverShown + withheld
        next.products = loaded
        let shown = openedOffer.without(withheld)
        next.offer = shown.withPlans(
            shown.plans.map { plan in plan.priced(by: loaded.first { plan.hasID($0.id) }, services.catalog) })
        if next.selectedPlan == nil { next.selectedPlanID = next.offer.defaultPlanID }
        next.oldPrices = OldPrices(metadata)
        next.productsMessage = nil
        if shown.plans.isEmpty {
            let error = PurchaseError(.productUnavailable, "the store sells none of the plans")
            next.productsMessage = PaywallMessage(error, action: .loadAgain)
        } else if let error = metadata.error, !metadata.missing.isEmpty {
            next.productsMessage = PaywallMessage(error, action: .loadAgain)
        }
        state = next
        coordinator?.offerChanged(state.offer)
        if !shown.plans.isEmpty { closeIfUnlocked(.unlockedElsewhere) }
    }

    private func showPendingPlans() {
        let pending = open.list.filter { $0.standing == .awaitingApproval }.map(\.productID)
        state.pendingPlanIDs = openedOffer.plans.map(\.id).filter { id in
            pending.contains { $0.isIdentical(to: id) }
        }
    }

    // MARK: The customer's actions

    /// Selects a plan of the offer; any other id changes nothing.
    public func selectPlan(_ id: String) {
        guard state.result == nil, state.activity == nil, let plan = state.offer.plan(id) else { return }
        guard !plan.hasID(state.selectedPlanID) else { return }
        state.selectedPlanID = plan.id
        track(.paywallPlanSelected(offerID: offerID, planID: plan.id, featureID: featureID))
    }

    /// Buys the selected plan.
    ///
    /// If an earlier purchase may have been made, the entitlements are refreshed first. Nothing is bought while that
    /// purchase is not known to have failed: the outcome is `pending(.noAnswer)` then, and the message offers a
    /// restore. If it has arrived with that refresh, nothing is bought either, and the outcome is `alreadyOwned` or,
    /// for a purchase of this paywall, `success`.
    ///
    /// - Returns: The outcome; nil if nothing was done, because a purchase or a restore runs or the paywall is closed.
    @discardableResult
    public func buy() async -> PurchaseOutcome? {
        guard let plan = state.selectedPlan else { return nil }
        return await buy(plan)
    }

    private func buy(_ plan: Plan) async -> PurchaseOutcome? {
        guard state.result == nil, state.activity == nil else { return nil }
        guard services.flags().purchasesEnabled else {
            let error = PurchaseFlowError.purchasesDisabled
            track(.paywallCTAClick(offerID: offerID, planID: plan.id, featureID: featureID))
            report(.failed(error), of: plan)
            fail(PaywallMessage(PurchaseError(error, productID: plan.id), action: nil))
            return .failed(error)
        }
        // Everything up to the purchase happens before the first suspension, so a second tap finds the activity.
        guard coordinator?.purchaseBegan(plan) ?? true else { return nil }
        begin(.purchasing(planID: plan.id))
        failedPlan = nil
        track(.paywallCTAClick(offerID: offerID, planID: plan.id, featureID: featureID))
        if let outcome = await outcomeWithoutSale(of: plan) {
            showLateProducts()
            return outcome
        }
        guard state.result == nil else { return nil }
        // Open from here on, so that it counts for this paywall also if the process is killed or the customer leaves.
        let begun = open.begin(plan.id, on: .init(offerID: offerID, featureID: featureID), services)
        (boughtProductID, wasRejected) = (plan.id, false)
        let outcome =
            await services.timer.answer(within: Self.deadline, isCancellable: false) { [services, offerID] in
                await services.purchase.purchase(productID: plan.id, offerID: offerID?.rawValue)
            } ?? .pending(.noAnswer)
        if outcome.mayHaveChangedEntitlements { await services.refreshEntitlements() }
        let isOfThisUser = open.end(begun, outcome.standing)
        if state.result == nil {
            endActivity()
            settle(outcome, begun, plan)
        } else if isOfThisUser {
            report(outcome, of: plan)
        }
        countArrivals()
        showLateProducts()
        return outcome
    }

    /// Returns the outcome of a purchase that is not begun, because an earlier one has arrived or may have been made.
    private func outcomeWithoutSale(of plan: Plan) async -> PurchaseOutcome? {
        let unsettled = open.unsettled(overlapping: plan.id, services)
        guard !unsettled.isEmpty else { return nil }
        await services.refreshEntitlements()
        guard state.result == nil else { return nil }
        endActivity()
        countArrivals()
        if let result = state.result { return result == .purchased ? .success : .alreadyOwned }
        let remaining = Set(open.list.map(\.eventID))
        let entitlements = services.entitlement.entitlements
        let arrived = unsettled.filter { !remaining.contains($0.eventID) && $0.hasArrived(in: entitlements) }
        if let arrived = arrived.first(where: { plan.hasID($0.productID) }) {
            // The paywall sells more than the plan, but the customer has just got what the tap was for.
            close(.restored, .unlockedElsewhere, arrived.entitlement)
            return .alreadyOwned
        }
        guard arrived.isEmpty else {
            // The other plan is in force now, so the customer decides once more.
            stayOpen(with: PaywallMessage(.notice, .unlockedElsewhere))
            return .alreadyOwned
        }
        let type = state.products.first { plan.hasID($0.id) }?.type
        let isSoldOnce = type == .nonConsumable || type == .autoRenewableSubscription
        let isPossible = open.unsettled(overlapping: plan.id, services).allSatisfy {
            $0.standing == .undecided && isSoldOnce && plan.hasID($0.productID)
        }
        if isPossible {
            begin(.purchasing(planID: plan.id))
            return nil
        }
        stayOpen(with: PaywallMessage(.notice, .undecidedPurchase, action: .restoreAgain))
        return .pending(.noAnswer)
    }

    private func showLateProducts() {
        guard let metadata = lateProducts else { return }
        lateProducts = nil
        show(metadata)
    }

    /// Restores the customer's purchases, always possible. Call it only after a tap, because the store may ask for a
    /// password.
    ///
    /// - Returns: The outcome; nil if nothing was done, because a purchase or a restore runs or the paywall is closed.
    @discardableResult
    public func restore() async -> OneTimeRestoreResult.Outcome? {
        guard state.result == nil, state.activity == nil else { return nil }
        begin(.restoring)
        // The message of the last failure is gone, and so is its state.
        coordinator?.purchaseReturned()
        let generation = open.generation
        guard let result = await restoring.restore() else { return nil }
        await services.refreshEntitlements()
        guard generation == open.generation else { return result.outcome }
        open.restoreHasEnded(result)
        track(restore: result.outcome)
        // The customer can have closed the paywall during the restore.
        guard state.result == nil else { return result.outcome }
        endActivity()
        failures = restoring.failures
        closeIfUnlocked(.purchasesRestored)
        guard state.result == nil, let report = restoring.state.report else { return result.outcome }
        switch result.outcome {
        case .failed where report.tone == .failure: fail(report)
        case .restored, .alreadyRestored: stayOpen(with: report.withAdvice(.init(FlowMessage.notIncluded.key)))
        case .nothingFound, .failed: stayOpen(with: report)
        }
        return result.outcome
    }

    /// Does what the button beside the message offers, except for the way to support, which is the app's.
    public func performAction() async {
        let messages = [state.message, state.productsMessage, state.pendingMessage]
        guard let action = messages.lazy.compactMap({ $0?.action }).first else { return }
        await perform(action)
    }

    /// Does what a button beside a message offers, except for the way to support, which is the app's.
    public func perform(_ action: PaywallMessage.Action) async {
        switch action {
        case .buyAgain:
            guard state.result == nil, state.activity == nil, let plan = failedPlan.flatMap({ state.offer.plan($0.id) })
            else { return }
            state.selectedPlanID = plan.id
            _ = await buy(plan)
        case .restoreAgain: await restore()
        case .loadAgain: await load()
        case .stopWaiting: await stopWaiting()
        case .contactSupport: break
        }
    }

    /// Stops waiting for the approval of the selected plan, so that it can be ordered again; does nothing if it awaits
    /// none.
    ///
    /// Call it when the customer says that the purchase was declined, which no store reports. If it is approved all the
    /// same, the customer has bought it.
    public func stopWaiting() async {
        guard state.result == nil, state.activity == nil, state.pendingMessage != nil, let plan = state.selectedPlan
        else { return }
        let generation = open.generation
        let error = await services.forgetPendingPurchase(of: plan.id)
        guard generation == open.generation, state.result == nil else { return }
        if let error { return fail(PaywallMessage(error, action: nil)) }
        open.giveUpApproval(of: plan.id)
        showPendingPlans()
    }

    /// Closes the paywall without an answer; does nothing if it is closed.
    ///
    /// A purchase that runs goes on, and counts when it arrives.
    ///
    /// - Throws: ``PaywallFlowError`` unless the paywall ``PaywallViewState/isClosable``.
    public func dismiss() throws(PaywallFlowError) {
        guard state.result == nil else { return }
        try requireClosable()
        track(.paywallDismissed(offerID: offerID, featureID: featureID))
        leave(errorMessage.map { .failed(message: $0) } ?? .dismissed)
    }

    /// Closes the paywall because the customer has said "not now"; does nothing if it is closed.
    ///
    /// - Throws: ``PaywallFlowError`` unless the paywall ``PaywallViewState/isClosable``.
    public func decline() throws(PaywallFlowError) {
        guard state.result == nil else { return }
        try requireClosable()
        track(.paywallNotNow(offerID: offerID, featureID: featureID))
        leave(.declined)
    }

    private func leave(_ result: PaywallResult) {
        if state.activity != nil { coordinator?.purchaseReturned() }
        endActivity()
        end(result)
    }

    private func requireClosable() throws(PaywallFlowError) {
        guard !isClosable else { return }
        if case .purchasing = state.activity {
            throw PaywallFlowError(.impossibleTransition, from: .purchasing, to: .skipped)
        }
        throw PaywallFlowError(.dismissalNotAllowed, from: .paywall, to: .skipped)
    }

    private var isClosable: Bool {
        if state.isTakingLong { return true }
        if case .purchasing = state.activity { return false }
        return allowsDismissal || !canBuy
    }

    /// Whether the customer can buy. One that cannot must be able to leave, also a paywall that does not allow it.
    private var canBuy: Bool {
        let isStoreThere = state.productsMessage == nil && state.oldPrices == nil
        let hasFailed = state.message.map { $0.tone == .failure && $0.action != .buyAgain } ?? false
        return services.flags().purchasesEnabled && !state.offer.plans.isEmpty && isStoreThere && !hasFailed
            && !state.offer.plans.contains { open.isWaiting(for: $0.id, services) }
    }

    // MARK: What runs

    private func begin(_ activity: PaywallViewState.Activity) {
        state.activity = activity
        state.message = nil
        failures = []
        let timer = services.timer.start(milliseconds: Self.patienceMilliseconds)
        patience = Task { [weak self] in
            await withTaskCancellationHandler {
                await timer.value
            } onCancel: {
                timer.cancel()
            }
            guard !Task.isCancelled, let self else { return }
            self.state.isTakingLong = true
            self.state.message = PaywallMessage(.notice, .takingLong)
        }
    }

    private func endActivity() {
        patience?.cancel()
        state.activity = nil
        guard state.isTakingLong else { return }
        state.isTakingLong = false
        state.message = nil
    }

    // MARK: How a purchase ends

    private func settle(_ outcome: PurchaseOutcome, _ begun: BegunPurchase, _ plan: Plan) {
        let isUnlocked = begun.isUnlocked(in: services.entitlement.entitlements)
        if outcome == .success || outcome == .pending(.notHandedOver), isUnlocked {
            // It is counted here, and not as one that arrives.
            open.count(begun, services)
            return close(.purchased, .purchaseUnlocked, begun.entitlement)
        }
        report(outcome, of: plan)
        switch outcome {
        case .success:
            track(.entitlementInactive, code: nil, plan)
            fail(PaywallMessage(.failure, isSubscription(plan) ? .notActive : .notUnlocked, action: .restoreAgain))
        case .alreadyOwned where isUnlocked: close(.restored, .purchasesRestored, begun.entitlement)
        case .alreadyOwned: stayOpen(with: PaywallMessage(.notice, .notOwned, action: .restoreAgain))
        case .cancelled: stayOpen(with: PaywallMessage(.notice, .cancelled))
        case .pending(.unverified(let failure)) where !failure.isRetryable:
            // It unlocks nothing, and another purchase would cost the customer money again.
            wasRejected = true
            fail(PaywallMessage(PurchaseError(failure, productID: plan.id), action: .contactSupport))
        case .pending(let reason): settle(pending: reason)
        case .failed(let error): settle(failed: error, outcome, plan)
        }
    }

    private func settle(pending reason: PendingReason) {
        switch reason {
        case .awaitingApproval: accept(.awaitingApproval, PaywallMessage(.notice, .awaitingApproval))
        case .changesAtRenewal(let productID, let date):
            let key: MessageKey = date == nil ? .changesAtRenewal : .changesOnDate
            accept(
                .changesAtRenewal(productID: productID, date: date),
                PaywallMessage(.notice, .init(key, date: date)))
        case .offerAtRenewal(let productID, let date):
            let key: MessageKey = date == nil ? .offerAtRenewal : .offerOnDate
            accept(
                .changesAtRenewal(productID: productID, date: date),
                PaywallMessage(.success, .init(key, date: date)))
        case .renewsAgain(let productID, let date):
            let key: MessageKey = date == nil ? .renewsAgain : .renewsAgainOnDate
            accept(
                .changesAtRenewal(productID: productID, date: date),
                PaywallMessage(.success, .init(key, date: date)))
        case .awaitingSignIn: stayOpen(with: PaywallMessage(.notice, .awaitingSignIn))
        case .notRecorded, .notHandedOver: stayOpen(with: PaywallMessage(.notice, .notSaved))
        case .unverified: stayOpen(with: PaywallMessage(.notice, .checking))
        case .noAnswer: stayOpen(with: PaywallMessage(.notice, .noAnswer, action: .restoreAgain))
        }
    }

    /// Closes the paywall with what the store has accepted and not sold yet.
    private func accept(_ result: PaywallResult, _ message: PaywallMessage) {
        state.message = message
        coordinator?.purchaseReturned()
        end(result)
    }

    private func settle(failed reason: PurchaseFlowError, _ outcome: PurchaseOutcome, _ plan: Plan) {
        let error = PurchaseError(reason, productID: plan.id)
        if error.flowCode == .verificationFailed || reason.code == .differentProduct {
            // It unlocks nothing that the customer wanted, and may have been paid.
            wasRejected = true
            fail(PaywallMessage(error, action: .contactSupport))
        } else if reason.code == .purchaseInProgress {
            // The other purchase is the one that can cost something.
            fail(PaywallMessage(error, action: nil))
        } else if outcome.standing != nil {
            fail(PaywallMessage(error, advice: .init(FlowMessage.undecidedNext.key), action: .restoreAgain))
        } else {
            failedPlan = plan
            fail(PaywallMessage(error, action: error.isRetryable ? .buyAgain : nil))
        }
    }

    private func isSubscription(_ plan: Plan) -> Bool {
        let product = state.products.first { plan.hasID($0.id) }
        return product.map { $0.type == .autoRenewableSubscription } ?? !plan.period.isEmpty
    }

    // MARK: What is unlocked

    /// Counts the purchases that have arrived, and closes the paywall if it is not needed any more.
    private func countArrivals() { coordinator?.countArrivals() }

    /// Closes the paywall if what it sells is unlocked: late by its own purchase, by a restore, or by another device.
    ///
    /// - Parameter arrivals: The purchases that have arrived, and are counted.
    func entitlementsChanged(_ arrivals: [BegunPurchase]) {
        arrived =
            arrivals.first { purchase in boughtProductID.map(purchase.productID.isIdentical) ?? false } ?? arrived
        showPendingPlans()
        closeIfUnlocked(.unlockedElsewhere)
        updateChangedTrials()
    }

    /// Asks for the trials again if the answer may be another one by now.
    private func updateChangedTrials() {
        guard let (entitlements, freshness) = basisOfTrials,
            entitlements != services.entitlement.entitlements || freshness != services.entitlement.freshness
        else { return }
        Task { await updateTrials() }
    }

    /// Closes the paywall, because another user has signed in.
    func userChanged() {
        guard state.result == nil else { return }
        leave(.skipped(.entitlementsUnknown))
    }

    private func closeIfUnlocked(_ key: MessageKey) {
        guard state.result == nil, state.activity == nil else { return }
        if let arrived {
            return close(.purchased, wasRejected ? .purchaseConfirmed : .purchaseUnlocked, arrived.entitlement)
        }
        let target = PaywallTarget(offer: state.offer, featureID: featureID, services: services)
        guard let entitlement = target.unlockedEntitlement else { return }
        close(.restored, key, entitlement)
    }

    private func close(_ result: PaywallResult, _ key: MessageKey, _ entitlement: Entitlement?) {
        state.message = PaywallMessage(.success, key)
        end(result, entitlement: entitlement)
    }

    // MARK: Reports to the coordinator

    private func fail(_ message: PaywallMessage) {
        state.message = message
        if failures.isEmpty, let error = message.error { failures = [error] }
        coordinator?.paywallFailed(message: message.userMessage(services.texts).text)
    }

    private func stayOpen(with message: PaywallMessage) {
        state.message = message
        coordinator?.purchaseReturned()
    }

    private func end(_ result: PaywallResult, entitlement: Entitlement? = nil) {
        state.result = result
        coordinator?.paywallEnded(result, entitlement: entitlement, productID: boughtProductID)
    }
}
