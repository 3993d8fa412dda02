public import ReceiptTypes

/// A purchase, renewal or refund of any store, read once from its verified payload.
///
/// Every field that the rules require is present by construction. The payload model looks a field up at each access; a
/// projection reads the fields of up to a hundred thousand transactions, so this type stores them.
public struct Transaction: Sendable, Hashable, Identifiable {
    /// The id of this transaction; for Google Play, the purchase token.
    public let id: String
    /// The id of the first transaction in a chain of renewals; the transaction's own id if there is no chain.
    public let originalID: String
    /// The id of a subscription's billing event, which is the same on all devices.
    public let webOrderLineItemID: String?
    /// The id of the product.
    public let productID: String
    /// The kind of the product.
    public let type: ProductType
    /// The subscription group of the product.
    public let subscriptionGroupID: String?
    /// The date on which the customer was charged.
    public let purchaseDate: Timestamp
    /// The date of the first purchase in a chain of renewals.
    public let originalPurchaseDate: Timestamp
    /// Whether the store has renewed a subscription, and not the customer bought; nil if the store does not tell.
    public let isRenewal: Bool?
    /// The date on which the subscription expires or renews; see ``hasEstimatedEnd``.
    public internal(set) var expiresDate: Timestamp?
    /// Whether ``expiresDate`` is not from the store but counted by the service, for a subscription of Google Play.
    ///
    /// It says how long the service grants the subscription without another answer of the store. It is not the date of
    /// the renewal: the store does not tell a device about a trial or a change of the period.
    public internal(set) var hasEstimatedEnd = false
    /// The number of items bought, at least one; see ``remainingQuantity``.
    public let quantity: Int
    /// Whether the customer bought the product or a family member shares it.
    public let ownership: InAppOwnershipType
    /// The date on which the purchase was refunded or removed from family sharing; Google Play does not sign it.
    public let revocationDate: Timestamp?
    /// The refunded share of the price in thousandths of a percent, such as 40,000; nil for all of it or none.
    public let refundedShare: Int32?
    /// Whether the customer has upgraded to another subscription; in Google Play, whether another purchase replaces it.
    public internal(set) var isUpgraded: Bool
    /// The kind of the offer that applied.
    public let offerType: OfferType?
    /// The payment mode of that offer.
    public let offerPaymentMode: OfferDiscountType?
    /// The app's account that the purchase was made for; a UUID is in lower case.
    public let appAccountToken: UUIDText?
    /// The date on which the store signed the transaction; of two versions, the later one is used.
    public let signedDate: Timestamp
    /// The price in thousandths of the currency.
    public let price: Milliunits?
    /// The ISO 4217 code of the price's currency.
    public let currency: String?
    /// The store environment in which the purchase was made.
    public let environment: StoreEnvironment?
    /// Whether the store, Xcode or a local one, uses its ids again when its transactions are deleted.
    let isOfTestStore: Bool
    /// The store that sold the product.
    public let origin: TransactionOrigin

    /// The kind of the product in a form that is fast to compare.
    let kind: Kind

    enum Kind {
        case consumable, nonConsumable, autoRenewable, nonRenewing, other

        init(_ type: ProductType) {
            switch type {
            case .consumable: self = .consumable
            case .nonConsumable: self = .nonConsumable
            case .autoRenewableSubscription: self = .autoRenewable
            case .nonRenewingSubscription: self = .nonRenewing
            default: self = .other
            }
        }
    }

    /// Reads a verified payload; nil if it lacks the transaction id, the product id, the product type or the purchase
    /// date.
    public init?(_ payload: JWSTransactionDecodedPayload) {
        guard let id = payload.transactionId, !id.isEmpty, let productID = payload.productId, !productID.isEmpty,
            let type = payload.type, let purchaseDate = payload.purchaseDate
        else { return nil }
        self.id = id
        self.productID = productID
        self.type = type
        kind = Kind(type)
        self.purchaseDate = purchaseDate
        originalPurchaseDate = payload.originalPurchaseDate ?? purchaseDate
        isRenewal =
            switch payload.transactionReason {
            case .purchase: false
            case .renewal: true
            default: nil
            }
        originalID = payload.originalTransactionId ?? id
        webOrderLineItemID = payload.webOrderLineItemId
        subscriptionGroupID = payload.subscriptionGroupIdentifier
        expiresDate = payload.expiresDate
        quantity = max(1, Int(payload.quantity ?? 1))
        ownership = payload.inAppOwnershipType ?? .purchased
        // A consumable whose refund leaves items has the date too.
        revocationDate = payload.revocationDate ?? payload.revokedAt
        refundedShare =
            revocationDate == nil ? nil : PurchaseRefund.share(of: payload.revocationPercentage, payload.revocationType)
        isUpgraded = payload.isUpgraded ?? false
        offerType = payload.offerType
        offerPaymentMode = payload.offerDiscountType
        appAccountToken = payload.appAccountToken?.lowercased
        // A payload cannot have been signed before the last event in it, so that date replaces a missing signing date.
        signedDate = payload.signedDate ?? max(purchaseDate, payload.revocationDate ?? purchaseDate)
        price = payload.price
        currency = payload.currency
        environment = payload.environment
        isOfTestStore = environment == .xcode || environment == .localTesting
        origin = .appStore
    }

    /// Whether the purchase was refunded, cancelled, or removed from family sharing.
    ///
    /// A consumable whose refund leaves items to the customer is not revoked, see ``remainingQuantity``. A refund of a
    /// part of the price ends every other purchase.
    @inline(__always)
    public var isRevoked: Bool {
        if play?.state == .cancelled { return true }
        return revocationDate != nil && (kind != .consumable || remainingQuantity == 0)
    }
}

// MARK: - Refunds of a part

extension Transaction {
    /// The number of items of a consumable that were not refunded; ``quantity`` for every other product.
    ///
    /// Only whole items are refunded: after a refund of half the price, the customer keeps a single item, and three of
    /// five.
    public var remainingQuantity: Int {
        guard kind == .consumable, revocationDate != nil else { return quantity }
        return refundedShare.map { PurchaseRefund.remaining(of: quantity, afterRefundOf: $0) } ?? 0
    }
}
