public import ReceiptTypes

/// The reason that a purchase is pending: the customer may have paid, so the app must not offer to buy again.
public enum PendingReason: Sendable, Hashable {
    /// The purchase awaits an approval.
    case awaitingApproval
    /// The store has sold the product, but the signature is not verified. The service verifies it again while it runs.
    case unverified(VerificationFailure)
    /// The customer has paid, but the purchase is not recorded yet; the service tries again.
    case notRecorded
    /// The purchase is recorded and its entitlements are unlocked, but the fulfiller or the store has not confirmed it.
    ///
    /// The service tries again while it runs, and at the next launch.
    case notHandedOver
    /// The customer has paid, and another user of the app has signed in, or the buyer has signed out, before the store has
    /// answered. The purchase is handed over when the buyer signs in again.
    case awaitingSignIn
    /// The subscription changes to the product with its next renewal.
    ///
    /// The date is the end of the current period; nil if it is not known.
    case changesAtRenewal(productID: String, date: Timestamp?)
    /// The store has not answered within the deadline; if the customer has paid, the transaction arrives as an update.
    case noAnswer

    /// The stable name in kebab case, for a log or a counter.
    public var name: String {
        switch self {
        case .awaitingApproval: "awaiting-approval"
        case .unverified: "unverified"
        case .notRecorded: "not-recorded"
        case .notHandedOver: "not-handed-over"
        case .awaitingSignIn: "awaiting-sign-in"
        case .changesAtRenewal: "changes-at-renewal"
        case .noAnswer: "no-answer"
        }
    }
}
