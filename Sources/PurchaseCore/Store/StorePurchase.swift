/// A store's answer to a purchase.
public enum StorePurchase: Sendable, Hashable {
    /// The customer has paid.
    case success(SignedTransaction)
    /// The customer has changed their mind.
    case userCancelled
    /// Somebody has to approve it or the bank to confirm it; if that happens, the transaction comes as an update. That it
    /// was declined is never told.
    case pending
}
