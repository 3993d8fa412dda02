public import PurchaseCore
public import ReceiptTypes

/// The terms of an auto-renewable subscription: group, level, period and offers.
public struct ConfiguredSubscription: Sendable, Hashable {
    /// The identifier of the subscription group.
    public var groupID: String
    /// The level of service in the group; 1 is the highest.
    public var level: Int
    /// The renewal period.
    public var period: BillingPeriod
    /// The offers to new subscribers of the group; the store applies the first.
    public var introductoryOffers: [ConfiguredOffer]
    /// The offers that the app makes to current and former subscribers; `adHocOffers` in the file.
    public var promotionalOffers: [ConfiguredOffer]
    /// The offers that customers redeem with a code.
    public var codeOffers: [ConfiguredOffer]
    /// The offers to former subscribers.
    public var winBackOffers: [ConfiguredOffer]
    /// The payment schedules; empty where the subscription has only the usual one.
    public var billingPlans: [BillingPlan]

    /// Creates subscription terms.
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

    /// Returns the payment schedule of a type if it is on sale.
    public func billingPlan(_ type: BillingPlanType) -> BillingPlan? {
        billingPlans.first { $0.type == type && $0.isEnabled }
    }

    /// A payment schedule for one renewal period (format version 5).
    public struct BillingPlan: Sendable, Hashable {
        /// The kind of schedule.
        public var type: BillingPlanType
        /// The amount of each payment.
        public var price: Milliunits
        /// The total of all payments of the commitment; nil without a commitment.
        public var commitmentPrice: Milliunits?
        /// Whether the schedule is on sale.
        public var isEnabled: Bool

        /// Creates a payment schedule.
        public init(type: BillingPlanType, price: Milliunits, commitmentPrice: Milliunits? = nil, isEnabled: Bool) {
            self.type = type
            self.price = price
            self.commitmentPrice = commitmentPrice
            self.isEnabled = isEnabled
        }
    }
}
