public import ReceiptTypes

/// A product of a store, as the store presents it to the customer.
public struct Product: Sendable, Hashable, Identifiable {
    /// The product's id.
    public let id: String
    /// The kind of the product.
    public let type: ProductType
    /// The name in the customer's language.
    public let displayName: String
    /// The description in the customer's language.
    public let description: String
    /// The price in thousandths of the currency.
    public let price: Milliunits
    /// The ISO 4217 code of the price's currency.
    public let currency: String
    /// The price as the store formats it for the customer.
    public let displayPrice: String
    /// Whether the product supports Family Sharing.
    public let isFamilyShareable: Bool
    /// The subscription terms; nil unless the product is an auto-renewable subscription.
    public let subscription: SubscriptionTerms?

    /// Creates a product.
    public init(
        id: String,
        type: ProductType,
        displayName: String,
        description: String,
        price: Milliunits,
        currency: String,
        displayPrice: String,
        isFamilyShareable: Bool = false,
        subscription: SubscriptionTerms? = nil
    ) {
        self.id = id
        self.type = type
        self.displayName = displayName
        self.description = description
        self.price = price
        self.currency = currency
        self.displayPrice = displayPrice
        self.isFamilyShareable = isFamilyShareable
        self.subscription = subscription
    }
}

/// The renewal terms and the offers of an auto-renewable subscription.
public struct SubscriptionTerms: Sendable, Hashable {
    /// The id of the subscription group; a customer has at most one subscription of a group at a time.
    public let groupID: String
    /// The level of service within the group; 1 is the highest.
    public let level: Int
    /// The time between two renewals.
    public let period: BillingPeriod
    /// The offer for new subscribers of the group, if there is one.
    public let introductoryOffer: ProductOffer?
    /// The offers for current and former subscribers.
    public let promotionalOffers: [ProductOffer]
    /// The offers for former subscribers; ``Entitlements/winBackOffers(of:)`` has those that the customer can accept.
    public let winBackOffers: [ProductOffer]

    /// Creates subscription terms.
    public init(
        groupID: String,
        level: Int,
        period: BillingPeriod,
        introductoryOffer: ProductOffer? = nil,
        promotionalOffers: [ProductOffer] = [],
        winBackOffers: [ProductOffer] = []
    ) {
        self.groupID = groupID
        self.level = level
        self.period = period
        self.introductoryOffer = introductoryOffer
        self.promotionalOffers = promotionalOffers
        self.winBackOffers = winBackOffers
    }
}

/// A temporary discount on a subscription.
public struct ProductOffer: Sendable, Hashable {
    /// The offer's id; nil for an introductory offer, which has none.
    public let id: String?
    /// The kind of the offer.
    public let type: OfferType
    /// The payment mode: free trial, pay as you go, or pay up front.
    public let paymentMode: OfferDiscountType
    /// The time that one payment of the offer covers.
    public let period: BillingPeriod
    /// The number of periods that the offer lasts.
    public let periodCount: Int
    /// The price of each payment in thousandths of the currency; zero for a free trial.
    public let price: Milliunits

    /// Creates an offer.
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
