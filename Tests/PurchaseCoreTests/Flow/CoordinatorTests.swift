import PurchaseCore
import Testing

/// A coordinator that sells either kind, so that both are held to the same.
enum Sale: String, CaseIterable, CustomTestStringConvertible {
    case template, monthly, yearly

    var testDescription: String { rawValue }
    var productID: String { self == .template ? "template.a" : "pro.\(rawValue)" }
    var entitlement: Entitlement { self == .template ? .template(TemplateID(rawValue: "A")) : .pro }

    func buy(
        with service: any PurchaseServicing,
        refreshing refresher: any EntitlementRefreshing,
        isEnabled: Bool = true,
        observers: [any PurchaseOutcomeObserving] = []
    ) async -> PurchaseOutcome {
        let flags = FeatureFlags(purchasesEnabled: isEnabled)
        switch self {
        case .template:
            let coordinator = TemplatePurchaseCoordinator(
                purchaseService: service, entitlementRefresher: refresher, catalog: Sample.catalog, flags: { flags },
                observers: observers
            )
            return await coordinator.buyTemplate(templateID: TemplateID(rawValue: "A"), productID: productID)
        case .monthly, .yearly:
            let coordinator = ProSubscriptionCoordinator(
                purchaseService: service, entitlementRefresher: refresher, catalog: Sample.catalog, flags: { flags },
                observers: observers
            )
            return await coordinator.buyPro(productID: productID)
        }
    }
}

@Suite("Coordinators")
struct CoordinatorTests {
    @Test("[PFC-6] with purchases switched off neither store nor refresher is touched", arguments: Sale.allCases)
    func flagsOff(sale: Sale) async {
        let service = ScriptedService()
        let refresher = RefreshCounter()
        let outcome = await sale.buy(with: service, refreshing: refresher, isEnabled: false)
        #expect(outcome == .failed(.purchasesDisabled))
        #expect(await service.purchases.isEmpty)
        #expect(await service.requests.isEmpty)
        #expect(await service.evidenceRequests == 0)
        #expect(await refresher.count == 0)
        #expect(FeatureFlags().purchasesEnabled == false)
    }

    @Test("[PFC-1] [PFC-2] [PFC-5] a verified purchase is refreshed once, then reported", arguments: Sale.allCases)
    func verified(sale: Sale) async {
        let service = ScriptedService(.success(verified: true))
        let refresher = RefreshCounter()
        #expect(await sale.buy(with: service, refreshing: refresher) == .success)
        #expect(await service.purchases == [sale.productID])
        #expect(await refresher.count == 1)
    }

    @Test(
        "[PFC-3] [PFC-4] [PFC-11] [PSE-10] what is not a verified purchase refreshes nothing and is told",
        arguments: Sale.allCases)
    func notVerified(sale: Sale) async {
        let error = StoreError(.network, "the line is dead")
        let cases: [(PurchaseResult, PurchaseOutcome)] = [
            (.success(verified: false), .pending(.unverified)),
            (.userCancelled, .cancelled),
            (.pending, .pending(.awaitingApproval)),
            (.failed(error), .failed(.storeKitError(error))),
        ]
        for (result, expected) in cases {
            let refresher = RefreshCounter()
            #expect(await sale.buy(with: ScriptedService(result), refreshing: refresher) == expected)
            #expect(await refresher.count == 0)
        }
    }

    @Test("[PFC-7] the store's message is carried through, and callers can branch")
    func errors() async {
        let result = PurchaseResult.failed(StoreError(.network, "the line is dead"))
        guard case .failed(let error) = PurchaseResultMapping.outcome(of: result) else {
            Issue.record("not failed")
            return
        }
        #expect(error.code == .storeKitError)
        #expect(error.message == "the line is dead")
        #expect((error.underlying as? StoreError)?.code == .network)
        switch PurchaseOutcome.failed(.purchasesDisabled) {
        case .failed(.purchasesDisabled): break
        default: Issue.record("cannot be branched on")
        }
        #expect(PurchaseFlowError.unknown != .purchasesDisabled)
        #expect(PurchaseFlowError.unknown.message.isEmpty == false)
    }

    @Test("[CARD-5] every result has one outcome, and what was paid for is never told as failed")
    func mapping() {
        struct Strange: Error {}
        #expect(PurchaseResultMapping.outcome(of: .success(verified: true)) == .success)
        let unwritten = PurchaseFlowError(.notRecorded, "the disk is full")
        #expect(PurchaseResultMapping.outcome(of: .failed(unwritten)) == .pending(.notRecorded))
        #expect(PurchaseResultMapping.outcome(of: .failed(Strange())) == .failed(.storeKitError(Strange())))
        #expect(PurchaseResultMapping.outcome(of: .failed(StoreError(.userCancelled, ""))) == .cancelled)
        let refused = PurchaseFlowError(.conflict, "another account's")
        #expect(PurchaseResultMapping.outcome(of: .failed(refused)) == .failed(refused))
    }

    @Test("[PSE-5] a product that does not give what is wanted is not bought")
    func wrongProduct() async {
        let service = ScriptedService()
        let refresher = RefreshCounter()
        let template = TemplatePurchaseCoordinator(
            purchaseService: service, entitlementRefresher: refresher, catalog: Sample.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) }
        )
        let pro = ProSubscriptionCoordinator(
            purchaseService: service, entitlementRefresher: refresher, catalog: Sample.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) }
        )
        let wrong = PurchaseOutcome.failed(PurchaseFlowError(.wrongProduct, ""))
        #expect(await template.buyTemplate(templateID: TemplateID(rawValue: "B"), productID: "template.a") == wrong)
        #expect(await template.buyTemplate(templateID: TemplateID(rawValue: "A"), productID: "pro.yearly") == wrong)
        #expect(await pro.buyPro(productID: "template.a") == wrong)
        #expect(await pro.buyPro(productID: "unknown") == wrong)
        #expect(await service.purchases.isEmpty)
    }

    @Test("[PFC-13] observers see every outcome with the flags that were read", arguments: Sale.allCases)
    func observers(sale: Sale) async {
        let keepers = [ReportKeeper(), ReportKeeper()]
        for isEnabled in [true, false] {
            _ = await sale.buy(
                with: ScriptedService(.userCancelled), refreshing: RefreshCounter(), isEnabled: isEnabled,
                observers: keepers)
        }
        for keeper in keepers {
            #expect(keeper.reports.map(\.outcome) == [.cancelled, .failed(.purchasesDisabled)])
            #expect(keeper.reports.map(\.flags.purchasesEnabled) == [true, false])
            #expect(keeper.reports.allSatisfy { $0.productID == sale.productID && $0.entitlement == sale.entitlement })
        }
    }

    @Test("[PFC-9] [PFC-10] making everything touches nothing")
    func nothingAtStart() async {
        let bench = Bench()
        let store = EntitlementStore(service: bench.service, catalog: Sample.catalog, clock: bench.clock.now)
        _ = ProductCatalogService(purchaseService: bench.service)
        _ = TemplatePurchaseCoordinator(
            purchaseService: bench.service, entitlementRefresher: store, catalog: Sample.catalog, flags: { .init() })
        #expect(await bench.store.productRequests.isEmpty)
        #expect(await bench.store.sales.isEmpty)
        #expect(await bench.journal.entries().isEmpty)
        #expect(await store.entitlements == .empty)
    }
}
