public import ReceiptTypes

/// A purchase to record: a verified transaction and the signed content that it was read from.
///
/// A transaction is read from a verified payload only, so an unverified purchase cannot be recorded.
public struct VerifiedPurchase: Sendable, Hashable {
    /// The transaction.
    public let transaction: Transaction
    /// The signed content of the delivery, which a ledger keeps to verify it again.
    public let content: SignedContent
    /// The reference of the key that has verified the signature, such as a fingerprint; nil if the service gives none.
    ///
    /// It is for the records of an app whose server verifies. A ``PurchaseService`` gives none: ``content`` is kept and
    /// names its certificates itself, so the key is found again with each verification and need not be trusted from a
    /// record.
    public let verificationKey: String?

    /// Creates a purchase to record.
    public init(_ transaction: Transaction, _ content: SignedContent, verificationKey: String? = nil) {
        self.transaction = transaction
        self.content = content
        self.verificationKey = verificationKey
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
