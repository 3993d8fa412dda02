/// How an auto-renewable subscription renews, and what it is offered for.
public struct SubscriptionTerms: Sendable, Hashable {
    /// The group, of which a customer has one subscription at a time.
    public let groupID: String
    /// The level of service within the group; 1 is the highest.
    public let level: Int
    /// The time between two renewals.
    public let period: BillingPeriod
    /// What new subscribers of the group are offered; nil where there is nothing.
    public let introductoryOffer: ProductOffer?
    /// What present and former subscribers can be offered.
    public let promotionalOffers: [ProductOffer]

    /// Describes the terms.
    public init(
        groupID: String,
        level: Int,
        period: BillingPeriod,
        introductoryOffer: ProductOffer? = nil,
        promotionalOffers: [ProductOffer] = []
    ) {
        self.groupID = groupID
        self.level = level
        self.period = period
        self.introductoryOffer = introductoryOffer
        self.promotionalOffers = promotionalOffers
    }
}
