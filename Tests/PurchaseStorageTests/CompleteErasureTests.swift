import Foundation
import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("Deletion of everything", .timeLimit(.minutes(15)))
struct CompleteErasureTests {
    private let files = TestDatabase()
    private let simulator: StoreSimulator

    init() throws {
        simulator = try SimulatedApp.simulator()
    }

    /// Delivers granted coins of no account, or delivers them again.
    private func deliverCoins(_ id: String, to database: PurchaseDatabase) async throws -> [RecordOutcome?] {
        let sample = try PurchaseSample.purchase(id, "coins") { $0.type = .consumable }
        let coins = VerifiedPurchase(sample.transaction, .jws("jws-of-\(id)"))
        let ledger = DatabaseLedger(database)
        let delivery = SignedTransaction(jws: "jws-of-\(id)", transactionID: id, productID: "coins")
        _ = try await ledger.observe(delivery, from: .history, at: SimulatedApp.start)
        _ = try await ledger.markVerified(coins.transaction, signedText: "jws-of-\(id)")
        let outcome = try await ledger.record(coins.transaction, signedText: "jws-of-\(id)", for: nil)
        if outcome == .inserted {
            let start = SimulatedApp.start
            let claim = try await ledger.claimFulfilment(of: coins.transaction.purchaseKey, from: start, until: start)
            try await ledger.markGranted(
                signedText: "jws-of-\(id)", .granted(productID: "coins", quantity: 1), under: try #require(claim))
        }
        return [outcome, try await PurchaseRecords(database, nil).recordPurchase(coins)]
    }

    /// Fills each table for an app without accounts, and for a user; returns texts that identify the purchases.
    private func fill(_ database: PurchaseDatabase) async throws -> [String] {
        let app = SimulatedApp(simulator, database)
        for productID in ["pro.yearly", "coins", "pro.lifetime"] {
            let answer = await app.service.purchase(productID: productID)
            guard case .success(verified: true) = answer else {
                Issue.record("\(productID) was not sold: \(answer)")
                continue
            }
        }
        let ledger = DatabaseLedger(database)
        var texts: [String] = []
        for entry in try await ledger.entries() {
            texts.append(entry.transaction.transactionID)
            texts += entry.transaction.signedText.split(separator: ".").map { String($0.suffix(24)) }
        }
        #expect(try await deliverCoins("number-of-coins", to: database) == [.inserted, .unchanged])
        var renewal = JWSRenewalInfoDecodedPayload()
        renewal.originalTransactionId = "number-of-renewal"
        renewal.signedDate = SimulatedApp.start
        try await ledger.record(#require(RenewalInfo(renewal)), jws: "jws-of-renewal")
        let forged = SignedTransaction(jws: "forged-jws", transactionID: "number-of-forged", productID: "pro.lifetime")
        _ = try await ledger.observe(forged, from: .update, at: SimulatedApp.start)
        try await ledger.quarantine(signedText: "forged-jws", because: .signatureInvalid)
        _ = try await ledger.updateMemory { memory in
            memory.pending.append(PendingPurchase(productID: "coins", since: SimulatedApp.start))
            memory.clock.recordClock(SimulatedApp.start)
        }
        for (user, id) in [(nil, "number-of-no-user"), (PurchaseSample.alice, "number-of-alice")] {
            _ = try await PurchaseRecords(database, user).recordPurchase(PurchaseSample.purchase(id))
            let analytics = DatabaseAnalytics(
                database, user: user.map { .signedIn($0) } ?? .signedOut,
                environment: PurchaseEnvironment(clock: { SimulatedApp.start }))
            #expect(try await !analytics.waitingEvents(limit: 9).isEmpty)
        }
        let log = DatabaseLog(database, environment: PurchaseEnvironment(clock: { SimulatedApp.start }))
        let event = PurchaseLogEvent(.storeFailed, transactionID: "number-of-no-user", detail: "offline")
        try await log.append([LogEntry(event, at: SimulatedApp.start)])
        try await log.markReported(try #require(try await log.unreportedCase(of: "1")), at: SimulatedApp.start)
        let product = Product(
            id: "coins", type: .consumable, displayName: "Coins", description: "", price: Milliunits(990),
            currency: "USD", displayPrice: "$0.99", isFamilyShareable: false)
        try await DatabaseProducts(database).cacheProducts([product])
        return texts + ["number-of-", "jws-of-", PurchaseSample.alice.rawValue, "pro.lifetime"]
    }

    @Test("No table and no file has anything of an app without accounts, and its coins are not granted again [OTP-9.5]")
    func leavesNothing() async throws {
        let database = try files.open()
        let texts = try await fill(database)
        let content = try files.files().values
        for text in texts where !text.hasPrefix("jws") && text != PurchaseSample.alice.rawValue && text.count < 24 {
            #expect(content.contains { $0.range(of: Data(text.utf8)) != nil }, "\(text)")
        }
        try FileManager.default.copyItem(atPath: files.path, toPath: files.path + ".damaged-20251009T085320000Z")
        let tables = StoredTable.all.map(\.name) + ["claims"]
        let kept: Set = ["tombstones", "tombstone_keys", "memory", "recoveries"]
        for table in tables where !kept.contains(table) && table != "claims" {
            #expect(try files.integer("SELECT count(*) FROM \(table)") ?? 0 > 0, "\(table)")
        }

        let erased = try await database.eraseEverything()
        #expect(erased == ErasedUser(purchases: 6, events: 12, ledgerEntries: 7))
        for table in tables where !kept.contains(table) {
            #expect(try files.integer("SELECT count(*) FROM \(table)") == 0, "\(table)")
        }
        for (name, bytes) in try files.files() {
            for text in texts { #expect(bytes.range(of: Data(text.utf8)) == nil, "\(name): \(text)") }
        }
        #expect(try files.files().keys.allSatisfy { !$0.contains("damaged") })
        let memory = try await DatabaseLedger(database).memory()
        #expect(memory == LedgerMemory(clock: memory.clock))
        #expect(memory.clock.device != nil, "deleting everything does not undo the marks")
        let conflict = RecordOutcome.conflict(.belongsToAnotherAccount)
        #expect(try await deliverCoins("number-of-coins", to: database) == [conflict, conflict])
        #expect(try await database.recover() == nil)
    }

    @Test("What is not a consumable is recorded again after everything was deleted [OTP-9.4]")
    func restores() async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database, nil)
        for _ in 0..<2 {
            #expect(try await purchases.recordPurchase(PurchaseSample.purchase("1")) == .inserted)
            #expect(try await database.eraseEverything().purchases == 1)
        }
    }
}
