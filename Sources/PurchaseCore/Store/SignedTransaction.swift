/// A transaction as a store hands it over: a signed text, and labels that nobody has signed.
public struct SignedTransaction: Sendable, Hashable {
    /// The signed transaction in compact JWS form (StoreKit's `jwsRepresentation`).
    public let jws: String
    /// The transaction's id as the store names it; not to be trusted.
    public let transactionID: String
    /// The product's id as the store names it; not to be trusted.
    public let productID: String
    /// Why the store itself does not believe in the transaction; nil where it does or has no opinion.
    ///
    /// A device checks more than a signature, such as whether the transaction was made for it. What it objects to is not
    /// granted, however good the signature.
    public let objection: String?

    /// Takes a signed text with its labels.
    public init(jws: String, transactionID: String, productID: String, objection: String? = nil) {
        self.jws = jws
        self.transactionID = transactionID
        self.productID = productID
        self.objection = objection
    }

    /// The same after the store has nothing against it any more.
    public var withoutObjection: SignedTransaction {
        SignedTransaction(jws: jws, transactionID: transactionID, productID: productID)
    }
}
