/// A transaction as a store delivers it: a JWS, and an id and a product id that are not signed.
public struct SignedTransaction: Sendable, Hashable {
    /// The signed transaction in compact JWS form (StoreKit's `jwsRepresentation`).
    public let jws: String
    /// The transaction's id according to the store, not verified.
    public let transactionID: String
    /// The product's id according to the store, not verified.
    public let productID: String
    /// The reason that the store itself rejects the transaction; nil if it accepts it or does not check.
    ///
    /// A device checks more than the signature, for example whether the transaction was made for this device. A transaction
    /// with an objection unlocks nothing, even if its signature is valid.
    public let objection: String?

    /// Creates a signed transaction.
    public init(jws: String, transactionID: String, productID: String, objection: String? = nil) {
        self.jws = jws
        self.transactionID = transactionID
        self.productID = productID
        self.objection = objection
    }

    /// A copy without the store's objection.
    public var withoutObjection: SignedTransaction {
        SignedTransaction(jws: jws, transactionID: transactionID, productID: productID)
    }
}

/// The status of a subscription as a store delivers it.
public struct SignedSubscriptionStatus: Sendable, Hashable {
    /// The subscription's latest transaction.
    public let transaction: SignedTransaction
    /// The signed renewal info in compact JWS form.
    public let renewalInfoJWS: String
    /// The reason that the store itself rejects the renewal info; nil if it accepts it or does not check.
    public let renewalInfoObjection: String?

    /// Creates a status from a transaction and its renewal info.
    public init(transaction: SignedTransaction, renewalInfoJWS: String, renewalInfoObjection: String? = nil) {
        self.transaction = transaction
        self.renewalInfoJWS = renewalInfoJWS
        self.renewalInfoObjection = renewalInfoObjection
    }
}
