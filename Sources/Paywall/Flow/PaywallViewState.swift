public import PurchaseCore

/// Everything that a paywall shows, at one moment.
public struct PaywallViewState: Sendable, Hashable {
    /// What a paywall is doing while it shows its progress.
    public enum Activity: Sendable, Hashable {
        /// A plan is being bought.
        case purchasing(planID: String)
        /// Purchases are being restored.
        case restoring
    }

    /// The offer. Its plans have prices once the products are loaded.
    public internal(set) var offer: Offer
    /// The plans that are not shown, because they unlock nothing or the store does not sell them.
    public internal(set) var withheldPlans: [WithheldPlan]
    /// The products of the plans that are loaded, in the order of the plans; a screen makes a card of each.
    public internal(set) var products: [Product] = []
    /// Whether the customer gets the introductory offers, by the id of the product.
    var trials: [String: TrialEligibility] = [:]
    /// Whether the products are being loaded; the customer can buy all the same.
    public internal(set) var isLoadingProducts = false
    /// What the customer has to know about the products: they could not be loaded, or none is sold; nil if all is well.
    ///
    /// It stands beside ``message``, which is about the last thing that the customer has done.
    public internal(set) var productsMessage: PaywallMessage?
    /// The prices that may have changed, for a warning; nil if all are the store's. See ``PaywallTexts/warning(of:)``.
    public internal(set) var oldPrices: OldPrices?
    /// The ids of the plans whose purchase awaits an approval.
    public internal(set) var pendingPlanIDs: [String] = []
    /// What the customer has to know about the selected plan: its purchase awaits an approval. Its button ends the wait
    /// of a customer whose purchase was declined. Nil if the plan can be ordered.
    public var pendingMessage: PaywallMessage? {
        guard let plan = selectedPlan, pendingPlanIDs.contains(where: plan.hasID) else { return nil }
        return PaywallMessage(.notice, .stillAwaitingApproval, action: .stopWaiting)
    }
    /// The id of the plan that is highlighted and bought.
    public internal(set) var selectedPlanID: String
    /// What the paywall is doing; nil if it waits for the customer.
    public internal(set) var activity: Activity?
    /// Whether a purchase or a restore has run for a minute. The customer can leave it from then on.
    public internal(set) var isTakingLong = false
    /// What the paywall tells the customer; nil if there is nothing to say.
    public internal(set) var message: PaywallMessage?
    /// Whether the screen has a way to close the paywall: it allows dismissal, or the customer cannot buy at the
    /// moment.
    ///
    /// It is true during a restore too, and false in the first minute of a purchase.
    public internal(set) var isClosable = true
    /// How the paywall has ended, which closes it; nil while it is open.
    public internal(set) var result: PaywallResult?

    init(offer: Offer, withheldPlans: [WithheldPlan]) {
        // With the first plan as the default one, if the default one is not in the offer.
        self.offer = offer.without(withheldPlans)
        self.withheldPlans = withheldPlans
        selectedPlanID = self.offer.defaultPlanID
    }

    /// The selected plan.
    public var selectedPlan: Plan? { offer.plan(selectedPlanID) }

    /// Returns whether the customer gets a product's introductory offer; unknown until the store has answered, and
    /// while it cannot be reached.
    ///
    /// Pass it to the ``ProductCard`` of the product, and to the confirmation of its purchase.
    public func trial(of product: Product) -> TrialEligibility {
        guard let trial = trials[product.id] else { return .unknown }
        // The answer was about the terms of that time.
        if case .eligible(let offer) = trial, offer != product.subscription?.introductoryOffer { return .unknown }
        return trial
    }

    /// Whether an overlay with a progress indicator is shown. Only the way to close the paywall stays usable, if it
    /// ``isClosable``.
    public var isLoading: Bool { activity != nil }
}
