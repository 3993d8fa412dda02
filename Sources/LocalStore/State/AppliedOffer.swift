public import PurchaseCore
public import ReceiptTypes

/// The offer that a transaction was bought with.
public struct AppliedOffer: Codable, Sendable, Hashable {
    /// The kind of offer.
    public let type: OfferType
    /// The offer identifier; nil for an introductory offer.
    public let id: String?
    /// The payment mode.
    public let paymentMode: OfferDiscountType
    /// The length of one offer period.
    public let period: BillingPeriod
    /// The number of offer periods.
    public let periodCount: Int
    /// The amount of each payment.
    public let price: Milliunits
    /// Whether the offer uses up the customer's introductory offer.
    let replacesIntroductoryOffer: Bool

    init(_ offer: ConfiguredOffer, type: OfferType, replacesIntroductoryOffer: Bool = false) {
        self.type = type
        id = type == .introductory ? nil : offer.name
        paymentMode = offer.paymentMode
        period = offer.period
        periodCount = min(max(1, offer.periodCount), Self.maximumCount)
        price = offer.paymentMode == .freeTrial ? Milliunits(0) : offer.price
        self.replacesIntroductoryOffer = replacesIntroductoryOffer
    }

    /// The maximum of ``periodCount``, far above that of any real offer.
    static let maximumCount = 1000

    /// Whether each period is a transaction of its own.
    var isPaidByPeriod: Bool { paymentMode == .payAsYouGo }
    /// The number of transactions that the offer applies to.
    var transactionCount: Int { isPaidByPeriod ? periodCount : 1 }
    /// The number of offer periods that one transaction covers.
    var periodsATransaction: Int { isPaidByPeriod ? 1 : periodCount }
}

extension ConfiguredOffer {
    /// The name that purchases request the offer by: its identifier, or the reference name of a code offer without one.
    var name: String { id ?? referenceName }
}
