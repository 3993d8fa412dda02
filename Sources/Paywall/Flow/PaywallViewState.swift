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
    /// The products of the plans that are loaded, in the order of the plans; a screen makes a card of each.
    public internal(set) var products: [Product] = []
    /// Whether the products are being loaded; the customer can buy all the same.
    public internal(set) var isLoadingProducts = false
    /// The id of the plan that is highlighted and bought.
    public internal(set) var selectedPlanID: String
    /// What the paywall is doing; nil if it waits for the customer.
    public internal(set) var activity: Activity?
    /// What the paywall tells the customer; nil if there is nothing to say.
    public internal(set) var message: PaywallMessage?
    /// How the paywall has ended, which closes it; nil while it is open.
    public internal(set) var result: PaywallResult?

    init(offer: Offer) {
        self.offer = offer
        selectedPlanID = offer.defaultPlanID
    }

    /// The selected plan.
    public var selectedPlan: Plan? { offer.plan(selectedPlanID) }

    /// Whether an overlay with a progress indicator is shown, and nothing can be pressed.
    public var isLoading: Bool { activity != nil }
}
