/// Something that has happened in a local store.
public enum StoreEvent: Sendable, Hashable {
    /// A transaction is new, or was signed anew.
    case transaction(StoredTransaction)
    /// A subscription's renewal stands differently.
    case subscription(StoredSubscription)
    /// A purchase waits for somebody.
    case pending(PendingPurchase)
    /// A purchase waits no more, and nothing came of it.
    case abandoned(PendingPurchase)
    /// The App Store would have told the app's server.
    case notification(StoreNotification)
    /// A transaction was removed as if it had never been.
    case removed(StoredTransaction)
}
