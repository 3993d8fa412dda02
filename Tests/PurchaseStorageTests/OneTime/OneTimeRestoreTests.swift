import LocalStore
import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import Testing

/// Flow 2 of the source document, over the simulator and real databases.
@Suite("Restore of one-time purchases", .timeLimit(.minutes(15)))
@MainActor
struct OneTimeRestoreTests {
    private let files = TestDatabase()
    private let otherFiles = TestDatabase()

    /// A store in which the customer has bought products on another device.
    private func store(_ products: [String], faults: [Fault] = []) async throws -> StoreSimulator {
        let simulator = try SellingApp.simulator(faults: faults)
        let app = try SellingApp(simulator, try otherFiles.open())
        for product in products { _ = await app.flow.purchaseProduct(product) }
        return simulator
    }

    @Test("[OTP-F2] [OTP-6.3] a restore records each purchase once, and a second one has everything already")
    func restore() async throws {
        let app = try SellingApp(try await store(["export", "suite", "coins"]), try files.open())
        let first = await app.flow.restorePurchases()
        #expect(first.outcome == .restored(2), "the coins are used up")
        #expect(Set(first.purchases.map(\.productID)) == ["export", "suite"] && first.problems.isEmpty)
        #expect(first.purchases.map(\.isVerified) == [true, true])
        #expect(app.grants("export") && app.grants("print"))
        let second = await app.flow.restorePurchases()
        #expect(second.outcome == .alreadyRestored && second.purchases == first.purchases)
        #expect(try await app.records.events(since: nil).filter { $0.kind == .completed }.count == 2)
        #expect(app.sales == 3 && app.dialogue.proposals.isEmpty)
    }

    @Test("[OTP-F2] a restore keeps whether the app's server has acknowledged a purchase")
    func synchronization() async throws {
        let app = try SellingApp(try await store(["export", "suite"]), try files.open())
        let restored = await app.flow.restorePurchases().purchases
        #expect(restored.map(\.synchronization) == [.unsynced, .unsynced])
        let synced = Purchase.Synchronization.synced(at: PurchaseSample.at(5))
        try await app.records.updateSyncStatus(of: restored[0].id, synced)
        let again = await app.flow.restorePurchases().purchases
        #expect(again.map(\.synchronization) == [synced, .unsynced])
    }

    @Test("[OTP-6.3] records that were lost are restored from the store's history")
    func lostRecords() async throws {
        let simulator = try await store(["export"])
        let database = try files.open()
        let app = try SellingApp(simulator, database)
        let purchase = try #require(await app.flow.restorePurchases().purchases.first)
        try await database.deletePurchase(purchase.id, of: nil)
        #expect(try await app.flow.getActivePurchases().isEmpty)
        let result = await app.flow.restorePurchases()
        #expect(result.outcome == .restored(1) && result.purchases.map(\.id) == [purchase.id])
    }

    @Test("[OTP-F2] a customer without purchases, and one with a refunded purchase, have nothing to restore")
    func nothingFound() async throws {
        let app = try SellingApp(try await store([]), try files.open())
        let nothing = OneTimeRestoreResult(outcome: .nothingFound)
        #expect(await app.flow.restorePurchases() == nothing)
        _ = await app.flow.purchaseProduct("export")
        let id = try #require(app.simulator.state.transactions.first?.id)
        try app.simulator.perform { try $0.refund(id) }
        #expect(await app.flow.restorePurchases() == nothing)
        #expect(try await app.flow.getPurchase(id)?.isRevoked == true && !app.grants("export"))
    }

    @Test("[OTP-6.6] a restore that fails offers a retry, which succeeds when the store is back")
    func retry() async throws {
        let app = try SellingApp(try await store(["export"]), try files.open())
        app.simulator.isOnline = false
        let failed = await app.flow.restorePurchases()
        guard case .failed(let error) = failed.outcome else {
            Issue.record("\(failed.outcome)")
            return
        }
        #expect(error.code == .networkError && error.isRetryable && !error.userMessage(languages: []).advice.isEmpty)
        #expect(app.timer.pauses == [1_000, 2_000], "a network error is repeated after growing pauses")
        #expect(!app.flow.activity.isLoading)
        app.simulator.isOnline = true
        #expect(await app.flow.restorePurchases().outcome == .restored(1))
    }

