internal import ReceiptTypes

/// The settings of the paywall that the app's server can change: the offers, and the rules that choose one.
///
/// A configuration without arguments has every default: purchases are on, a paywall can be closed, its views are not
/// limited, and there are no offers, so only paywalls for features can open.
public struct RemoteConfig: Sendable, Hashable {
    /// The number that the server gives this configuration. It is in the event of each opened paywall, and among the
    /// facts of a paywall's log for support.
    public let revision: Int
    /// Whether products can be bought; by default they can. The app's own flags must allow it too.
    public let purchasesEnabled: Bool
    /// Whether the customer can close a paywall without an answer; by default yes.
    public let allowsDismissal: Bool
    /// The number of paywalls that a customer sees within seven days; nil, the default, for any number.
    ///
    /// It does not limit the paywalls that the customer opens by using a locked feature.
    public let viewLimit7d: Int?
    /// The offers, each with a letter of its own. Their plans have no prices, which come from the store.
    public let offers: [Offer]
    /// The offer for customers to whom no rule and no experiment applies; by default the first of ``offers``.
    public let defaultOfferID: OfferID?
    /// The rules in their order; the first one that applies chooses the offer.
    public let rules: [OfferRule]
    /// The experiment for customers to whom no rule applies; nil if none runs.
    public let experiment: OfferExperiment?
    /// The layout of a paywall for a feature; by default `feature`.
    public let featureLayoutVariant: String

    /// Creates a configuration.
    public init(
        revision: Int = 0,
        purchasesEnabled: Bool = true,
        allowsDismissal: Bool = true,
        viewLimit7d: Int? = nil,
        offers: [Offer] = [],
        defaultOfferID: OfferID? = nil,
        rules: [OfferRule] = [],
        experiment: OfferExperiment? = nil,
        featureLayoutVariant: String = "feature"
    ) {
        self.revision = revision
        self.purchasesEnabled = purchasesEnabled
        self.allowsDismissal = allowsDismissal
        self.viewLimit7d = viewLimit7d
        self.offers = offers
        self.defaultOfferID = defaultOfferID
        self.rules = rules
        self.experiment = experiment
        self.featureLayoutVariant = featureLayoutVariant
    }

    /// Returns the offer with a letter; nil if the configuration has none.
    public func offer(_ id: OfferID) -> Offer? { offers.first { $0.id == id } }
}

/// A rule that chooses an offer if all of its conditions hold; a rule without conditions always applies.
public struct OfferRule: Sendable, Hashable {
    /// The name, which stands among the reasons of a decision.
    public let name: String
    /// The offer.
    public let offerID: OfferID
    /// The least number of paywalls that the customer has seen within seven days.
    public let minimumViews7d: Int?
    /// The largest number of paywalls that the customer has seen within seven days.
    public let maximumViews7d: Int?
    /// The least number of seconds that the customer has spent on paywalls since the launch of the app.
    public let minimumTimeOnPaywallSec: Int?
    /// The levels of risk, of which the customer has one; nil for any level.
    public let riskLevels: Set<RiskLevel>?
    /// The keys of promises, of which the customer has given one; nil for any promise or none.
    public let personalPromiseKeys: Set<String>?

    /// Creates a rule.
    public init(
        name: String,
        offerID: OfferID,
        minimumViews7d: Int? = nil,
        maximumViews7d: Int? = nil,
        minimumTimeOnPaywallSec: Int? = nil,
        riskLevels: Set<RiskLevel>? = nil,
        personalPromiseKeys: Set<String>? = nil
    ) {
        self.name = name
        self.offerID = offerID
        self.minimumViews7d = minimumViews7d
        self.maximumViews7d = maximumViews7d
        self.minimumTimeOnPaywallSec = minimumTimeOnPaywallSec
        self.riskLevels = riskLevels
        self.personalPromiseKeys = personalPromiseKeys
    }
}
