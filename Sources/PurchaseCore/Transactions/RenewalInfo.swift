public import ReceiptTypes

/// The renewal state of a subscription, read once from its verified payload.
public struct RenewalInfo: Sendable, Hashable {
    /// The id of the subscription's first transaction.
    public let originalTransactionID: String
    /// The product of the current period.
    public let productID: String?
    /// The product that the subscription renews to.
    public let autoRenewProductID: String?
    /// Whether the subscription renews automatically.
    public let willAutoRenew: Bool
    /// Whether the store is retrying to bill an expired subscription.
    public let isInBillingRetry: Bool
    /// The end of the billing grace period.
    public let gracePeriodExpiresDate: Timestamp?
    /// The date of the next renewal, if the store tells it.
    public let renewalDate: Timestamp?
    /// The price of the next renewal in thousandths of the currency, if the store tells it.
    public let renewalPrice: Milliunits?
    /// The ISO 4217 code of the renewal price's currency.
    public let currency: String?
    /// Whether the customer has accepted a price increase; nil if there is none.
    public let priceIncreaseStatus: PriceIncreaseStatus?
    /// The offer of the next period; nil if it has none.
    public let offer: UpcomingOffer?
    /// The date on which the store signed the renewal info; of two for one subscription, the later one is used.
    public let signedDate: Timestamp

    /// Reads a verified payload; nil if it lacks the original transaction id or the signing date.
    public init?(_ payload: JWSRenewalInfoDecodedPayload) {
        guard let id = payload.originalTransactionId, !id.isEmpty, let signedDate = payload.signedDate
        else { return nil }
        originalTransactionID = id
        productID = payload.productId
        autoRenewProductID = payload.autoRenewProductId
        willAutoRenew = payload.autoRenewStatus == .on
        isInBillingRetry = payload.isInBillingRetryPeriod ?? false
        gracePeriodExpiresDate = payload.gracePeriodExpiresDate
        renewalDate = payload.renewalDate
        renewalPrice = payload.renewalPrice
        currency = payload.currency
        priceIncreaseStatus = payload.priceIncreaseStatus
        offer = UpcomingOffer(payload)
        self.signedDate = signedDate
    }

    /// Returns whether the store's billing grace period includes an instant.
    func isInGracePeriod(at now: Timestamp) -> Bool { gracePeriodExpiresDate.map { now <= $0 } ?? false }

    /// Returns whether this renewal info replaces another one for the same subscription.
    ///
    /// If both have the same signing date, the one that grants less replaces the other.
    func isLater(than other: RenewalInfo) -> Bool {
        if signedDate != other.signedDate { return signedDate > other.signedDate }
        if willAutoRenew != other.willAutoRenew { return !willAutoRenew }
        if isInBillingRetry != other.isInBillingRetry { return isInBillingRetry }
        let end = gracePeriodExpiresDate ?? .minimum
        let otherEnd = other.gracePeriodExpiresDate ?? .minimum
        if end != otherEnd { return end < otherEnd }
        return (autoRenewProductID ?? "").precedes(other.autoRenewProductID ?? "")
    }
}

/// An offer that a subscription has in its next period.
public struct UpcomingOffer: Sendable, Hashable {
    /// The kind of the offer, such as a promotional one.
    public let type: OfferType
    /// The id of the offer; nil if the store does not tell it.
    public let id: String?
    /// How the offer is paid; nil if the store does not tell it.
    public let paymentMode: OfferDiscountType?
    /// The period of the offer; nil if the store does not tell it.
    public let period: BillingPeriod?
    /// The price of the next period in thousandths of the currency; nil if the store does not tell it.
    public let price: Milliunits?
    /// The ISO 4217 code of the currency of the price.
    public let currency: String?

    /// Creates an offer, for previews and tests.
    public init(
        type: OfferType, id: String? = nil, paymentMode: OfferDiscountType? = nil, period: BillingPeriod? = nil,
        price: Milliunits? = nil, currency: String? = nil
    ) {
        self.type = type
        self.id = id
        self.paymentMode = paymentMode
        self.period = period
        self.price = price
        self.currency = currency
    }

    /// Reads the offer of a renewal info; nil if it has none.
    init?(_ payload: JWSRenewalInfoDecodedPayload) {
        guard let type = payload.offerType else { return nil }
        self.init(
            type: type, id: payload.offerIdentifier, paymentMode: payload.offerDiscountType,
            period: payload.offerPeriod.flatMap { BillingPeriod(iso8601: $0) }, price: payload.renewalPrice,
            currency: payload.currency)
    }
}
