public import ReceiptTypes

/// The reason that a purchase is pending.
///
/// The customer may have paid, or will pay without another order, so the app must not offer to buy the product again.
/// With ``changesAtRenewal(productID:date:)``, ``offerAtRenewal(productID:date:)`` and
/// ``renewsAgain(productID:date:)`` nothing is open: nothing was sold, and the store has accepted something for the
/// next renewal. The customer can choose another plan, or the present one to cancel a change.
public enum PendingReason: Sendable, Hashable {
    /// The purchase awaits something outside of the app: an approval, or a step of the customer's payment.
    ///
    /// It can be the approval of a parent, a payment that the customer's bank or the store's terms have interrupted, or
    /// an order in Google Play that is not paid yet, for example in cash; stores do not say which. While it is pending,
    /// a second purchase of the product has this outcome too, and the store is not asked. No store reports that the
    /// purchase was declined or given up: it counts as declined after ``PurchaseService/approvalTimeoutMilliseconds``,
    /// or as soon as the app calls ``PurchaseServicing/forgetPendingPurchase(productID:)``.
    case awaitingApproval
    /// The store has sold the product, but the signature is not verified. The service verifies it again while it runs.
    case unverified(VerificationFailure)
    /// The customer has paid, but the purchase is not recorded yet; the service tries again.
    case notRecorded
    /// The purchase is recorded, but the fulfiller or the store has not confirmed it.
    ///
    /// Entitlements and balances include the purchase already. What the fulfiller grants, such as coins in an account
    /// on a server, can still be missing.
    ///
    /// The service tries again while it runs, and at the next launch.
    case notHandedOver
    /// The customer has paid, and another user of the app has signed in, or the buyer has signed out, before the store
    /// has answered. The purchase is handed over when the buyer signs in again.
    case awaitingSignIn
    /// The subscription changes to the product with its next renewal.
    ///
    /// The date is the end of the current period; nil if it is not known.
    case changesAtRenewal(productID: String, date: Timestamp?)
    /// The subscription has the requested offer from its next renewal on; ``PurchaseDetails/upcomingOffer`` says more.
    ///
    /// The date is that of the renewal; nil if it is not known.
    case offerAtRenewal(productID: String, date: Timestamp?)
    /// The renewal of the subscription was switched off, and the purchase of its plan has switched it on again.
    ///
    /// The date is that of the renewal; nil if it is not known.
    case renewsAgain(productID: String, date: Timestamp?)
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
        case .offerAtRenewal: "offer-at-renewal"
        case .renewsAgain: "renews-again"
        case .noAnswer: "no-answer"
        }
    }
}
