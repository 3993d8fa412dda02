public import ReceiptTypes

/// A subscription for less, for a time.
public struct ProductOffer: Sendable, Hashable {
    /// The offer's id; nil for an introductory offer, which has none.
    public let id: String?
    /// The kind of the offer.
    public let type: OfferType
    /// How it is paid.
    public let paymentMode: OfferDiscountType
    /// The time that one payment of the offer lasts.
    public let period: BillingPeriod
    /// How many periods the offer lasts.
    public let periodCount: Int
    /// What each payment costs, in thousandths of the currency; zero for a free trial.
    public let price: Milliunits

    /// Describes an offer.
    public init(
        id: String? = nil,
        type: OfferType,
        paymentMode: OfferDiscountType,
        period: BillingPeriod,
        periodCount: Int = 1,
        price: Milliunits
    ) {
        self.id = id
        self.type = type
        self.paymentMode = paymentMode
        self.period = period
        self.periodCount = periodCount
        self.price = price
    }
}
