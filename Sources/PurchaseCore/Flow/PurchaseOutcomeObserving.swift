/// Observes the outcome of each purchase, for example to count them.
public protocol PurchaseOutcomeObserving: Sendable {
    /// Receives the report of a completed purchase.
    ///
    /// Concurrent calls that share one purchase report it once. A sale that is ``PendingReason/notHandedOver`` is
    /// reported again as a success once it is handed over, so each sale is reported as one success. The purchase's
    /// caller waits for this call, so it must be fast.
    func purchaseEnded(_ report: PurchaseReport)
}

/// A completed purchase with its outcome.
public struct PurchaseReport: Sendable, Hashable {
    /// The id of the product.
    public let productID: String
    /// The entitlement that the purchase was made for.
    public let entitlement: Entitlement
    /// The feature flags as they were read for this purchase.
    public let flags: FeatureFlags
    /// The outcome.
    public let outcome: PurchaseOutcome

    /// Creates a report.
    public init(productID: String, entitlement: Entitlement, flags: FeatureFlags, outcome: PurchaseOutcome) {
        self.productID = productID
        self.entitlement = entitlement
        self.flags = flags
        self.outcome = outcome
    }
}
