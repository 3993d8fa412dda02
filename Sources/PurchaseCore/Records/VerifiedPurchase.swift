public import ReceiptTypes

/// A purchase to record: a verified transaction, the signed content that it was read from, and what it unlocks.
///
/// A transaction is read from a verified payload only, so an unverified purchase cannot be recorded.
public struct VerifiedPurchase: Sendable, Hashable {
    /// The transaction.
    public let transaction: Transaction
    /// The signed content of the delivery, which a database keeps to verify it again.
    public let content: SignedContent
    /// The ids of the features that the product unlocks according to the app's catalog.
    public let features: Set<String>
    /// The reference of the key that has verified the signature, such as a fingerprint; nil if the service gives none.
    ///
    /// It is for the records of an app whose server verifies. A ``PurchaseService`` gives none: ``content`` is kept and
    /// names its certificates itself, so the key is found again with each verification and need not be trusted from a
    /// record.
    public let verificationKey: String?

    /// Creates a purchase to record.
    public init(
        _ transaction: Transaction, _ content: SignedContent, features: Set<String> = [],
        verificationKey: String? = nil
    ) {
        self.transaction = transaction
        self.content = content
        self.features = features
        self.verificationKey = verificationKey
    }
}

/// What a service has recorded for an account, verified again.
public struct VerifiedPurchases: Sendable, Hashable {
    /// The transactions that are verified, in the order of their first delivery.
    ///
    /// Several can be versions of one purchase, such as the purchase and its refund.
    public let purchases: [VerifiedPurchase]
    /// The transactions that are not verified now: rejected ones, and those that the verifier has not decided about.
    public let unverified: [UnverifiedPurchase]

    /// Creates a value; without arguments, that of a service that has recorded nothing.
    public init(_ purchases: [VerifiedPurchase] = [], unverified: [UnverifiedPurchase] = []) {
        self.purchases = purchases
        self.unverified = unverified
    }
}

/// A recorded transaction that is not verified now, with the reason.
public struct UnverifiedPurchase: Sendable, Hashable {
    /// The delivery, whose ids are not signed.
    public let delivery: SignedTransaction
    /// The reason.
    public let failure: VerificationFailure

    /// Creates a value.
    public init(_ delivery: SignedTransaction, _ failure: VerificationFailure) {
        self.delivery = delivery
        self.failure = failure
    }

    /// Returns whether the delivery is of a purchase, by its unsigned id.
    func isVersion(of id: Purchase.ID) -> Bool {
        let origin: Purchase.Origin = if case .play = delivery.content { .googlePlay } else { .appStore }
        return origin == id.origin && delivery.transactionID.isIdentical(to: id.transactionID)
    }
}

extension Purchase {
    /// Creates the state of a purchase that is recorded for the first time.
    ///
    /// - Parameters:
    ///   - purchase: The verified transaction and what it unlocks.
    ///   - user: The user of the app that the purchase belongs to; nil if it belongs to no account.
    public init(_ purchase: VerifiedPurchase, user: UUIDText?) {
        let transaction = purchase.transaction
        id = ID(transaction)
        self.user = user
        productID = transaction.productID
        type = transaction.type
        purchasedAt = transaction.purchaseDate
        quantity = transaction.quantity
        remainingQuantity = transaction.isRevoked ? 0 : transaction.remainingQuantity
        ownership = transaction.ownership
        price = transaction.price
        currency = transaction.currency
        isRevoked = transaction.isRevoked
        revocationDate = transaction.revocationDate
        verification = .verified(key: purchase.verificationKey)
        synchronization = .unsynced
        listedFeatures = purchase.features
    }
}
