/// How a purchase has ended, as a caller needs to know it.
public enum PurchaseOutcome: Sendable, Hashable {
    /// It is bought, verified, recorded, and unlocked.
    case success
    /// The customer has changed their mind.
    case cancelled
    /// It may still become a purchase; nothing is unlocked.
    case pending(PendingReason)
    /// It has failed.
    case failed(PurchaseFlowError)
}
