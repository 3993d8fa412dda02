public import ReceiptTypes

/// What a screen shows about one purchase: when it renews or ends, how it was bought, and what the customer has to do.
///
/// A subscription has one value, for its latest period, and one for the last period of each plan that it has changed
/// from. A consumable has none, because it is a balance.
public struct PurchaseDetails: Sendable, Hashable {
    /// The kind of a subscription's current period.
    public enum Period: String, Sendable, Hashable, CaseIterable {
        /// A free trial, from any offer.
        case trial
        /// A paid introductory offer.
        case introductory
        /// A paid promotional, win-back or code offer.
        case offer
        /// A period at the regular price.
        case regular
    }

    /// A failed payment of a subscription.
    public struct BillingIssue: Sendable, Hashable {
        /// The end of the last paid period.
        public let since: Timestamp
        /// The end of the grace period, by which the customer must pay to keep access; nil if access has already ended.
        public let deadline: Timestamp?

        /// Creates a billing issue.
        public init(since: Timestamp, deadline: Timestamp?) {
            self.since = since
            self.deadline = deadline
        }
    }

    /// A price increase of a subscription.
    public struct PriceIncrease: Sendable, Hashable {
        /// Whether the customer has to consent; without consent the subscription does not renew.
        public let needsConsent: Bool
        /// The new price of a period, if the store tells it.
        public let price: Milliunits?
        /// The ISO 4217 code of the currency of the price.
        public let currency: String?

        /// Creates a price increase.
        public init(needsConsent: Bool, price: Milliunits? = nil, currency: String? = nil) {
            self.needsConsent = needsConsent
            self.price = price
            self.currency = currency
        }
    }

    /// The id of the product.
    public let productID: String
    /// The id of the transaction; of a subscription, that of the latest period of the product.
    public let transactionID: String
    /// The kind of the product.
    public let type: ProductType
    /// What the product unlocks according to the catalog.
    public let entitlements: Set<Entitlement>
    /// Whether the purchase grants its entitlements now.
    public let isGranted: Bool
    /// Whether the customer bought the product or a family member shares it.
    public let ownership: InAppOwnershipType
    /// The date of the purchase, or of the renewal that began the current period.
    public let purchaseDate: Timestamp
    /// The date of the first purchase.
    public let originalPurchaseDate: Timestamp
    /// Whether the store has renewed a subscription on ``purchaseDate``, and not the customer bought; nil if the store
    /// does not tell.
    public let isRenewal: Bool?
    /// The kind of the current period; nil if the store does not tell it, as Google Play does not, and for everything
    /// but an auto-renewable subscription.
    public let period: Period?
    /// Whether a subscription goes on by itself: after its ``commitment``, if it has one, otherwise after the period.
    ///
    /// Nil if the store has not told, and for everything but an auto-renewable subscription.
    public let willRenew: Bool?
    /// The date of the next renewal; nil if there is none, and if the store does not tell it, as Google Play does not.
    public let renewsOn: Timestamp?
    /// The last instant of access if nothing is renewed; nil for a purchase without an end, for one not granted, and if
    /// the store does not tell it, as Google Play does not.
    public let accessEnds: Timestamp?
    /// The end of the period that was paid last; nil for a purchase without periods, and if the store does not tell it.
    public let periodEnds: Timestamp?
    /// The failed payment of the subscription; nil if there is none.
    public let billingIssue: BillingIssue?
    /// The product that the subscription renews to, if it is another one.
    public let planChange: PlanChange?
    /// The price increase that comes with the next renewal; nil if there is none.
    public let priceIncrease: PriceIncrease?
    /// The offer that the subscription renews with; nil if it renews at its price or not at all.
    public let upcomingOffer: UpcomingOffer?
    /// The commitment of the customer to pay each month of a longer period; nil without one.
    public let commitment: RenewalCommitment?
    /// The id of a subscription's group, if the store tells it.
    public let subscriptionGroupID: String?
    /// The ids of the win-back offers for which the customer of an ended subscription is eligible, the best one first.
    public let eligibleWinBackOfferIDs: [String]

