public import ReceiptTypes

/// A purchase, a renewal, or a family-shared copy of one.
public struct StoredTransaction: Codable, Sendable, Hashable, Identifiable {
    /// The refund of a transaction, or the end of its Family Sharing.
    public struct Revocation: Codable, Sendable, Hashable {
        /// The time of the revocation.
        public let date: Timestamp
        /// The reason for the refund; nil for a family-shared transaction.
        public let reason: RevocationReason?
        /// The refunded share in thousandths of a percent, such as 50,000; nil for all of it.
        public private(set) var percentage: Int32?
        /// Whether a family-shared transaction was revoked by a refund; reversing the refund then restores it.
        var isByRefund = false

        init(date: Timestamp, reason: RevocationReason?, percentage: Int32? = nil, isByRefund: Bool = false) {
            self.date = date
            self.reason = reason
            self.percentage = percentage
            self.isByRefund = isByRefund
        }

        /// The share of a complete refund in thousandths of a percent.
        static let wholePercentage: Int32 = 100_000
    }

    let number: Int64
    let originalNumber: Int64
    let webOrderLineItemNumber: Int64?
    /// The transaction of the paying family member; nil for the customer's own purchase.
    let sharedFrom: Int64?

    /// The customer's account.
    public let account: String
    /// The product identifier.
    public let productID: String
    /// The product type.
    public let type: ProductType
    /// The identifier of the product's subscription group.
    public let groupID: String?
    /// The time of the purchase or renewal.
    public let purchaseDate: Timestamp
    /// The time of the first purchase.
    public let originalPurchaseDate: Timestamp
    /// The end of the subscription period.
    public internal(set) var expiresDate: Timestamp?
    /// The number of items.
    public let quantity: Int
    /// Whether the transaction is a purchase or a renewal.
    public let reason: TransactionReason
    /// The amount charged; nil for a family-shared transaction.
    public let price: Milliunits?
    /// The ISO 4217 code of the price's currency.
    public let currency: String
    /// The storefront's ISO 3166-1 alpha-3 code.
    public let storefront: String
    /// The app's account that the purchase was for.
    public let appAccountToken: UUIDText?
    /// The applied offer.
    public let offer: AppliedOffer?
    /// The commitment that the transaction pays a month of; nil for other transactions.
    public internal(set) var commitment: Commitment?
    /// Whether the customer has upgraded to another subscription.
    public internal(set) var isUpgraded = false
    /// The revocation; nil for a transaction that is not revoked.
    public internal(set) var revocation: Revocation?
    /// Whether the owner has stopped sharing the purchase with the family.
    public internal(set) var isSharingStopped = false
    /// The signing time of this version; later versions have later times.
    public internal(set) var signedDate: Timestamp
    /// Whether the app has finished this version of the transaction.
    public internal(set) var isFinished = false
    /// The Google Play order; nil for a transaction that was not ordered in Google Play.
    public internal(set) var play: PlayOrder?
    /// The purchase of Google Play that replaces the ordered one from the period of this transaction on; nil if none
    /// does.
    public internal(set) var playReplacement: PlayReplacement?

    /// The transaction identifier.
    public var id: String { "\(number)" }
    /// The identifier of the first transaction of the subscription; that of the transaction itself for other products.
    public var originalID: String { "\(originalNumber)" }
    /// The identifier of the billing event of a subscription.
    public var webOrderLineItemID: String? { webOrderLineItemNumber.map { "\($0)" } }
    /// Whether a family member has paid for the transaction.
    public var isFamilyShared: Bool { sharedFrom != nil }
    /// Whether the transaction is revoked.
    public var isRevoked: Bool { revocation != nil }

    /// Turns the transaction into a new, unfinished version with a later signing time.
    mutating func change(at now: Timestamp) {
        signedDate = max(now, signedDate.adding(milliseconds: 1))
        isFinished = false
    }
}
