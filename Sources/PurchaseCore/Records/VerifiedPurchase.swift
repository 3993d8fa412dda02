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
    /// The reference of the key that has verified the signature, such as a fingerprint; nil if the verifier tells none.
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
