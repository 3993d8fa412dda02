import LocalStore
import PurchaseCore
import ReceiptTypes
import SQLite
import Testing

@testable import PurchaseStorage

/// Flow 1 of the source document, over the simulator and a real database.
@Suite("One-time purchases", .timeLimit(.minutes(15)))
@MainActor
struct OneTimePurchaseTests {
    private let files = TestDatabase()

    private func app(faults: [Fault] = [], sells: Bool = true) throws -> SellingApp {
        try SellingApp(try SellingApp.simulator(faults: faults), try files.open(), sells: sells)
    }

    @Test("[OTP-F1] [OTP-2.1] a confirmed purchase is sold, verified, handed over, recorded and unlocked at once")
    func purchase() async throws {
        let app = try app()
        let result = await app.flow.purchaseProduct("export")
        #expect(result.outcome == .success && result.sale == .sold && result.isHandedOver)
        #expect(result.error == nil && result.flowCode == nil)
        let purchase = try #require(result.purchase)
        #expect(purchase.productID == "export" && purchase.isVerified && !purchase.isSynced)
        #expect(purchase.unlockedFeatures == ["export"] && purchase.price == Milliunits(4_990))
        #expect(app.grants("export") && !app.grants("print"))
        #expect(app.simulator.state.transactions.map(\.isFinished) == [true])

        let proposal = try #require(app.dialogue.proposals.first)
        #expect(app.dialogue.proposals.count == 1 && proposal.item?.product.price == Milliunits(4_990))
        #expect(proposal.item?.source == .store && proposal.warning == nil)

        let restarted = try SellingApp(app.simulator, try files.open())
        #expect(try await restarted.flow.getActivePurchases() == [purchase])
        #expect(try await restarted.flow.getPurchase(purchase.id.transactionID) == purchase)
        #expect(try await restarted.flow.getPurchase("none") == nil)
        #expect(try await restarted.records.events(since: nil).map(\.kind) == [.completed, .verified])
    }

    @Test("a purchase is found by its transaction id through an index, and no other purchase is read")
    func oneIndexedRead() async throws {
        let damage = DamageRecorder()
        let app = try SellingApp(try SellingApp.simulator(), try files.open(damage: damage))
        let bought = try #require(await app.flow.purchaseProduct("export").purchase)
        _ = await app.flow.purchaseProduct("coins")
        try files.execute("UPDATE purchases SET price = 1 WHERE product_id = 'coins'")
        #expect(try await app.flow.getPurchase(bought.id.transactionID) == bought)
        #expect(damage.all.isEmpty)
        _ = try await app.records.getAllPurchases()
        #expect(damage.tables == ["purchases"])
        let query = "EXPLAIN QUERY PLAN SELECT * FROM purchases WHERE \(DatabaseSession.isTransaction)"
        let plan = try SQLiteConnection(path: files.path, busyTimeout: 60_000).first(query, [.text("1")]) {
            (row) throws(DatabaseError) in try row.text(3)
        }
        #expect(plan?.contains("(transaction_id=?)") == true, "\(plan ?? "")")
    }

    @Test("[OTP-F1] a product that unlocks everything is recorded with every premium feature")
    func features() async throws {
        let app = try app()
        #expect(await app.flow.purchaseProduct("lifetime").purchase?.unlockedFeatures == ["export", "print"])
        #expect(await app.flow.purchaseProduct("coins", options: .init(quantity: 3)).purchase?.quantity == 3)
        #expect(try await app.flow.getActivePurchases().map(\.productID) == ["lifetime"], "coins are a balance")
        #expect(app.dialogue.proposals.last?.options.quantity == 3)
    }

    @Test("the result has the purchase of its own call, also while the clock stands still")
    func ownPurchase() async throws {
        let app = try app()
        for quantity in [1, 2, 1, 3] {
            let options = PurchaseOptions(quantity: quantity)
            #expect(await app.flow.purchaseProduct("coins", options: options).purchase?.quantity == quantity)
        }
    }

    @Test("[OTP-2.1] [OTP-2.4] a purchase that is not confirmed does not reach the store, and can be started again")
    func notConfirmed() async throws {
        let app = try app()
        app.dialogue.answer = false
        let result = await app.flow.purchaseProduct("export")
        #expect(result == PurchaseReport("export", .cancelled, sale: .notSold))
        #expect(result.offersRetry)
        #expect(result.flowCode == .cancelled && app.sales == 0 && !app.flow.activity.isLoading)
        app.dialogue.answer = true
        #expect(await app.flow.purchaseProduct("export").outcome == .success)
    }

    @Test("[OTP-2.1] a dialogue that is never closed counts as no after ten minutes")
    func dialogueDeadline() async throws {
        let app = try app()
        app.dialogue.whileOpen = {
            app.recordTimer.tick()
            // The flow cancels the dialogue at the deadline, which ends the wait. Without that, it is confirmed at some
            // time.
            for _ in 0..<10_000_000 where !Task.isCancelled { await Task.yield() }
        }
        let result = await app.flow.purchaseProduct("export")
        #expect(result.outcome == .cancelled && app.sales == 0)
    }

