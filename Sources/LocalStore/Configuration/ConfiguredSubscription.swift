public import PurchaseCore
public import ReceiptTypes

/// How a product renews in a local store, and what it is offered for.
public struct ConfiguredSubscription: Sendable, Hashable {
    /// The id of its group.
    public var groupID: String
    /// The level of service within the group; 1 is the highest.
    public var level: Int
    /// The time between two renewals.
    public var period: BillingPeriod
    /// What new subscribers of the group are offered; the first that is free or cheaper counts.
    public var introductoryOffers: [ConfiguredOffer]
    /// What present and former subscribers can be offered by the app; `adHocOffers` in the file.
    public var promotionalOffers: [ConfiguredOffer]
    /// What a code is redeemed for.
    public var codeOffers: [ConfiguredOffer]
    /// What former subscribers are offered to come back.
    public var winBackOffers: [ConfiguredOffer]
    /// The ways to pay for a long period; empty where there is but the usual one.
    public var billingPlans: [BillingPlan]

    /// Describes how a product renews.
    public init(
        groupID: String,
        level: Int,
        period: BillingPeriod,
        introductoryOffers: [ConfiguredOffer] = [],
        promotionalOffers: [ConfiguredOffer] = [],
        codeOffers: [ConfiguredOffer] = [],
        winBackOffers: [ConfiguredOffer] = [],
        billingPlans: [BillingPlan] = []
    ) {
        self.groupID = groupID
        self.level = level
        self.period = period
        self.introductoryOffers = introductoryOffers
        self.promotionalOffers = promotionalOffers
        self.codeOffers = codeOffers
        self.winBackOffers = winBackOffers
        self.billingPlans = billingPlans
    }

    /// A way to pay for a period (version 5 of the format).
    public struct BillingPlan: Sendable, Hashable {
        /// How it is paid.
        public var type: BillingPlanType
        /// What each payment costs.
        public var price: Milliunits
        /// What all payments of the commitment cost together; nil where there is no commitment.
        public var commitmentPrice: Milliunits?
        /// Whether it is on sale.
        public var isEnabled: Bool

        /// Describes a way to pay.
        public init(type: BillingPlanType, price: Milliunits, commitmentPrice: Milliunits? = nil, isEnabled: Bool) {
            self.type = type
            self.price = price
            self.commitmentPrice = commitmentPrice
            self.isEnabled = isEnabled
        }
    }
}
