public import PurchaseCore

/// The port of a paywall to the code that buys and restores.
///
/// ``OneTimePurchaseManager`` and ``ServicePurchaseManager`` connect it to the purchase core.
public protocol PurchaseManager: Sendable {
    /// Buys a product. A failed purchase is an outcome, not a thrown error.
    ///
    /// - Parameters:
    ///   - productID: The id of the plan.
    ///   - offerID: The letter of the offer that the customer sees; nil on a paywall for a feature, which shows no
    ///     offer.
    func purchase(productID: String, offerID: String?) async -> PurchaseOutcome

    /// Restores the customer's purchases. The paywall calls it only after a tap on its restore button.
    func restore() async -> OneTimeRestoreResult

    /// Returns the purchases that await something outside of the app, such as an approval; nil if that is not known.
    func pendingPurchases() async -> [PendingPurchase]?

    /// Forgets a pending purchase, so that the product can be ordered again, because the customer says that it was
    /// declined or given up.
    func forgetPendingPurchase(productID: String) async throws(PurchaseError)
}

// Defaults for code that keeps no list of pending purchases.
extension PurchaseManager {
    /// Returns nil, because they are not known.
    public func pendingPurchases() async -> [PendingPurchase]? { nil }

    /// Does nothing, because there is nothing to forget.
    public func forgetPendingPurchase(productID: String) async throws(PurchaseError) {}
}

/// Buys and restores through a `OneTimePurchaseFlow`, which confirms, records and limits, also subscriptions.
public struct OneTimePurchaseManager: PurchaseManager {
    private let flow: OneTimePurchaseFlow
    private let options: @Sendable (_ productID: String, _ offerID: String?) -> PurchaseOptions

    /// Creates the connection.
    ///
    /// - Parameters:
    ///   - flow: The flow, started by the app.
    ///   - options: Returns the options of a purchase, such as a promotional offer for the letter of an offer.
    public init(
        _ flow: OneTimePurchaseFlow,
        options: @escaping @Sendable (_ productID: String, _ offerID: String?) -> PurchaseOptions = { _, _ in
            PurchaseOptions()
        }
    ) {
        self.flow = flow
        self.options = options
    }

    /// Buys a product, and records the purchase.
    public func purchase(productID: String, offerID: String?) async -> PurchaseOutcome {
        await flow.purchaseProduct(productID, options: options(productID, offerID)).outcome
    }

    /// Restores and records all purchases.
    public func restore() async -> OneTimeRestoreResult { await flow.restorePurchases() }

    /// Returns the purchases that await an approval.
    public func pendingPurchases() async -> [PendingPurchase]? { await flow.pendingPurchases() }

    /// Forgets a purchase that awaits an approval.
    public func forgetPendingPurchase(productID: String) async throws(PurchaseError) {
        try await flow.forgetPendingPurchase(productID: productID)
    }
}