    /// Creates details, for previews and tests; an ``EntitlementProjection`` computes those of a customer.
    public init(
        productID: String,
        transactionID: String,
        type: ProductType,
        entitlements: Set<Entitlement>,
        isGranted: Bool,
        ownership: InAppOwnershipType = .purchased,
        purchaseDate: Timestamp,
        originalPurchaseDate: Timestamp? = nil,
        isRenewal: Bool? = nil,
        period: Period? = nil,
        willRenew: Bool? = nil,
        renewsOn: Timestamp? = nil,
        accessEnds: Timestamp? = nil,
        periodEnds: Timestamp? = nil,
        billingIssue: BillingIssue? = nil,
        planChange: PlanChange? = nil,
        priceIncrease: PriceIncrease? = nil,
        upcomingOffer: UpcomingOffer? = nil,
        commitment: RenewalCommitment? = nil,
        subscriptionGroupID: String? = nil,
        eligibleWinBackOfferIDs: [String] = []
    ) {
        self.productID = productID
        self.transactionID = transactionID
        self.type = type
        self.entitlements = entitlements
        self.isGranted = isGranted
        self.ownership = ownership
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate ?? purchaseDate
        self.isRenewal = isRenewal
        self.period = period
        self.willRenew = willRenew
        self.renewsOn = renewsOn
        self.accessEnds = accessEnds
        self.periodEnds = periodEnds
        self.billingIssue = billingIssue
        self.planChange = planChange
        self.priceIncrease = priceIncrease
        self.upcomingOffer = upcomingOffer
        self.commitment = commitment
        self.subscriptionGroupID = subscriptionGroupID
        self.eligibleWinBackOfferIDs = eligibleWinBackOfferIDs
    }
}

extension PurchaseDetails {
    /// The ground that a granted purchase is.
    var ground: Ground {
        let kind: Ground.Kind =
            switch type {
            case .autoRenewableSubscription: billingIssue == nil ? .subscription : .gracePeriod
            case .nonRenewingSubscription: .nonRenewing
            default: ownership == .familyShared ? .familyLifetime : .lifetime
            }
        return Ground(kind: kind, productID: productID, transactionID: transactionID, end: accessEnds)
    }
}

extension Entitlements {
    /// Returns the purchases of products that unlock an entitlement, those that grant it first, the strongest first.
    ///
    /// The first one is what a screen shows. One that does not grant can have a ``PurchaseDetails/billingIssue``.
    public func purchases(of entitlement: Entitlement) -> [PurchaseDetails] {
        let order = Dictionary(
            (grounds[entitlement] ?? []).enumerated().map { (ExactString($0.element.transactionID), $0.offset) },
            uniquingKeysWith: min)
        return purchases.filter { $0.entitlements.contains(entitlement) }.enumerated().sorted { left, right in
            let places = [left, right].map { order[ExactString($0.element.transactionID)] ?? .max }
            return (places[0], left.offset) < (places[1], right.offset)
        }.map(\.element)
    }

    /// Returns the win-back offers of a product that the customer can accept, the best one first, each with its price.
    ///
    /// They are for a former subscriber of the product's group. To accept one, buy the product with
    /// ``PurchaseOffer/winBack(id:)``.
    public func winBackOffers(of product: Product) -> [ProductOffer] {
        guard let terms = product.subscription else { return [] }
        let ids = purchases.filter { purchase in
            purchase.ownership != .familyShared
                && purchase.subscriptionGroupID.map { $0.isIdentical(to: terms.groupID) } ?? false
        }.flatMap(\.eligibleWinBackOfferIDs)
        return ids.compactMap { id in terms.winBackOffers.first { $0.id.map { $0.isIdentical(to: id) } ?? false } }
    }
}
