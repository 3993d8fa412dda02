/// Where a subscription stands, as a store hands it over.
public struct SignedSubscriptionStatus: Sendable, Hashable {
    /// The subscription's latest transaction.
    public let transaction: SignedTransaction
    /// The signed renewal info in compact JWS form.
    public let renewalInfoJWS: String
    /// Why the store itself does not believe in the renewal info; nil where it does or has no opinion.
    public let renewalInfoObjection: String?

    /// Takes a transaction and the renewal info that goes with it.
    public init(transaction: SignedTransaction, renewalInfoJWS: String, renewalInfoObjection: String? = nil) {
        self.transaction = transaction
        self.renewalInfoJWS = renewalInfoJWS
        self.renewalInfoObjection = renewalInfoObjection
    }
}
