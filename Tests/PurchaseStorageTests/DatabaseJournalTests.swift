import Foundation
import JournalConformance
import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("DatabaseLedger")
struct DatabaseJournalTests {
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

    private var checker: JournalChecker {
        JournalChecker(isShared: true, storage: { TestDatabase() }, open: { DatabaseLedger(try $0.open()) })
    }

    @Test("The journal keeps every rule of the port, also when two processes share its file")
    func conformance() async throws {
        #expect(checker.checkedRules == JournalChecker.rules)
        for violation in await checker.violations() { Issue.record("\(violation)") }
    }

    // All rules take too long to check them for each mutation in Tools/mutations.
    @Test(
        "The journal keeps the rules of claims, stages, compaction, signatures and memory that it has own code for",
        arguments: [
            "claims-exclude", "grant-needs-claim", "out-of-order", "compact-replaced", "renewals-latest",
            "return-reopens", "memory-whole",
        ])
    func rule(_ name: String) async {
        #expect(JournalChecker.rules.contains { $0.name == name })
        for violation in await checker.violations(ofRules: [name]) { Issue.record("\(violation)") }
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
        try files.execute("UPDATE journal_entries SET \(change)")
        let damage = DamageRecorder()
        let app = try offlineApp(damage, user: user)
        #expect(try await !app.isPro)
        #expect(damage.tables == ["journal_entries"])
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
        try files.execute("UPDATE journal_entries SET product_id = 'pro.yearly'")
        let app = SimulatedApp(simulator, try files.open())
        #expect(try await app.isPro)
        let damage = DamageRecorder()
        #expect(try await offlineApp(damage).isPro)
        #expect(damage.tables.isEmpty)
    }

    @Test("Two connections that write at the same time lose no delivery and double none [OTP-3.1]")
    func sharedByTwoConnections() async throws {
        let journals = [DatabaseLedger(try files.open()), DatabaseLedger(try files.open())]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for journal in journals {
                for number in 0..<200 {
                    group.addTask {
                        let transaction = SignedTransaction(
                            jws: "jws-\(number)", transactionID: "\(number)", productID: "coins")
                        _ = try await journal.observe(transaction, from: .update, at: SimulatedApp.start)
                    }
                }
            }
            try await group.waitForAll()
        }
        let entries = try await journals[0].entries()
        #expect(Set(entries.map(\.transaction.signedText)).count == 200)
        #expect(entries.count == 200)
    }

    @Test("The memory keeps the changes of two connections [OTP-3.1]")
    func sharedMemory() async throws {
        let journals = [DatabaseLedger(try files.open()), DatabaseLedger(try files.open())]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    _ = try await journals[number % 2].updateMemory { memory in
                        memory.pending.append(PendingPurchase(productID: "\(number)", since: SimulatedApp.start))
                    }
                }
            }
            try await group.waitForAll()
        }
        let memory = try await journals[0].memory()
        #expect(Set(memory.pending.map(\.productID)).count == 100)
    }
}
