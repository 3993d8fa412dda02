/// The answer of the ``OfferDecisionEngine``: an offer or none, and everything that has led to it.
public struct OfferDecision: Sendable, Hashable {
    /// The offer to show; nil if the customer sees no paywall.
    public let offer: Offer?
    /// The reasons, the deciding one first, and after it the conditions that held.
    public let reasons: [OfferReason]
    /// The group of the customer in the experiment; nil without an experiment, and if a limit has decided before it.
    ///
    /// It is also there if a rule has chosen the offer, because a holdout group is compared with all other customers.
    public let exposure: ExperimentExposure?

    /// Creates a decision.
    public init(offer: Offer?, reasons: [OfferReason], exposure: ExperimentExposure? = nil) {
        self.offer = offer
        self.reasons = reasons
        self.exposure = exposure
    }
}

/// A reason of an ``OfferDecision``, with the value that was found.
public enum OfferReason: Sendable, Hashable {
    /// The configuration has no offer.
    case noOffer
    /// The customer has seen as many paywalls within seven days as the configuration allows.
    case viewLimit(views: Int)
    /// The customer is in the holdout group of the experiment with this id.
    case heldOut(String)
    /// The rule with this name has chosen the offer.
    case rule(String)
    /// The experiment with this id has chosen the offer.
    case experiment(String)
    /// Neither a rule nor an experiment has chosen the offer.
    case defaultOffer
    /// The number of views has met a condition of the rule.
    case paywallViews(Int)
    /// The seconds on paywalls have met a condition of the rule.
    case timeOnPaywall(Int)
    /// The risk has met a condition of the rule.
    case riskLevel(RiskLevel)
    /// The customer's promise has met a condition of the rule.
    case personalPromise(String)

    /// The stable name with the value, such as `rule often-seen`, for a log or an event.
    public var name: String {
        switch self {
        case .noOffer: "no-offer"
        case .viewLimit(let views): "view-limit \(views)"
        case .heldOut(let experiment): "held-out \(experiment)"
        case .rule(let rule): "rule \(rule)"
        case .experiment(let experiment): "experiment \(experiment)"
        case .defaultOffer: "default-offer"
        case .paywallViews(let views): "paywall-views \(views)"
        case .timeOnPaywall(let seconds): "time-on-paywall \(seconds)"
        case .riskLevel(let level): "risk \(level.rawValue)"
        case .personalPromise(let key): "personal-promise \(key)"
        }
    }
}

/// The group of a customer in an experiment that was asked for a decision.
public struct ExperimentExposure: Sendable, Hashable {
    /// The id of the experiment.
    public let experimentID: String
    /// The group.
    public let group: OfferExperiment.Group

    /// Creates an exposure.
    public init(experimentID: String, group: OfferExperiment.Group) {
        self.experimentID = experimentID
        self.group = group
    }
}
