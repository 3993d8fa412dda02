/// A place in a local store where something can go wrong.
public enum FaultPoint: String, Codable, Sendable, Hashable, CaseIterable {
    /// Products are loaded.
    case products
    /// A customer buys.
    case purchase
    /// Unfinished transactions are asked for.
    case unfinishedTransactions
    /// Entitlements are asked for.
    case currentEntitlements
    /// The state of subscriptions is asked for.
    case subscriptionStatuses
    /// The history is asked for.
    case history
    /// A transaction is finished.
    case finish
    /// Everything is fetched anew.
    case synchronize
    /// A transaction or renewal info is signed for a customer.
    case signing
    /// An update goes to a customer.
    case delivery
    /// A step is done in memory and not written yet.
    case beforeSaving
    /// A step is written, and nobody was told.
    case afterSaving
    /// A step is written, its updates are delivered, and whoever asked for it has no answer yet.
    case beforeAnswering
}
