/// Buys single templates.
///
/// It holds no state: that a product is bought once however many ask for it is the service's business.
///
/// ```swift
/// let outcome = await coordinator.buyTemplate(templateID: template.id, productID: template.productID)
/// ```
public struct TemplatePurchaseCoordinator: Sendable {
    private let attempt: PurchaseAttempt

    /// Makes a coordinator.
    ///
    /// - Parameters:
    ///   - catalog: What each product gives; a product that does not give the template is not bought.
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

    /// Buys a template; when it returns a success, the template is unlocked.
    public func buyTemplate(templateID: TemplateID, productID: String) async -> PurchaseOutcome {
        await attempt.buy(productID, for: .template(templateID))
    }
}
