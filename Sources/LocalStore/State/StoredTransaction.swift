public import ReceiptTypes

/// A purchase, a renewal, or a family member's share in one, as a local store keeps it.
public struct StoredTransaction: Codable, Sendable, Hashable, Identifiable {
    /// How a purchase was taken back.
    public struct Revocation: Codable, Sendable, Hashable {
        /// When.
        public let date: Timestamp
        /// Why the store paid it back; nil where it was taken from a family.
        public let reason: RevocationReason?
        /// Whether a family lost it because it was paid back, so that it comes back when that is taken back.
        var isByRefund = false
    }

    let number: Int64
    let originalNumber: Int64
    let webOrderLineItemNumber: Int64?
    /// The transaction of the family member who has paid; nil for one's own.
    let sharedFrom: Int64?

    /// Whose it is.
    public let account: String
    /// What was bought.
    public let productID: String
    /// The kind of the product.
    public let type: ProductType
    /// The subscription group of the product.
    public let groupID: String?
    /// When it was paid.
    public let purchaseDate: Timestamp
    /// When the first of its row was paid.
    public let originalPurchaseDate: Timestamp
    /// When the period ends.
    public internal(set) var expiresDate: Timestamp?
    /// How many were bought.
    public let quantity: Int
    /// Whether it is a purchase or a renewal.
    public let reason: TransactionReason
    /// What was paid; nil for what a family shares.
    public let price: Milliunits?
    /// The currency of the price, as ISO 4217 has it.
    public let currency: String
    /// The storefront as ISO 3166-1 alpha-3.
    public let storefront: String
    /// The account of the app that it was bought for.
    public let appAccountToken: UUIDText?
    /// The offer that applied.
    public let offer: AppliedOffer?
    /// Whether the customer has upgraded to another subscription.
    public internal(set) var isUpgraded = false
    /// How it was taken back; nil where it stands.
    public internal(set) var revocation: Revocation?
    /// Whether its owner lets nobody share it any more.
    public internal(set) var isSharingStopped = false
    /// When this version was signed; each later version has a later date.
    public internal(set) var signedDate: Timestamp
    /// Whether the app has dealt with this version.
    public internal(set) var isFinished = false

    /// The id, as the App Store writes ids.
    public var id: String { "\(number)" }
    /// The id of the first transaction of the row; the transaction's own where there is no row.
    public var originalID: String { "\(originalNumber)" }
    /// The id of the billing event of a subscription.
    public var webOrderLineItemID: String? { webOrderLineItemNumber.map { "\($0)" } }
    /// Whether a family member has paid for it.
    public var isFamilyShared: Bool { sharedFrom != nil }
    /// Whether it was taken back.
    public var isRevoked: Bool { revocation != nil }

    /// Makes this a new version, which is signed anew and not dealt with yet.
    mutating func change(at now: Timestamp) {
        signedDate = max(now, signedDate.adding(milliseconds: 1))
        isFinished = false
    }
}
