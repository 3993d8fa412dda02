internal import ReceiptTypes

/// How a call to ``OneTimePurchaseFlow/restorePurchases()`` ended.
public struct OneTimeRestoreResult: Sendable, Hashable {
    /// The four endings of a restore.
    public enum Outcome: Sendable, Hashable {
        /// The number of purchases that count and are recorded now and were not recorded before.
        case restored(Int)
        /// The customer has purchases that count, and all were recorded before.
        case alreadyRestored
        /// The customer has no purchase that counts, and none is pending. That is not an error.
        case nothingFound
        /// The restore has failed. ``PurchaseError/isRetryable`` says whether the same call can succeed later.
        case failed(PurchaseError)
    }

    /// How the restore ended.
    public let outcome: Outcome
    /// The recorded one-time purchases that count after the restore, the latest first; empty if they cannot be read.
    public let purchases: [Purchase]
    /// A failure for each purchase that was rejected or could not be recorded.
    public let problems: [PurchaseError]

    /// Creates a result.
    public init(outcome: Outcome, purchases: [Purchase] = [], problems: [PurchaseError] = []) {
        self.outcome = outcome
        self.purchases = purchases
        self.problems = problems
    }
}
