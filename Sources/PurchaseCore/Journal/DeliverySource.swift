/// The way by which a transaction has come from the store.
public enum DeliverySource: String, Sendable, Hashable, CaseIterable {
    /// The answer to a purchase.
    case purchase
    /// The store's updates.
    case update
    /// The store's list of what is not finished.
    case unfinished
    /// The store's list of what the customer is entitled to.
    case entitlement
    /// The store's memory of everything that was bought.
    case history

    /// Whether the store waits for the transaction to be finished, as far as the way by which it came tells.
    var awaitsFinish: Bool {
        switch self {
        case .purchase, .update, .unfinished: true
        case .entitlement, .history: false
        }
    }
}
