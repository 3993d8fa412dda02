public import PurchaseCore
public import ReceiptTypes

/// A discount on a subscription for a limited time.
public struct ConfiguredOffer: Sendable, Hashable {
    /// The customers that may redeem an offer code.
    public enum Eligibility: String, Sendable, Hashable, CaseIterable {
        /// Customers that have never subscribed in the group.
        case new
        /// Customers with a running subscription in the group.
        case existing
        /// Customers whose subscription in the group has ended.
        case expired
    }

    /// The offer identifier; nil for introductory offers. The identifier of a code offer is its reference name.
    public var id: String?
    /// The internal name, which customers do not see.
    public var referenceName: String
    /// The payment mode.
    public var paymentMode: OfferDiscountType
    /// The length of one offer period.
    public var period: BillingPeriod
    /// The number of offer periods.
    public var periodCount: Int
    /// The amount of each payment; zero for a free trial.
    public var price: Milliunits
    /// The customers that may redeem the offer; empty for every offer but code offers.
    public var eligibility: [Eligibility]
    /// Whether a code offer follows an introductory offer instead of replacing it.
    public var isStackable: Bool
    /// The payment schedule that the offer belongs to (format version 5); nil for the usual one.
    public var billingPlanType: BillingPlanType?

    /// Creates an offer.
    public init(
        id: String? = nil,
        referenceName: String = "",
        paymentMode: OfferDiscountType,
        period: BillingPeriod,
        periodCount: Int = 1,
        price: Milliunits = Milliunits(0),
        eligibility: [Eligibility] = [],
        isStackable: Bool = false,
        billingPlanType: BillingPlanType? = nil
    ) {
        self.id = id
        self.referenceName = referenceName
        self.paymentMode = paymentMode
        self.period = period
        self.periodCount = periodCount
        self.price = price
        self.eligibility = eligibility
        self.isStackable = isStackable
        self.billingPlanType = billingPlanType
    }
}
