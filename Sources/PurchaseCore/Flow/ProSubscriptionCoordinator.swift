/// Buys the subscription that gives everything, for whatever period.
///
/// ```swift
/// let outcome = await coordinator.buyPro(productID: "com.example.pro.yearly")
/// ```
public struct ProSubscriptionCoordinator: Sendable {
    private let attempt: PurchaseAttempt

    /// Makes a coordinator.
    ///
    /// - Parameters:
    ///   - catalog: What each product gives; a product that does not give everything is not bought.
    ///   - flags: Read once for each purchase.
    public init(
        purchaseService: any PurchaseServicing,
        entitlementRefresher: any EntitlementRefreshing,
        catalog: TemplatePriceCatalog,
        flags: @escaping @Sendable () -> FeatureFlags,
        observers: [any PurchaseOutcomeObserving] = []
    ) {
        attempt = PurchaseAttempt(
            purchaseService: purchaseService, entitlementRefresher: entitlementRefresher, catalog: catalog,
            flags: flags, observers: observers
        )
    }

    /// Buys a subscription, monthly or yearly; when it returns a success, everything is unlocked.
    public func buyPro(productID: String) async -> PurchaseOutcome {
        await attempt.buy(productID, for: .pro)
    }
}
