public import PurchaseCore
public import ReceiptTypes

/// An offer as a transaction tells it.
public struct AppliedOffer: Codable, Sendable, Hashable {
    /// The kind of the offer.
    public let type: OfferType
    /// The offer's id; nil for an introductory one.
    public let id: String?
    /// How it is paid.
    public let paymentMode: OfferDiscountType
    /// The time that one payment lasts.
    public let period: BillingPeriod
    /// How many of these periods the offer lasts.
    public let periodCount: Int
    /// What each payment costs.
    public let price: Milliunits
    /// Whether the customer's introductory offer is used up by it.
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

    /// More periods than any offer of a store has.
    static let maximumCount = 1000

    /// Whether each period is paid by itself, so that the offer lasts for several transactions.
    var isPaidByPeriod: Bool { paymentMode == .payAsYouGo }
    /// How many transactions it applies to.
    var transactionCount: Int { isPaidByPeriod ? periodCount : 1 }
    /// How many of its periods one transaction covers.
    var periodsATransaction: Int { isPaidByPeriod ? 1 : periodCount }
}

extension ConfiguredOffer {
    /// By what it is asked for: its id, which a code need not have beside its name.
    var name: String { id ?? referenceName }
}
