public import ReceiptTypes

/// A purchase of a user as it is recorded: what was bought, what it has cost, and what it unlocks.
///
/// It is the current state of one transaction. A ledger does not store what it unlocks: the catalog of the app says so
/// when the purchase is read. Two rules hold by construction: only a verified purchase unlocks
/// features, and a synchronized one has the date of its synchronization.
public struct Purchase: Sendable, Hashable, Identifiable {
    /// The store that sold a product.
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// The App Store.
        case appStore = "app-store"
        /// Google Play.
        case googlePlay = "google-play"
    }

    /// Whether the signature of a purchase is verified.
    public enum Verification: Sendable, Hashable {
        /// The signature is verified; the reference of its key, such as a fingerprint, is nil if the verifier tells
        /// none.
        case verified(key: String?)
        /// A later verification has failed; the reason, if it is known.
        case unverified(VerificationFailure.Code?)
    }

    /// Whether the app's own server has acknowledged a purchase.
    ///
    /// A purchase that is not synchronized unlocks the same features. A restore from the store does not synchronize it.
    public enum Synchronization: Sendable, Hashable {
        /// The server has not acknowledged the purchase, or the app has no server.
        case unsynced
        /// The server has acknowledged the purchase at this time.
        case synced(at: Timestamp)
    }

    /// The identity of the purchase.
    public let id: ID
    /// The user of the app that the purchase belongs to; nil if it belongs to no account.
    public internal(set) var user: UUIDText?
    /// The id of the product.
    public let productID: String
    /// The ids of the other products of a purchase in Google Play.
    public let otherProductIDs: [String]
    /// The kind of the product.
    public let type: ProductType
    /// The date on which the customer was charged.
    public let purchasedAt: Timestamp
    /// The number of items bought, at least one.
    public let quantity: Int
    /// The number of items that were not refunded, from zero to ``quantity``; see ``Transaction/remainingQuantity``.
    public let remainingQuantity: Int
    /// The refunded share of the price of a consumable, in thousandths of a percent; nil if nothing was refunded, or
    /// all of it.
    public let refundedShare: Int32?
    /// Whether the customer bought the product or a family member shares it.
    public let ownership: InAppOwnershipType
    /// The price in thousandths of the currency: zero if it was free, nil if the store does not sign it.
    public let price: Milliunits?
    /// The ISO 4217 code of the price's currency; nil if the store does not sign it.
    public let currency: String?
    /// Whether the purchase was refunded, cancelled, or removed from family sharing.
    public let isRevoked: Bool
    /// The date of the revocation, or of the refund of a part; nil if there is none, and for Google Play, which does
    /// not sign it.
    public let revocationDate: Timestamp?
    /// Whether the signature is verified.
    public var verification: Verification
    /// Whether the app's own server has acknowledged the purchase.
    public var synchronization: Synchronization

    /// The ids of the product's features according to the catalog; see ``unlockedFeatures`` for those that are
    /// unlocked.
    public internal(set) var listedFeatures: Set<String> = []

    /// Creates a purchase from stored values; nil if its quantity is below one, if more items are left, or if the
    /// refunded share is none or all.
    public init?(
        id: ID, user: UUIDText?, productID: String, otherProductIDs: [String] = [], type: ProductType,
        purchasedAt: Timestamp, quantity: Int, remainingQuantity: Int, refundedShare: Int32? = nil,
        ownership: InAppOwnershipType, price: Milliunits?, currency: String?, isRevoked: Bool,
        revocationDate: Timestamp?, verification: Verification, synchronization: Synchronization
    ) {
        guard quantity >= 1, (0...quantity).contains(remainingQuantity),
            refundedShare.map({ (1..<PurchaseRefund.wholeShare).contains($0) }) ?? true
        else { return nil }
        self.id = id
        self.user = user
        self.productID = productID
        self.otherProductIDs = otherProductIDs
        self.type = type
        self.purchasedAt = purchasedAt
        self.quantity = quantity
        self.remainingQuantity = remainingQuantity
        self.refundedShare = refundedShare
        self.ownership = ownership
        self.price = price
        self.currency = currency
        self.isRevoked = isRevoked
        self.revocationDate = revocationDate
        self.verification = verification
        self.synchronization = synchronization
    }

    /// Creates the state of a verified transaction, which no server has acknowledged.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - user: The user of the app that the purchase belongs to; nil if it belongs to no account.
    ///   - verificationKey: The reference of the key that has verified the signature; nil if it is not known.
    public init(_ transaction: Transaction, user: UUIDText?, verificationKey: String? = nil) {
        id = ID(transaction)
        self.user = user
        productID = transaction.productID
        otherProductIDs = transaction.otherProductIDs
        type = transaction.type
        purchasedAt = transaction.purchaseDate
        quantity = transaction.quantity
        remainingQuantity = transaction.isRevoked ? 0 : transaction.remainingQuantity
        refundedShare = transaction.isRevoked ? nil : transaction.refundedShare
        ownership = transaction.ownership
        price = transaction.price
        currency = transaction.currency
        isRevoked = transaction.isRevoked
        revocationDate = transaction.revocationDate
        verification = .verified(key: verificationKey)
        synchronization = .unsynced
    }
}

