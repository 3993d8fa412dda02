/// An arrangement of plans that a customer sees as one paywall.
public struct Offer: Sendable, Hashable, Codable {
    /// The offer's letter, under which analytics compares it.
    public let id: OfferID
    /// The name of the layout that shows it, as the app's screens know it.
    public let layoutVariant: String
    /// The plans in the order of display.
    public let plans: [Plan]
    /// The plan that is chosen at first, a member of ``plans``.
    public let defaultPlanID: String
    /// The key of the promise that the customer gave in the onboarding; nil if none was given.
    public let personalPromiseKey: String?

    /// Creates an offer.
    public init(
        id: OfferID,
        layoutVariant: String,
        plans: [Plan],
        defaultPlanID: String,
        personalPromiseKey: String? = nil
    ) {
        self.id = id
        self.layoutVariant = layoutVariant
        self.plans = plans
        self.defaultPlanID = defaultPlanID
        self.personalPromiseKey = personalPromiseKey
    }
}

/// The letter of an offer, `A`, `B` or `C` in configurations and events.
public enum OfferID: String, Sendable, Hashable, Codable, CaseIterable {
    case a = "A"
    case b = "B"
    case c = "C"
}

/// One product within an offer, with the texts that a card shows.
public struct Plan: Sendable, Hashable, Codable, Identifiable {
    /// The product id in the store, such as `weekly_9_99`.
    public let id: String
    /// The price as the store writes it, such as `$9.99`.
    public let displayPrice: String
    /// The length of a billing period, such as `week` or `year`; empty for a product that is bought once.
    public let period: String
    /// Whether the card is marked as the best value.
    public let isBestValue: Bool

    /// Creates a plan.
    public init(id: String, displayPrice: String, period: String, isBestValue: Bool = false) {
        self.id = id
        self.displayPrice = displayPrice
        self.period = period
        self.isBestValue = isBestValue
    }
}
