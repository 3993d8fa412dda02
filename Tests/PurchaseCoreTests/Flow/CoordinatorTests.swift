import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// A purchase through either coordinator, so tests cover both.
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

@Suite("Coordinators", .timeLimit(.minutes(15)))
struct CoordinatorTests {
    @Test("[PFC-6] with purchases switched off neither service nor refresher is called", arguments: Sale.allCases)
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

    @Test("[PFC-1] [PFC-2] [PFC-5] a verified purchase is a success and refreshes once", arguments: Sale.allCases)
    func verified(sale: Sale) async {
        let service = ScriptedService(.success(verified: true))
        let refresher = RefreshCounter()
        #expect(await sale.buy(with: service, refreshing: refresher) == .success)
        #expect(await service.purchases == [sale.productID])
        #expect(await refresher.count == 1)
    }

    @Test(
        "[PFC-3] [PFC-4] [PFC-11] every other result has its outcome and refreshes nothing",
        arguments: Sale.allCases)
    func notVerified(sale: Sale) async {
        let error = StoreError(.network, "the network is down")
        let cases: [(PurchaseResult, PurchaseOutcome)] = [
            (.success(verified: false), .pending(.unverified(VerificationFailure(code: .reasonUnknown)))),
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

    @Test("[PFC-7] the error has the store's message, and callers can branch on it")
    func errors() async {
        let result = PurchaseResult.failed(StoreError(.network, "the network is down"))
        let answer = PurchaseResultMapping.outcome(of: result)
        guard case .failed(let error) = answer else {
            Issue.record("the purchase did not fail: \(answer)")
            return
        }
        #expect(error.code == .storeKitError)
        #expect(error.message == "the network is down")
        #expect((error.underlying as? StoreError)?.code == .network)
        switch PurchaseOutcome.failed(.purchasesDisabled) {
        case .failed(.purchasesDisabled): break
        default: Issue.record("the pattern does not match")
        }
        #expect(PurchaseFlowError.unknown != .purchasesDisabled)
        #expect(PurchaseFlowError.unknown.message.isEmpty == false)
    }

    @Test("[CARD-5] every result maps to one outcome, and a paid purchase never to a failure")
    func mapping() {
        struct UnknownError: Error {}
        #expect(PurchaseResultMapping.outcome(of: .success(verified: true)) == .success)
        let notRecorded = PurchaseFlowError(.notRecorded, "the disk is full")
        #expect(PurchaseResultMapping.outcome(of: .failed(notRecorded)) == .pending(.notRecorded))
        #expect(PurchaseResultMapping.outcome(of: .failed(UnknownError())) == .failed(.storeKitError(UnknownError())))
        #expect(PurchaseResultMapping.outcome(of: .failed(StoreError(.userCancelled, ""))) == .cancelled)
        // A service that throws the verification's failure itself.
        let forged = VerificationFailure(code: .signatureInvalid)
        #expect(PurchaseResultMapping.outcome(of: .failed(forged)) == .failed(.unverified(forged)))
        let undecided = VerificationFailure(code: .verificationTimedOut)
        #expect(PurchaseResultMapping.outcome(of: .failed(undecided)) == .pending(.unverified(undecided)))
        let conflict = PurchaseFlowError(.conflict, "another account owns it")
        #expect(PurchaseResultMapping.outcome(of: .failed(conflict)) == .failed(conflict))
    }

    @Test("[PSE-5] a product that does not unlock the requested entitlement is not bought")
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

    @Test("[PFC-13] observers receive every outcome with the flags that were read", arguments: Sale.allCases)
    func observers(sale: Sale) async {
        let recorders = [OutcomeRecorder(), OutcomeRecorder()]
        for isEnabled in [true, false] {
            _ = await sale.buy(
                with: ScriptedService(.userCancelled), refreshing: RefreshCounter(), isEnabled: isEnabled,
                observers: recorders)
        }
        for recorder in recorders {
            #expect(recorder.reports.map(\.outcome) == [.cancelled, .failed(.purchasesDisabled)])
            #expect(recorder.reports.map { $0.flags?.purchasesEnabled } == [true, false])
            #expect(recorder.reports.allSatisfy { $0.productID == sale.productID })
            #expect(recorder.reports.allSatisfy { $0.entitlement == sale.entitlement })
        }
    }

    @Test("[PFC-13] the flags are read once for each purchase, and the report has the flags that decided")
    func flagsReadOnce() async {
        let reads = Locked(0)
        let recorder = OutcomeRecorder()
        let coordinator = TemplatePurchaseCoordinator(
            purchaseService: ScriptedService(), entitlementRefresher: RefreshCounter(), catalog: Sample.catalog,
            flags: {
                // Every second read differs.
                FeatureFlags(
                    purchasesEnabled: reads.withLock { reads in
                        reads += 1
                        return reads.isMultiple(of: 2) == false
                    })
            }, observers: [recorder])
        for _ in 0..<2 {
            _ = await coordinator.buyTemplate(templateID: TemplateID(rawValue: "A"), productID: "template.a")
        }
        #expect(reads.withLock { $0 } == 2)
        #expect(recorder.reports.map { $0.flags?.purchasesEnabled } == [true, false])
        #expect(recorder.reports.map(\.outcome) == [.success, .failed(.purchasesDisabled)])
    }

    @Test("[PFC-9] [PFC-10] creating every part from injected dependencies calls none of them")
    func nothingAtStart() async throws {
        let harness = ServiceHarness()
        let store = harness.entitlementStore()
        _ = ProductCatalogService(purchaseService: harness.service)
        _ = TemplatePurchaseCoordinator(
            purchaseService: harness.service, entitlementRefresher: store, catalog: Sample.catalog, flags: { .init() })
        #expect(await harness.store.productRequests.isEmpty)
        #expect(await harness.store.sales.isEmpty)
        #expect(try await harness.ledger.entries().isEmpty)
        #expect(await store.entitlements == .empty)
    }

    @Test("[PFC-10] neither a service nor an entitlement store listens or reads before it is started")
    @MainActor
    func nothingInInitializers() async {
        let harness = ServiceHarness()
        let service = ScriptedService()
        let store = harness.entitlementStore(service)
        // Work that an initializer had started would run now.
        for _ in 0..<1_000 { await Task.yield() }
        #expect(harness.store.streamCount == 0)
        #expect(service.listeners == 0)
        #expect(await harness.store.requests == [:])
        #expect(await service.evidenceRequests == 0)
        // It would also be counted beside the work of the first start.
        await store.start().value
        #expect(service.listeners == 1)
        #expect(await service.evidenceRequests == 1)
        let listener = harness.service.listenForTransactions { _ in }
        harness.store.endUpdates()
        await listener.value
        #expect(harness.store.streamCount == 1)
        #expect(await harness.store.requests == [.unfinished: 1])
        store.stop()
    }
}
