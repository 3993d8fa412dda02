/// The reason that no paywall was shown.
public enum PaywallSkipReason: Sendable, Hashable {
    /// The customer has everything, or the feature that the paywall would sell.
    case alreadyUnlocked
    /// Nothing says yet what the customer owns, because nothing could be loaded. Show neither a paywall nor the
    /// feature.
    case entitlementsUnknown
    /// Purchases are switched off, by the app's flags or by the configuration.
    case purchasesDisabled
    /// The customer is in the holdout group of an experiment, which sees no paywall.
    case heldOut
    /// The customer has seen as many paywalls within seven days as the configuration allows.
    case viewLimit
    /// The configuration has no offer.
    case noOffer
    /// The catalog does not have the feature, or has no product for it.
    case nothingToSell

    /// The stable name in kebab case.
    public var name: String {
        switch self {
        case .alreadyUnlocked: "already-unlocked"
        case .entitlementsUnknown: "entitlements-unknown"
        case .purchasesDisabled: "purchases-disabled"
        case .heldOut: "held-out"
        case .viewLimit: "view-limit"
        case .noOffer: "no-offer"
        case .nothingToSell: "nothing-to-sell"
        }
    }
}
