/// An identifier of a purchase in an input that contains no receipt.
///
/// Nothing in such an input is signed: an identifier is a way to look a purchase up, and no proof of it.
public struct FoundIdentifier: Sendable, Hashable {
    /// What an identifier identifies. Later versions add kinds.
    public enum Kind: String, Sendable, CaseIterable {
        /// The ID of an order of the App Store, which customers find in their mail.
        case appleOrder = "apple-order"
        /// The ID of a transaction of the App Store.
        case transaction = "app-store-transaction"
        /// The ID of an order of Google Play.
        case googleOrder = "google-order"
        /// The token of a Google Play purchase.
        case purchaseToken = "google-purchase-token"
        /// The ID of a purchase outside of the App Store.
        case externalPurchase = "external-purchase"
        /// A UUID, such as that of a notification or an account.
        case uuid

        /// What it is, with an article: "a Google order ID".
        public var name: String {
            switch self {
            case .appleOrder: "an Apple order ID"
            case .transaction: "a transaction ID of the App Store"
            case .googleOrder: "a Google order ID"
            case .purchaseToken: "a Google Play purchase token"
            case .externalPurchase: "the ID of an external purchase"
            case .uuid: "a UUID, such as a notificationUUID or an appAccountToken"
            }
        }

        /// Where to look it up, in one sentence without a final full stop.
        public var lookup: String {
            switch self {
            case .appleOrder:
                "look it up with Look Up Order ID of the App Store Server API, which returns signed transactions"
            case .transaction: "get the signed transaction with Get Transaction Info of the App Store Server API"
            case .googleOrder:
                "look it up in the order management of the Play Console, or with orders.get of the Play Developer API"
            case .purchaseToken:
                "ask the Play Developer API about it: purchases.productsv2 or purchases.subscriptionsv2"
            case .externalPurchase:
                "look its report up with Retrieve External Purchase Report of the External Purchase Server API"
            case .uuid: "find the notification with Get Notification History of the App Store Server API"
            }
        }
    }

    /// What it identifies.
    public let kind: Kind
    /// The identifier, in the spelling of its store. It is text of the input: escape it before you print it.
    public let value: String

    /// Creates an identifier.
    public init(_ kind: Kind, _ value: String) {
        (self.kind, self.value) = (kind, value)
    }

    /// The identifier as JSON, with `kind`, `value` and `lookup`.
    package var json: JSONValue {
        .object(["kind": .string(kind.rawValue), "value": .string(value), "lookup": .string(kind.lookup)])
    }
}
