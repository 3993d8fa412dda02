/// A coordinator that sells templates.
///
/// It has no state. The service ensures that concurrent calls for one product make one purchase.
///
/// ```swift
/// let outcome = await coordinator.buyTemplate(templateID: template.id, productID: template.productID)
/// ```
public struct TemplatePurchaseCoordinator: Sendable {
    private let attempt: PurchaseAttempt

    /// Creates a coordinator.
    ///
    /// - Parameters:
    ///   - purchaseService: The service that buys.
    ///   - entitlementRefresher: Refreshed after each success, each accepted or cancelled change of plan, and each
    ///     purchase that is recorded and not handed over.
    ///   - catalog: The map from products to entitlements. A product that does not unlock the template is not
    ///     bought. By default the catalog of the refresher; if it has none, the product is not checked.
    ///   - flags: Called once for each purchase. By default, purchases are switched on.
    ///   - observers: Called once with the outcome of each purchase, and again when a sale that could not be handed
    ///     over is.
    public init(
        purchaseService: any PurchaseServicing,
        entitlementRefresher: any EntitlementRefreshing,
        catalog: TemplatePriceCatalog? = nil,
        flags: @escaping @Sendable () -> FeatureFlags = { .allEnabled },
        observers: [any PurchaseOutcomeObserving] = []
    ) {
        attempt = PurchaseAttempt(
            purchaseService: purchaseService, entitlementRefresher: entitlementRefresher,
            catalog: catalog ?? entitlementRefresher.catalog, flags: flags, observers: observers
        )
    }

    /// Buys a template. When it returns a success, the entitlements have been refreshed.
    public func buyTemplate(
        templateID: TemplateID, productID: String, options: PurchaseOptions = PurchaseOptions()
    ) async -> PurchaseOutcome {
        await attempt.buy(productID, options, for: .template(templateID))
    }
}

/// A coordinator that sells the products that unlock everything, such as subscriptions of any period.
///
/// ```swift
/// let outcome = await coordinator.buyPro(productID: "com.example.pro.yearly")
/// ```
public struct ProSubscriptionCoordinator: Sendable {
    private let attempt: PurchaseAttempt

    /// Creates a coordinator.
    ///
    /// - Parameters:
    ///   - purchaseService: The service that buys.
    ///   - entitlementRefresher: Refreshed after each success, each accepted or cancelled change of plan, and each
    ///     purchase that is recorded and not handed over.
    ///   - catalog: The map from products to entitlements. A product that does not unlock everything is not
    ///     bought. By default the catalog of the refresher; if it has none, the product is not checked.
    ///   - flags: Called once for each purchase. By default, purchases are switched on.
    ///   - observers: Called once with the outcome of each purchase, and again when a sale that could not be handed
    ///     over is.
    public init(
        purchaseService: any PurchaseServicing,
        entitlementRefresher: any EntitlementRefreshing,
        catalog: TemplatePriceCatalog? = nil,
        flags: @escaping @Sendable () -> FeatureFlags = { .allEnabled },
        observers: [any PurchaseOutcomeObserving] = []
    ) {
        attempt = PurchaseAttempt(
            purchaseService: purchaseService, entitlementRefresher: entitlementRefresher,
            catalog: catalog ?? entitlementRefresher.catalog, flags: flags, observers: observers
        )
    }

    /// Buys a subscription, monthly or yearly. When it returns a success, the entitlements have been refreshed.
    public func buyPro(productID: String, options: PurchaseOptions = PurchaseOptions()) async -> PurchaseOutcome {
        await attempt.buy(productID, options, for: .pro)
    }
}

/// The steps that all coordinators share: flags, catalog, service, mapping, refresh, observers.
private struct PurchaseAttempt: Sendable {
    let purchaseService: any PurchaseServicing
    let entitlementRefresher: any EntitlementRefreshing
    let catalog: TemplatePriceCatalog?
    let flags: @Sendable () -> FeatureFlags
    let observers: [any PurchaseOutcomeObserving]

    func buy(_ productID: String, _ options: PurchaseOptions, for entitlement: Entitlement) async -> PurchaseOutcome {
        let flags = self.flags()
        var report = await purchase(of: productID, options, for: entitlement, flags)
        (report.entitlement, report.flags) = (entitlement, flags)
        if report.outcome.changesEntitlements { await entitlementRefresher.refresh() }
        // The call that has begun the purchase reports it.
        if report.isShared { return report.outcome }
        for observer in observers { observer.purchaseEnded(report) }
        // The call that has sold a purchase also reports the end of its hand-over.
        if report.outcome == .pending(.notHandedOver), report.sale == .sold {
            // Not awaited, because the fulfiller can fail for hours.
            Task { [report] in await reportHandOver(of: report) }
        }
        return report.outcome
    }

    /// Waits until a purchase is handed over, and reports its success.
    private func reportHandOver(of purchase: PurchaseReport) async {
        guard await isHandedOver(purchase.productID, purchase.transactionID) else { return }
        await entitlementRefresher.refresh()
        var report = purchase
        report.outcome = .success
        for observer in observers { observer.purchaseEnded(report) }
    }

    private func isHandedOver(_ productID: String, _ transactionID: String?) async -> Bool {
        guard let transactionID else { return await purchaseService.waitUntilHandedOver(productID: productID) }
        return await purchaseService.waitUntilHandedOver(productID: productID, transactionID: transactionID)
    }

    private func purchase(
        of productID: String, _ options: PurchaseOptions, for entitlement: Entitlement, _ flags: FeatureFlags
    ) async -> PurchaseReport {
        guard flags.purchasesEnabled else {
            return .notAsked(productID, .failed(PurchaseFlowError.purchasesDisabled))
        }
        // Checked before the customer pays for the wrong product.
        if let objection = catalog?.objection(toSelling: productID, of: nil, for: entitlement) {
            return .notAsked(productID, .failed(objection))
        }
        return await purchaseService.countedPurchase(productID: productID, options: options)
    }
}
