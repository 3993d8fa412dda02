/// Something that a store delivers by itself.
public enum StoreUpdate: Sendable, Hashable {
    /// A new or changed transaction.
    case transaction(SignedTransaction)
    /// A subscription whose renewal stands differently: renewal switched off, billing retry, grace period.
    case subscriptionStatus(SignedSubscriptionStatus)
}
