import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Failures of the ledger")
struct LedgerFailureTests {
    /// Runs a customer's day while one call of the ledger fails, and returns the call's name; nil if there are fewer
    /// calls.
    private func failedCall(_ number: Int) async throws -> LedgerStep? {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        await simulator.failLedger(atCall: number)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller, environment: harness.environment)
        var thrown = 0
        func count(_ call: () async throws -> Void) async {
            do { try await call() } catch { thrown += 1 }
        }
        let subscription = harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly"))
        await harness.store.setEntitled([subscription])
        // A fulfiller that fails, so that the claim is released.
        await harness.fulfiller.setReachable(false)
        _ = await service.purchase(productID: "coins")
        await harness.fulfiller.setReachable(true)
        await service.resumeUnfinishedPurchases()
        await harness.store.answer("pro.yearly", .success(.pending))
        _ = await service.purchase(productID: "pro.yearly")
        _ = await service.waitUntilHandedOver(productID: "gems")
        await count { _ = try await service.evidence() }
        await count { _ = try await service.pendingPurchases() }
        await count { _ = try await service.requestAllPurchaseHistory() }
        _ = await service.currentEntitlements()
        await harness.store.fail(StoreError(.network, "down"))
        _ = await service.currentEntitlements()
        // Callers do not wait until a purchase is handed over, which also calls the ledger.
        await service.suspend()
        guard let failed = await simulator.failedLedgerCall else { return nil }
        let isLogged = harness.log.kinds.contains(.ledgerFailed)
        #expect(isLogged || thrown > 0, "call \(number), \(failed)")
        return failed
    }

    @Test("each error of the ledger is thrown or logged")
    func everyCall() async throws {
        let kinds: Set = [
            LedgerStep.observe, .record, .claim, .releaseClaim, .grant, .finish, .readDeliveries,
            .readPurchase, .readRenewals, .readMemory, .remember, .compact,
        ]
        var failed: Set<LedgerStep> = []
        // Calls run concurrently, so one pass over the numbers can miss a kind.
        for _ in 0..<5 where !kinds.isSubset(of: failed) {
            var number = 0
            while number < 1_000, let name = try await failedCall(number + 1) {
                failed.insert(name)
                number += 1
            }
            #expect((41..<1_000).contains(number))
        }
        #expect(kinds.subtracting(failed) == [])
    }

    /// A product that the customer owns, and that the store signs again when it is asked for.
    private struct OwnedProduct {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service: PurchaseService
        /// What the ledger has to take when the store shows the product again.
        let signedAgain: SignedTransaction

        init() async {
            service = PurchaseService(
                store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
                fulfiller: harness.fulfiller, environment: harness.environment)
            signedAgain = harness.verifier.sign(Sample.payload("sale-1", "template.a", signed: Sample.at(day: 1)))
            _ = await service.purchase(productID: "template.a")
            await simulator.failLedger(.record, count: .max)
        }

        /// Buys the product a second time, and returns the reason that nothing was sold.
        func buyAgain() async -> PurchaseFlowError.Code? {
            let purchase = await service.countedPurchase(productID: "template.a", options: PurchaseOptions())
            guard purchase.sale != .sold, case .failed(let error) = purchase.outcome else { return nil }
            return error.code
        }
    }

    @Test("a product that the store lists as owned is not sold again while the ledger fails")
    func listedWhileFailing() async {
        let owned = await OwnedProduct()
        await owned.harness.store.setEntitled([owned.signedAgain])
        #expect(await owned.buyAgain() == .ledgerUnavailable)
        #expect(await owned.harness.store.sales == ["template.a"])
    }

    @Test("an earlier purchase with which the store answers is no sale, although the ledger cannot take it")
    func earlierAnswerWhileFailing() async {
        let owned = await OwnedProduct()
        await owned.harness.store.setEntitled([])
        await owned.harness.store.answer("template.a", .success(.success(owned.signedAgain)))
        #expect(await owned.buyAgain() == .ledgerUnavailable)
    }

    @Test("a refund that the ledger cannot take is no sale, and the product is not sold again until it is recorded")
    func refundWhileFailing() async {
        let owned = await OwnedProduct()
        let refund = owned.harness.verifier.sign(
            Sample.payload("sale-1", "template.a", signed: Sample.at(day: 1)) { $0.revocationDate = Sample.at(day: 1) })
        await owned.harness.store.setEntitled([])
        await owned.harness.store.deliver(refund)
        await owned.service.resumeUnfinishedPurchases()
        #expect(await owned.buyAgain() == .ledgerUnavailable)
        await owned.simulator.failLedger(.record, count: 0)
        let sale = await owned.service.countedPurchase(productID: "template.a", options: PurchaseOptions())
        #expect(sale.sale == .sold)
        #expect(await owned.harness.store.sales == ["template.a", "template.a"])
    }
}