    @Test("[OTP-2.4] a purchase that the customer cancels in the store costs nothing, and can be started again")
    func cancelledInStore() async throws {
        let app = try app(faults: [Fault(at: .purchase, when: .nth(1), do: .fail(code: "user-cancelled"))])
        let result = await app.flow.purchaseProduct("export")
        #expect(result.outcome == .cancelled && result.sale == .notSold && result.error == nil)
        #expect(await app.flow.purchaseProduct("export").sale == .sold)
    }

    @Test("[OTP-2.6] the step of a purchase is observable, and nothing runs after it")
    func activity() async throws {
        let app = try app()
        let updates = app.flow.activityUpdates()
        var seen: [OneTimeActivity] = []
        func next() async {
            for await activity in updates {
                seen.append(activity)
                break
            }
        }
        await next()
        app.dialogue.whileOpen = { await next() }
        _ = await app.flow.purchaseProduct("export")
        await next()
        #expect(seen.map(\.purchase?.step) == [nil, .confirming, nil])
        #expect(seen.map(\.isLoading) == [false, true, false] && seen[1].purchase?.productID == "export")
        #expect(app.dialogue.steps == [.confirming])
    }

    @Test("[OTP-F1] an owned product returns at once without a dialogue and a sale; after a refund it is sold")
    func owned() async throws {
        let app = try app()
        let bought = try #require(await app.flow.purchaseProduct("export").purchase)
        let again = await app.flow.purchaseProduct("export")
        #expect(again.outcome == .alreadyOwned && again.sale == .notSold && again.isHandedOver)
        #expect(again.purchase == bought && app.sales == 1 && app.dialogue.proposals.count == 1)

        try app.simulator.perform { try $0.refund(bought.id.transactionID) }
        let afterRefund = await app.flow.purchaseProduct("export")
        #expect(afterRefund.outcome == .success && afterRefund.sale == .sold)
        #expect(app.sales == 2 && app.dialogue.proposals.count == 2)
        #expect(try await app.flow.getActivePurchases().map(\.id) == [afterRefund.purchase?.id])
        #expect(try await app.flow.getPurchase(bought.id.transactionID)?.isRevoked == true)
    }

    @Test("[OTP-F1] an owned product is not sold again while the store cannot say whether it was refunded")
    func ownedOffline() async throws {
        let app = try app()
        _ = await app.flow.purchaseProduct("export")
        app.simulator.isOnline = false
        let result = await app.flow.purchaseProduct("export")
        #expect(result.error?.code == .networkError && result.sale == .notSold)
        #expect(app.dialogue.proposals.count == 1 && app.sales == 1)
    }

    @Test("[OTP-F1] one purchase runs at a time: calls for its product share it, and any other call fails")
    func oneAtATime() async throws {
        let app = try app()
        var other: PurchaseReport?
        app.dialogue.whileOpen = { other = await app.flow.purchaseProduct("coins") }
        async let first = app.flow.purchaseProduct("export")
        async let second = app.flow.purchaseProduct("export")
        let results = await [first, second]
        #expect(results[0] == results[1] && results[0].outcome == .success)
        #expect(app.sales == 1 && app.dialogue.proposals.count == 1)
        #expect(other?.outcome == .failed(PurchaseFlowError(.purchaseInProgress, "")))
        #expect(other?.sale == .notSold && other?.error?.isRetryable == true)
    }

    @Test("[OTP-F1] [OTP-F4] a purchase that does not verify leaves no record and is logged for support")
    func notVerified() async throws {
        let app = try app(faults: [Fault(at: .signing, do: .flipBit)])
        let result = await app.flow.purchaseProduct("export")
        #expect(result.flowCode == .verificationFailed && result.error?.reason == .notSigned)
        #expect(result.error?.isRetryable == false && result.sale == .undecided && !result.isHandedOver)
        #expect(result.purchase == nil)
        #expect(try await app.records.getAllPurchases().isEmpty && !app.grants("export"))
        let kinds = app.log.events.map(\.kind)
        #expect(kinds.contains(.unverified) && kinds.contains(.flowFailed))
        let deliveries = try await app.simulator.customer("customer").unfinishedTransactions()
        #expect(deliveries.count == 1)
        for delivery in deliveries {
            #expect(!app.log.events.contains { $0.detail.contains(delivery.signedText.prefix(40)) })
        }
    }

    @Test("with purchases switched off the store is not called, and restore and the recorded purchases go on")
    func disabled() async throws {
        let selling = try app()
        let bought = try #require(await selling.flow.purchaseProduct("export").purchase)
        selling.simulator.isOnline = false
        let app = try SellingApp(selling.simulator, try files.open(), sells: false)
        let result = await app.flow.purchaseProduct("suite")
        // A call of the store would have failed with a network error.
        #expect(result.outcome == .failed(.purchasesDisabled) && result.sale == .notSold)
        #expect(app.dialogue.proposals.isEmpty && app.sales == 1)
        #expect(try await app.flow.getActivePurchases() == [bought])
        #expect(app.grants("export"))
        selling.simulator.isOnline = true
        #expect(await app.flow.restorePurchases().outcome == .alreadyRestored)
    }

