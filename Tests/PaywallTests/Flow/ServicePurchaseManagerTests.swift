import LocalStore
import Paywall
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import Testing
import TimerSupport

/// Buying and restoring without recorded purchases, with the real simulator, verification and ledger.
@Suite("A service without records", .timeLimit(.minutes(15)))
@MainActor
struct ServicePurchaseManagerTests {
    @Test("a service without records buys and restores too")
    func serviceManager() async throws {
        let app = try PaywallApp(PaywallApp.simulator())
        try await app.launch()
        let manager = ServicePurchaseManager(service: app.service, entitlements: app.entitlements)
        #expect(await manager.restore().outcome == .nothingFound)
        #expect(await manager.purchase(productID: PaywallApp.export, offerID: "A") == .success)
        await app.entitlements.refresh()
        #expect(app.gating.canAccessSync("export"))
        #expect(await manager.restore().outcome == .alreadyRestored)
        app.simulator.isOnline = false
        let answer = await manager.restore().outcome
        guard case .failed(let error) = answer else {
            Issue.record("a restore without a network has not failed: \(answer)")
            return
        }
        #expect(error.code == .networkError)
    }

    @Test("purchases that the ledger has are already restored, also while the entitlements are not loaded")
    func notLoaded() async throws {
        let app = try PaywallApp(PaywallApp.simulator())
        let manager = ServicePurchaseManager(service: app.service, entitlements: app.entitlements)
        #expect(await manager.purchase(productID: PaywallApp.export, offerID: nil) == .success)
        #expect(app.entitlements.freshness == .notLoaded)
        #expect(await manager.restore().outcome == .alreadyRestored)
    }

    @Test("a renewal is no restored purchase")
    func renewal() async throws {
        let app = try PaywallApp(PaywallApp.simulator())
        let manager = ServicePurchaseManager(service: app.service, entitlements: app.entitlements)
        #expect(await manager.purchase(productID: PaywallApp.yearly, offerID: nil) == .success)
        await app.entitlements.refresh()
        try app.simulator.perform { try $0.advance(byMilliseconds: 400 * SetClock.day) }
        #expect(app.simulator.state.transactions.count == 2)
        #expect(await manager.restore().outcome == .alreadyRestored)
    }

    @Test("what a restore brings back counts, also if the refresh after it fails")
    func failedRefresh() async throws {
        let simulator = try PaywallApp.simulator()
        let first = try PaywallApp(simulator)
        _ = await first.service.purchase(productID: PaywallApp.export)
        _ = await first.service.purchase(productID: PaywallApp.yearly)
        let second = try PaywallApp(simulator)
        let service = ServiceWithoutEvidence(base: second.service)
        let entitlements = EntitlementStore(
            service: service, catalog: TemplatePriceCatalog(version: 1, proProductIDs: [PaywallApp.yearly]),
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: simulator.clock))
        let manager = ServicePurchaseManager(service: service, entitlements: entitlements)
        #expect(await manager.restore().outcome == .restored(2))
        #expect(entitlements.entitlements == .empty)
    }

    @Test("not everything was restored before while the verifier has not answered about a purchase")
    func undecided() async throws {
        let app = try PaywallApp(PaywallApp.simulator())
        _ = await app.service.purchase(productID: PaywallApp.export)
        for (code, isDecided) in [(VerificationFailure.Code.verificationTimedOut, false), (.signatureInvalid, true)] {
            let service = ServiceWithoutEvidence(base: app.service, rejected: VerificationFailure(code: code))
            let manager = ServicePurchaseManager(
                service: service,
                entitlements: EntitlementStore(
                    service: service, catalog: TemplatePriceCatalog(version: 1, proProductIDs: []),
                    environment: PurchaseEnvironment(timer: StoppedTimer())))
            let result = await manager.restore()
            #expect((result.outcome == .alreadyRestored) == isDecided, "\(result)")
            #expect(result.problems.count == 1)
        }
    }
}

/// A service whose evidence cannot be read.
private struct ServiceWithoutEvidence: PurchaseServicing {
    let base: PurchaseService
    /// A purchase of the history that is not verified.
    var rejected: VerificationFailure?

    func products(for ids: [String]) async throws -> [Product] { try await base.products(for: ids) }
    func purchase(productID: String) async -> PurchaseResult { await base.purchase(productID: productID) }

    func listenForTransactions(
        handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never> { Task {} }

    func currentEntitlements() async -> [VerificationResult<Transaction>] { [] }
    func evidence() async throws(LedgerError) -> PurchaseEvidence { throw LedgerError(.notReadable, "not readable") }
    func requestAllPurchaseHistory() async throws -> RestoredHistory {
        let history = try await base.requestAllPurchaseHistory()
        return RestoredHistory(
            restored: history.restored, known: history.known, rejected: rejected.map { [$0] } ?? [])
    }
}
