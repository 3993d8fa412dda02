public import ReceiptTypes

/// The renewal state of a subscription, read once from its verified payload.
public struct RenewalInfo: Sendable, Hashable {
    /// The id of the subscription's first transaction.
    public let originalTransactionID: String
    /// The product of the current period.
    public let productID: String?
    /// The product that the subscription renews to.
    public let autoRenewProductID: String?
    /// Whether the store charges for the next period by itself; within a commitment, for its next month.
    ///
    /// ``willRenew`` says whether the subscription goes on after the commitment.
    public let willAutoRenew: Bool
    /// The commitment to pay each month of a longer period, and what follows it; nil without one.
    public let commitment: RenewalCommitment?
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
    /// The ids of the win-back offers for which the customer of an ended subscription is eligible, the best one first.
    public let eligibleWinBackOfferIDs: [String]
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
        commitment = payload.commitmentInfo.map { RenewalCommitment($0) }
        isInBillingRetry = payload.isInBillingRetryPeriod ?? false
        gracePeriodExpiresDate = payload.gracePeriodExpiresDate
        renewalDate = payload.renewalDate
        renewalPrice = payload.renewalPrice
        currency = payload.currency
        priceIncreaseStatus = payload.priceIncreaseStatus
        offer = UpcomingOffer(payload)
        eligibleWinBackOfferIDs = payload.eligibleWinBackOfferIds ?? []
        self.signedDate = signedDate
    }

    /// Whether the subscription goes on by itself after what the customer has paid for or is committed to.
    public var willRenew: Bool { commitment?.willRenew ?? willAutoRenew }

    /// The product after what the customer has paid for or is committed to, if the subscription renews.
    var nextProductID: String? { commitment == nil ? autoRenewProductID : commitment?.productID }

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

/// A customer's commitment to pay each month of a longer period, and what follows it.
public struct RenewalCommitment: Sendable, Hashable {
    /// The end of the commitment; nil if the store does not tell it.
    public let endDate: Timestamp?
    /// Whether another commitment follows. If not, the remaining months are charged all the same.
    public let willRenew: Bool
    /// The product of the next commitment, if one follows.
    public let productID: String?
    /// The price of the whole next commitment in thousandths of the currency; nil if the store does not tell it.
    public let price: Milliunits?
    /// How the next commitment is billed.
    public let billingPlan: BillingPlanType?

    /// Creates a commitment, for previews and tests.
    public init(
        endDate: Timestamp?, willRenew: Bool, productID: String? = nil, price: Milliunits? = nil,
        billingPlan: BillingPlanType? = nil
    ) {
        self.endDate = endDate
        self.willRenew = willRenew
        self.productID = productID
        self.price = price
        self.billingPlan = billingPlan
    }

    init(_ info: RenewalCommitmentInfo) {
        self.init(
            endDate: info.commitmentRenewalDate, willRenew: info.commitmentAutoRenewStatus == .on,
            productID: info.commitmentAutoRenewProductId, price: info.commitmentRenewalPrice,
            billingPlan: info.commitmentRenewalBillingPlanType)
    }
}
