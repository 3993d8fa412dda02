public import ReceiptTypes

/// How a session of the paywall's flow has ended.
public enum PaywallResult: Sendable, Hashable {
    /// The customer has bought.
    case purchased
    /// The customer has a purchase again that was made before or elsewhere.
    case restored
    /// The purchase awaits an approval, for example by a parent, or a payment. That can take days.
    case awaitingApproval
    /// The store has accepted something for the next renewal, and has sold nothing now: a change to another plan, an
    /// offer for the present one, or that it renews again.
    ///
    /// The date is the end of the current period; nil if it is not known.
    case changesAtRenewal(productID: String, date: Timestamp?)
    /// The customer has said "not now".
    case declined
    /// No paywall was shown, or it was closed because another user has signed in.
    case skipped(PaywallSkipReason)
    /// The customer has closed the paywall without an answer.
    case dismissed
    /// The customer has closed the paywall after a failure; the message is the one that was shown.
    case failed(message: String)

    /// Whether the customer can use what the paywall sells.
    public var isUnlocked: Bool {
        switch self {
        case .purchased, .restored, .skipped(.alreadyUnlocked): true
        case .awaitingApproval, .changesAtRenewal, .declined, .skipped, .dismissed, .failed: false
        }
    }

    /// The stable name in kebab case, for a log or a counter.
    public var name: String {
        switch self {
        case .purchased: "purchased"
        case .restored: "restored"
        case .awaitingApproval: "awaiting-approval"
        case .changesAtRenewal: "changes-at-renewal"
        case .declined: "declined"
        case .skipped(let reason): "skipped-\(reason.name)"
        case .dismissed: "dismissed"
        case .failed: "failed"
        }
    }
}
