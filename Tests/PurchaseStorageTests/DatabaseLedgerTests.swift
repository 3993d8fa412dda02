import Foundation
import LedgerConformance
import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("DatabaseLedger")
struct DatabaseLedgerTests {
    private let files = TestDatabase()
    private let simulator: StoreSimulator

    init() throws {
        simulator = try SimulatedApp.simulator()
    }

    /// Buys a product, and closes the database.
    private func buy(_ productID: String, user: AppUser = .noAccounts) async throws {
        let app = SimulatedApp(simulator, try files.open(), user: user)
        let answer = await app.service.purchase(productID: productID)
        guard case .success(verified: true) = answer else {
            Issue.record("the purchase of \(productID) failed: \(answer)")
            return
        }
    }

    /// Launches the app while the store cannot be reached.
    private func offlineApp(
        _ damage: DamageRecorder = DamageRecorder(), user: AppUser = .noAccounts
    ) throws -> SimulatedApp {
        SimulatedApp(simulator, try files.open(damage: damage), isOnline: false, user: user)
    }

    @Test("What a read changes in a copy of its rows is undone")
    func readChangesNothing() async throws {
        let ledger = DatabaseLedger(try files.open())
        try await ledger.read(.readMemory) { (rows) throws(LedgerError) in
            var copy = rows
            try copy.put(LedgerMemory(pending: [PendingPurchase(productID: "coins", since: SimulatedApp.start)]))
        }
        #expect(try await ledger.memory() == LedgerMemory())
    }

    @Test("The ledger keeps every rule of the port, alone and when two processes share its file")
    func conformance() async throws {
        let checker = LedgerChecker(
            isShared: true, storage: { TestDatabase() }, open: { DatabaseLedger(try $0.open()) })
        #expect(checker.checkedRules == LedgerChecker.rules)
        for violation in await checker.violations() { Issue.record("\(violation)") }
    }

    @Test("A purchase unlocks its feature offline after a restart [OTP-3.4]")
    func unlocksOffline() async throws {
        try await buy("pro.lifetime")
        #expect(try await offlineApp().isPro)
    }

    @Test("The files contain neither the signed transactions nor other parts of them [OTP-9.1]")
    func sealsTexts() async throws {
        try await buy("pro.yearly")
        let entries = try await DatabaseLedger(try files.open()).entries()
        let jws = try #require(entries.first?.transaction.signedText)
        let contents = try files.files()
        #expect(contents.values.contains { $0.count > jws.utf8.count })
        for part in jws.split(separator: ".") {
            for (name, bytes) in contents {
                #expect(bytes.range(of: Data(part.utf8.prefix(40))) == nil, "\(name)")
            }
        }
    }

    @Test(
        "A row that another program has changed grants nothing and is reported [OTP-9.1]",
        arguments: [
            "product_id = 'pro.yearly'", "account_digest = NULL",
            "account_digest = zeroblob(32)", "stage = 2", "stage = 1", "transaction_id = '1'",
            "verified_id = '1'", "purchase_key = 'x'", "signed_date = signed_date + 1",
            "observed_at = observed_at - 1", "source = 'history'", "objection = ''", "quarantine_reason = 'x'",
            "facts_digest = zeroblob(32)", "common_digest = zeroblob(32)", "store = 'google-play'",
            "seal = zeroblob(28)", "seal = x''",
        ])
    func ignoresChangedRow(_ change: String) async throws {
        let user = AppUser.signedIn(UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0"))
        try await buy("pro.lifetime", user: user)
        try files.execute("UPDATE deliveries SET \(change)")
        let damage = DamageRecorder()
        let app = try offlineApp(damage, user: user)
        #expect(try await !app.isPro)
        #expect(damage.tables == ["deliveries"])
    }

    @Test("A signed text that was changed, or exchanged with another one, is reported and its entry ignored [OTP-9.1]")
    func ignoresChangedText() async throws {
        try await buy("pro.lifetime")
        try await buy("coins")
        try files.execute(
            """
            UPDATE signed_texts SET sealed = (SELECT sealed FROM signed_texts AS other
            WHERE other.digest <> signed_texts.digest LIMIT 1)
            """)
        let damage = DamageRecorder()
        #expect(try await !offlineApp(damage).isPro)
        #expect(damage.tables == ["signed_texts"])
    }

    @Test("A purchase counts again after the store has delivered the changed one again [OTP-3.6]")
    func recovers() async throws {
        try await buy("pro.lifetime")
        try files.execute("UPDATE deliveries SET product_id = 'pro.yearly'")
        let app = SimulatedApp(simulator, try files.open())
        #expect(try await app.isPro)
        let damage = DamageRecorder()
        #expect(try await offlineApp(damage).isPro)
        #expect(damage.tables.isEmpty)
    }

    @Test("Two connections that write at the same time lose no delivery and double none [OTP-3.1]")
    func sharedByTwoConnections() async throws {
        let ledgers = [DatabaseLedger(try files.open()), DatabaseLedger(try files.open())]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for ledger in ledgers {
                for number in 0..<200 {
                    group.addTask {
                        let transaction = SignedTransaction(
                            jws: "jws-\(number)", transactionID: "\(number)", productID: "coins")
                        _ = try await ledger.observe(transaction, from: .update, at: SimulatedApp.start)
                    }
                }
            }
            try await group.waitForAll()
        }
        let entries = try await ledgers[0].entries()
        #expect(Set(entries.map(\.transaction.signedText)).count == 200)
        #expect(entries.count == 200)
    }

    @Test("The memory keeps the changes of two connections [OTP-3.1]")
    func sharedMemory() async throws {
        let ledgers = [DatabaseLedger(try files.open()), DatabaseLedger(try files.open())]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    _ = try await ledgers[number % 2].updateMemory { memory in
                        memory.pending.append(PendingPurchase(productID: "\(number)", since: SimulatedApp.start))
                    }
                }
            }
            try await group.waitForAll()
        }
        let memory = try await ledgers[0].memory()
        #expect(Set(memory.pending.map(\.productID)).count == 100)
    }

    @Test("A purchase that two connections record and claim at the same time has one owner and one claim [OTP-3.1]")
    func sharedPurchase() async throws {
        let ledgers = [DatabaseLedger(try files.open()), DatabaseLedger(try files.open())]
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = "1"
        payload.originalTransactionId = "1"
        payload.productId = "coins"
        payload.type = .consumable
        payload.purchaseDate = SimulatedApp.start
        let transaction = try #require(Transaction(payload))
        let signed = SignedTransaction(jws: "jws", transactionID: "1", productID: "coins")
        let now = SimulatedApp.start
        let results = try await withThrowingTaskGroup(of: (RecordOutcome, FulfilmentClaim?).self) { group in
            for number in 0..<20 {
                group.addTask {
                    let ledger = ledgers[number % 2]
                    try await ledger.observe(signed, from: .update, at: now)
                    try await ledger.markVerified(transaction, signedText: "jws")
                    let outcome = try await ledger.record(
                        transaction, signedText: "jws", for: UUIDText("account \(number % 4 / 2)"))
                    let claim = try await ledger.claimFulfilment(
                        of: transaction.purchaseKey, from: now, until: now.adding(milliseconds: 1_000))
                    return (outcome, claim)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0.0 == .inserted } == 1)
        #expect(results.count { $0.0 == .conflict(.belongsToAnotherAccount) } == 10)
        #expect(results.count { $0.0 == .unchanged } == 9)
        #expect(results.count { $0.1 != nil } == 1)
        #expect(try await ledgers[0].entries().count == 1)
    }
}