    @Test("[OTP-8.4] a purchase is refused during a recovery, also if that begins while the dialogue is open")
    func recovery() async throws {
        let app = try app()
        let flow = app.flow
        let refused = try await app.recovery.run { await flow.purchaseProduct("export") }
        #expect(refused.outcome == .failed(PurchaseFlowError(.recoveryInProgress, "")) && refused.sale == .notSold)
        #expect(app.dialogue.proposals.isEmpty)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        var recovering: Task<Void, any Error>?
        app.dialogue.whileOpen = {
            recovering = Task {
                try await app.recovery.run {
                    start.finish()
                    for await _ in ended {}
                }
            }
            for await _ in started {}
        }
        let late = await app.flow.purchaseProduct("export")
        end.finish()
        try await recovering?.value
        #expect(late.outcome == .failed(PurchaseFlowError(.recoveryInProgress, "")) && late.sale == .notSold)
        app.dialogue.whileOpen = nil
        #expect(app.sales == 0)
        #expect(await app.flow.purchaseProduct("export").outcome == .success)
    }

    @Test("[OTP-2.3] a purchase that cannot be recorded is sold, is not lost, and is recorded and handed over later")
    func notRecorded() async throws {
        let app = try app()
        app.ledger.failWrites(DatabaseError(.diskFull, "the disk is full"))
        let result = await app.flow.purchaseProduct("export")
        #expect(result.outcome == .pending(.notRecorded) && !result.isHandedOver && !result.offersRetry)
        #expect(result.purchase == nil && !app.grants("export"))
        #expect(try await app.records.getAllPurchases().isEmpty)
        app.ledger.failWrites(nil)
        await app.flow.start().value
        #expect(try await app.flow.getActivePurchases().map(\.productID) == ["export"])
        await app.entitlements.refresh()
        #expect(app.grants("export") && app.sales == 1)
        app.flow.stop()
    }

    @Test("[OTP-2.3] a process that ends before a purchase is recorded records it at the next launch")
    func recordedAtLaunch() async throws {
        let app = try app()
        app.ledger.failWrites(DatabaseError(.busy, "locked"))
        _ = await app.flow.purchaseProduct("export")
        #expect(try await app.records.getAllPurchases().isEmpty)
        let restarted = try SellingApp(app.simulator, try files.open())
        await restarted.flow.start().value
        #expect(try await restarted.records.getAllPurchases().map(\.productID) == ["export"])
    }

    @Test("[OTP-2.3] a purchase whose record cannot be read is sold, recorded and handed over")
    func unreadableRecord() async throws {
        let app = try app()
        app.dialogue.whileOpen = { app.ledger.failReads(DatabaseError(.inputOutput, "the disk has failed")) }
        let result = await app.flow.purchaseProduct("export")
        #expect(result.outcome == .success && result.sale == .sold && result.isHandedOver)
        #expect(result.purchase == nil && app.grants("export"))
        #expect(result.error?.messageKey == .notSaved && result.error?.isRetryable == false)
        #expect(result.flowCode == nil && !result.offersRetry)
        app.ledger.failReads(nil)
        #expect(try await app.flow.getActivePurchases().map(\.productID) == ["export"])
    }

    @Test("[OTP-F1] a purchase that could not be recorded, because the database cannot be read, is not started")
    func unreadable() async throws {
        let app = try app()
        app.ledger.failReads(DatabaseError(.damaged, "damaged"))
        let result = await app.flow.purchaseProduct("export")
        #expect(result.flowCode == .databaseError && result.error?.isRetryable == true && result.sale == .notSold)
        #expect(app.sales == 0 && app.dialogue.proposals.isEmpty)
        let error = await #expect(throws: PurchaseError.self) { try await app.flow.getActivePurchases() }
        #expect(error?.flowCode == .databaseError)
    }

    @Test("[OTP-F4] offline the cached product is shown with a warning, and access goes on")
    func offline() async throws {
        let online = try app()
        _ = await online.flow.purchaseProduct("suite")
        _ = await online.repository.loadProductMetadata(["export"])
        online.simulator.isOnline = false
        let app = try SellingApp(online.simulator, try files.open())
        let result = await app.flow.purchaseProduct("export")
        let proposal = try #require(app.dialogue.proposals.first)
        #expect(proposal.item?.source == .cache && proposal.item?.product.id == "export")
        #expect(proposal.warning?.code == .networkError)
        #expect(result.error?.code == .networkError && result.error?.isRetryable == true && app.sales == 1)
        #expect(!result.offersRetry, "the store was asked to sell")
        #expect(try await app.flow.getActivePurchases().map(\.productID) == ["suite"])
        await app.entitlements.refresh()
        #expect(app.grants("print"))
    }

    @Test("a product that the store does not sell is not proposed")
    func unknownProduct() async throws {
        let app = try app()
        let result = await app.flow.purchaseProduct("none")
        #expect(result.error?.code == .productUnavailable && result.sale == .notSold)
        #expect(result.error?.productID == "none" && result.error?.platform == .ios)
        #expect(app.dialogue.proposals.isEmpty)
    }
}
