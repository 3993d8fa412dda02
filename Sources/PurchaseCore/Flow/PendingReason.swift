/// Why a purchase is neither done nor failed.
public enum PendingReason: String, Sendable, Hashable, CaseIterable {
    /// Somebody has to approve it.
    case awaitingApproval = "awaiting-approval"
    /// The store has sold it and its signature is not verified.
    case unverified
    /// The customer has paid, and it could not be written down yet.
    case notRecorded = "not-recorded"
}
