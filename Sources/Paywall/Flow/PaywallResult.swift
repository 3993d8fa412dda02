/// How a session of the paywall's flow has ended.
public enum PaywallResult: Sendable, Hashable {
    /// The customer has bought.
    case purchased
    /// The customer has a purchase again that was made before or elsewhere.
    case restored
    /// The purchase awaits an approval, for example by a parent, or a payment. That can take days.
    case awaitingApproval
    /// The customer has said "not now".
    case declined
    /// No paywall was shown.
    case skipped(PaywallSkipReason)
    /// The customer has closed the paywall without an answer.
    case dismissed
    /// The customer has closed the paywall after a failure; the message is the one that was shown.
    case failed(message: String)

    /// Whether the customer can use what the paywall sells.
    public var isUnlocked: Bool {
        switch self {
        case .purchased, .restored, .skipped(.alreadyUnlocked): true
        case .awaitingApproval, .declined, .skipped, .dismissed, .failed: false
        }
    }

    /// The stable name in kebab case, for a log or a counter.
    public var name: String {
        switch self {
        case .purchased: "purchased"
        case .restored: "restored"
        case .awaitingApproval: "awaiting-approval"
        case .declined: "declined"
        case .skipped(let reason): "skipped-\(reason.name)"
        case .dismissed: "dismissed"
        case .failed: "failed"
        }
    }
}
