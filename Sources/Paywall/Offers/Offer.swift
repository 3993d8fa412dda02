internal import ReceiptTypes

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

extension Offer {
    /// Returns the plan with an id, compared byte by byte; nil if the offer has none.
    public func plan(_ id: String) -> Plan? { plans.first { $0.hasID(id) } }

    /// Returns the same offer for a customer that has given a promise.
    func withPersonalPromise(_ key: String?) -> Offer {
        Offer(
            id: id, layoutVariant: layoutVariant, plans: plans, defaultPlanID: defaultPlanID, personalPromiseKey: key)
    }

    /// Returns the same offer with other plans. If the default plan is not among them, the first one takes its place.
    func withPlans(_ plans: [Plan]) -> Offer {
        let keepsDefault = plans.contains { $0.hasID(defaultPlanID) }
        return Offer(
            id: id, layoutVariant: layoutVariant, plans: plans,
            defaultPlanID: keepsDefault ? defaultPlanID : plans.first?.id ?? defaultPlanID,
            personalPromiseKey: personalPromiseKey)
    }
}

extension Plan {
    /// Returns whether the plan's id has the same bytes as another id.
    func hasID(_ id: String) -> Bool { self.id.isIdentical(to: id) }
}
