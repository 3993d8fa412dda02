/// Is told how purchases end.
public protocol PurchaseOutcomeObserving: Sendable {
    /// Takes a report; the purchase is over, and its caller is not kept waiting for long.
    func purchaseEnded(_ report: PurchaseReport)
}
