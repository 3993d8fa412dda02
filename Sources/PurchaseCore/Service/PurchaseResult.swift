/// How a purchase has gone, as the service tells it.
public enum PurchaseResult: Sendable {
    /// The store has sold the product. Only where the signature is verified does it give anything.
    case success(verified: Bool)
    /// The customer has changed their mind.
    case userCancelled
    /// Somebody has to approve it; if that happens, it comes as an update.
    case pending
    /// It has failed, and the error says why.
    case failed(any Error)
}
