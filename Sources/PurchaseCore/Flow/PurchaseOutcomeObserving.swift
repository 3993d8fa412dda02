/// Observes the outcome of each purchase, for example to count them.
public protocol PurchaseOutcomeObserving: Sendable {
    /// Receives the report of a completed purchase.
    ///
    /// Concurrent calls that share one purchase report it once. A sale that is ``PendingReason/notHandedOver`` is
    /// reported again as a success once it is handed over, so each sale is reported as one success. The purchase's
    /// caller waits for this call, so it must be fast.
    func purchaseEnded(_ report: PurchaseReport)
}