extension Purchase {
    /// The identity of a purchase: a transaction id is unique within one environment of one store.
    public struct ID: Sendable {
        /// The id of the transaction; for Google Play, the purchase token.
        public let transactionID: String
        /// The store that sold the product.
        public let origin: Origin
        /// The store environment of the purchase; nil if the store does not sign it.
        public let environment: StoreEnvironment?

        /// Creates an identity.
        public init(transactionID: String, origin: Origin, environment: StoreEnvironment?) {
            self.transactionID = transactionID
            self.origin = origin
            // An empty name is no environment.
            self.environment = environment.flatMap { $0.rawValue.isEmpty ? nil : $0 }
        }

        /// Creates the identity of a verified transaction.
        public init(_ transaction: Transaction) {
            self.init(
                transactionID: transaction.id, origin: transaction.play == nil ? .appStore : .googlePlay,
                environment: transaction.environment)
        }
    }

    /// Whether the signature is verified.
    public var isVerified: Bool {
        if case .verified = verification { true } else { false }
    }

    /// Whether the app's own server has acknowledged the purchase.
    public var isSynced: Bool { syncedAt != nil }

    /// The time at which the app's own server has acknowledged the purchase; nil if it has not.
    public var syncedAt: Timestamp? {
        if case .synced(let date) = synchronization { date } else { nil }
    }

    /// The features that the purchase unlocks: those of a verified non-consumable that is not revoked.
    ///
    /// A subscription unlocks none here, because it ends; an ``EntitlementProjection`` says until when it counts.
    public var unlockedFeatures: Set<String> {
        isVerified && !isRevoked && type == .nonConsumable ? listedFeatures : []
    }

    /// Returns whether the purchase unlocks a feature, whose id is compared byte by byte.
    public func unlocks(_ featureID: String) -> Bool {
        unlockedFeatures.contains { $0.isIdentical(to: featureID) }
    }
}

extension TemplatePriceCatalog {
    /// Returns a purchase with the ids of the features that its products unlock, which are all premium features for a
    /// product that unlocks everything.
    func withFeatures(_ purchase: Purchase) -> Purchase {
        let products = [purchase.productID] + purchase.otherProductIDs
        let unlocked =
            products.contains(where: unlocksPro)
            ? features.definitions.filter { $0.level == .premium }.map(\.id)
            : products.flatMap(features.features)
        var purchase = purchase
        purchase.listedFeatures = Set(unlocked.map(\.rawValue))
        return purchase
    }
}

extension Purchase.ID: Hashable {
    /// Returns whether both identities have the same bytes, without Unicode normalization.
    public static func == (left: Self, right: Self) -> Bool {
        left.transactionID.isIdentical(to: right.transactionID) && left.origin == right.origin
            && left.environment == right.environment
    }

    /// Feeds the transaction id into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(transactionID) }
}
