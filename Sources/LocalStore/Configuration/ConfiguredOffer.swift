public import PurchaseCore
public import ReceiptTypes

/// A subscription for less, for a time, in a local store.
public struct ConfiguredOffer: Sendable, Hashable {
    /// Who may redeem a code.
    public enum Eligibility: String, Sendable, Hashable, CaseIterable {
        /// Those who never subscribed in the group.
        case new
        /// Those who subscribe in the group.
        case existing
        /// Those who did.
        case expired
    }

    /// The offer's id; nil for introductory offers. The id of a code offer is its reference name.
    public var id: String?
    /// The name that only its makers see.
    public var referenceName: String
    /// How it is paid.
    public var paymentMode: OfferDiscountType
    /// The time that one payment of the offer lasts.
    public var period: BillingPeriod
    /// How many periods the offer lasts.
    public var periodCount: Int
    /// What each payment costs; zero for a free trial.
    public var price: Milliunits
    /// Who may redeem it; only codes say so.
    public var eligibility: [Eligibility]
    /// Whether a code can be redeemed together with an introductory offer.
    public var isStackable: Bool
    /// The way to pay that the offer is for (version 5 of the format); nil for the usual one.
    public var billingPlanType: BillingPlanType?

    /// Describes an offer.
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