    @Test("[OTP-6.6] a restore whose purchases cannot be recorded has failed until they can")
    func notRecorded() async throws {
        let app = try SellingApp(try await store(["export", "suite"]), try files.open())
        app.ledger.failWrites(DatabaseError(.diskFull, "the disk is full"))
        for _ in 0..<2 {
            let result = await app.flow.restorePurchases()
            guard case .failed(let error) = result.outcome else {
                Issue.record("\(result.outcome)")
                return
            }
            #expect(error.flowCode == .databaseError && error.isRetryable && result.purchases.isEmpty)
        }
        #expect(!app.grants("print"), "what is not recorded unlocks nothing")
        app.ledger.failWrites(nil)
        #expect(await app.flow.restorePurchases().outcome == .restored(2))
    }

    @Test("[OTP-6.6] a failed restore still shows the recorded purchases, and too many restores say when to try again")
    func limit() async throws {
        let app = try SellingApp(try await store(["export"]), try files.open(), restoresPerMinute: 1)
        let purchases = await app.flow.restorePurchases().purchases
        #expect(purchases.count == 1)
        let refused = await app.flow.restorePurchases()
        guard case .failed(let error) = refused.outcome else {
            Issue.record("\(refused.outcome)")
            return
        }
        #expect(error.isRetryable && error.retryAfterMilliseconds == 60_000 && refused.purchases == purchases)
    }

    @Test("[OTP-6.3] purchases that do not verify are not recorded, and the restore has failed")
    func notVerified() async throws {
        let bought = try await store(["export", "suite"])
        let simulator = StoreSimulator(
            configuration: bought.engine.configuration, signer: bought.signer, state: bought.state,
            faults: FaultPlan(faults: [Fault(at: .signing, do: .flipBit)]))
        let app = try SellingApp(simulator, try files.open())
        let result = await app.flow.restorePurchases()
        guard case .failed(let error) = result.outcome else {
            Issue.record("\(result.outcome)")
            return
        }
        #expect(error.flowCode == .verificationFailed && !error.isRetryable)
        #expect(result.problems.count == 2 && result.purchases.isEmpty)
        #expect(try await app.records.getAllPurchases().isEmpty)
    }

    @Test("[OTP-6.3] a rejected signature is a problem, and does not keep the other purchases from being restored")
    func oneRejected() async throws {
        let bought = try await store(["export", "suite"])
        let simulator = StoreSimulator(
            configuration: bought.engine.configuration, signer: bought.signer, state: bought.state,
            faults: FaultPlan(faults: [Fault(at: .signing, when: .nth(1), do: .flipBit)]))
        let app = try SellingApp(simulator, try files.open())
        let result = await app.flow.restorePurchases()
        // The store signs a transaction again for its list of current entitlements.
        #expect(result.outcome == .restored(2) && result.purchases.count == 2)
        #expect(result.problems.map(\.flowCode) == [.verificationFailed])
    }

    @Test("concurrent restores are one, and the restore is observable")
    func shared() async throws {
        let app = try SellingApp(try await store(["export"]), try files.open(), restoresPerMinute: 1)
        async let first = app.flow.restorePurchases()
        async let second = app.flow.restorePurchases()
        let results = await [first, second]
        #expect(results.map(\.outcome) == [.restored(1), .restored(1)])
        #expect(!app.flow.activity.isRestoring)
    }

    @Test("[OTP-3.3] a launch records what the customer owns, without a call that could ask for a password")
    func launch() async throws {
        let simulator = try await store(
            ["export"], faults: [Fault(at: .synchronize, do: .fail(code: "system"))])
        let app = try SellingApp(simulator, try files.open())
        await app.flow.start().value
        #expect(try await app.flow.getActivePurchases().map(\.productID) == ["export"])
        #expect(app.dialogue.proposals.isEmpty)
    }

    @Test("[OTP-3.3] a started flow records a purchase that is made elsewhere, its refund, and the refund's reversal")
    func updates() async throws {
        let app = try SellingApp(try await store([]), try files.open())
        await app.flow.start().value
        try app.simulator.perform { _ = try $0.buy("suite", for: "customer") }
        for try await purchases in app.records.purchaseUpdates() where !purchases.isEmpty { break }
        let purchase = try #require(try await app.flow.getActivePurchases().first)
        #expect(purchase.unlockedFeatures == ["export", "print"])
        try app.simulator.perform { try $0.refund(purchase.id.transactionID) }
        for try await state in app.records.purchaseUpdates(of: purchase.id) where state?.isRevoked == true { break }
        #expect(try await app.flow.getActivePurchases().isEmpty)
        try app.simulator.perform { try $0.reverseRefund(purchase.id.transactionID) }
        for try await state in app.records.purchaseUpdates(of: purchase.id) where state?.isRevoked == false { break }
        #expect(try await app.flow.getActivePurchases().map(\.id) == [purchase.id])
        app.flow.stop()
    }
}
