public import ReceiptTypes

/// What the rules need to know of one purchase, renewal or refund, read once from its verified payload.
///
/// The payload model looks a field up whenever it is read; a projection reads a hundred thousand of them. And what no
/// rule can do without is there by construction.
public struct Transaction: Sendable, Hashable, Identifiable {
    /// The id of this transaction.
    public let id: String
    /// The id of the first transaction in a row of renewals; the transaction's own where there is no row.
    public let originalID: String
    /// The id of the billing event of a subscription across devices.
    public let webOrderLineItemID: String?
    /// The id of the product.
    public let productID: String
    /// The kind of the product.
    public let type: ProductType
    /// The subscription group of the product.
    public let subscriptionGroupID: String?
    /// When the customer was charged.
    public let purchaseDate: Timestamp
    /// When the subscription expires or renews.
    public let expiresDate: Timestamp?
    /// How many were bought, at least one.
    public let quantity: Int
    /// Whether the purchase is the customer's own or shared by the family.
    public let ownership: InAppOwnershipType
    /// When the purchase was paid back or taken from the family.
    public let revocationDate: Timestamp?
    /// Whether the customer has upgraded to another subscription.
    public let isUpgraded: Bool
    /// The kind of the offer that applied.
    public let offerType: OfferType?
    /// How that offer was paid.
    public let offerPaymentMode: OfferDiscountType?
    /// The account of the app that the purchase was made for; a UUID is in lower case.
    public let appAccountToken: UUIDText?
    /// When the store signed this; of two signed texts about one transaction the later one holds.
    public let signedDate: Timestamp
    /// The price in thousandths of the currency.
    public let price: Milliunits?
    /// The currency of the price, as ISO 4217 has it.
    public let currency: String?
    /// Where the purchase was made.
    public let environment: StoreEnvironment?

    /// The kind of the product in a form that is quick to compare.
    let kind: Kind

    enum Kind {
        case consumable, nonConsumable, autoRenewable, nonRenewing, other
    }

    /// Reads a verified payload; nil where it lacks what no purchase can lack: its id, its product, the product's kind,
    /// and the date.
    public init?(_ payload: JWSTransactionDecodedPayload) {
        guard let id = payload.transactionId, !id.isEmpty, let productID = payload.productId, !productID.isEmpty,
            let type = payload.type, let purchaseDate = payload.purchaseDate
        else { return nil }
        self.id = id
        self.productID = productID
        self.type = type
        switch type {
        case .consumable: kind = .consumable
        case .nonConsumable: kind = .nonConsumable
        case .autoRenewableSubscription: kind = .autoRenewable
        case .nonRenewingSubscription: kind = .nonRenewing
        default: kind = .other
        }
        self.purchaseDate = purchaseDate
        originalID = payload.originalTransactionId ?? id
        webOrderLineItemID = payload.webOrderLineItemId
        subscriptionGroupID = payload.subscriptionGroupIdentifier
        expiresDate = payload.expiresDate
        quantity = max(1, Int(payload.quantity ?? 1))
        ownership = payload.inAppOwnershipType ?? .purchased
        revocationDate = payload.revocationDate
        isUpgraded = payload.isUpgraded ?? false
        offerType = payload.offerType
        offerPaymentMode = payload.offerDiscountType
        appAccountToken = payload.appAccountToken?.inLowerCase
        // Nothing is signed before it has happened.
        signedDate = payload.signedDate ?? max(purchaseDate, payload.revocationDate ?? purchaseDate)
        price = payload.price
        currency = payload.currency
        environment = payload.environment
    }

    /// Whether the store has paid the purchase back or taken it from the family.
    public var isRevoked: Bool { revocationDate != nil }
}
