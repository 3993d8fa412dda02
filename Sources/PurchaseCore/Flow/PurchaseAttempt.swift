/// What every coordinator does: flag, product, service, mapping, refresh, observers.
struct PurchaseAttempt: Sendable {
    let purchaseService: any PurchaseServicing
    let entitlementRefresher: any EntitlementRefreshing
    let catalog: TemplatePriceCatalog
    let flags: @Sendable () -> FeatureFlags
    let observers: [any PurchaseOutcomeObserving]

    func buy(_ productID: String, for entitlement: Entitlement) async -> PurchaseOutcome {
        let flags = self.flags()
        let outcome = await outcome(of: productID, for: entitlement, flags)
        let report = PurchaseReport(productID: productID, entitlement: entitlement, flags: flags, outcome: outcome)
        for observer in observers { observer.purchaseEnded(report) }
        return outcome
    }

    private func outcome(
        of productID: String, for entitlement: Entitlement, _ flags: FeatureFlags
    ) async -> PurchaseOutcome {
        guard flags.purchasesEnabled else { return .failed(.purchasesDisabled) }
        // Before anybody pays for something else than they want.
        guard catalog.entitlements(for: productID).contains(entitlement) else {
            return .failed(PurchaseFlowError(.wrongProduct, "\(productID) does not give \(entitlement)"))
        }
        let outcome = PurchaseResultMapping.outcome(of: await purchaseService.purchase(productID: productID))
        if outcome == .success { await entitlementRefresher.refresh() }
        return outcome
    }
}
