import Foundation
import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import Testing
import TranscriptSupport

@testable import PurchaseStorage
@testable import example_app

/// Runs `purchases` as a process over the files of an app that has them open.
@Suite("purchases beside an app", .timeLimit(.minutes(15)))
@MainActor
struct OpenDatabaseTests {
    private let runner: TranscriptRunner
    private let simulator: StoreSimulator
    private let alice = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
    private let bob = UUIDText("11111111-c51c-4bf4-9960-e1c80e27aba0")

    init() throws {
        runner = try TranscriptRunner(.purchases, samples: "Tests/PurchasesToolTests/Transcripts")
        let start = Timestamp(milliseconds: 1_760_000_000_000) ?? .minimum
        simulator = try StoreSimulator(selling: NotesApp.products, now: start)
    }

    private var folder: PurchaseFolder { PurchaseFolder(runner.folder.appending(path: "app").path()) }

    /// An app in which two users have bought something.
    private func launch() async throws -> PurchaseStack {
        var setup = try NotesApp.setup(simulator)
        setup.user = .signedIn(alice)
        let stack = try await NotesApp(setup, in: folder).purchases
        _ = await stack.flow.purchaseProduct("notes.export")
        await stack.signIn(bob)
        _ = await stack.flow.purchaseProduct("notes.coins")
        return stack
    }

    /// The contents of a database and its log.
    private func files(in folder: String) -> [Data?] {
        ["", "-wal"].map { suffix in
            try? Data(contentsOf: runner.folder.appending(path: "\(folder)/purchases.sqlite\(suffix)"))
        }
    }

    /// Runs the commands that read, and checks that the database in a folder stays as it is.
    private func readAll(_ folder: String) throws {
        let before = files(in: folder)
        for command in ["list", "show 1 || true", "verify -q || true", "export", "check"] {
            let outcome = try runner.run("PURCHASES_DATA=\(folder) purchases \(command)")
            #expect(outcome.code == 0, "\(folder): \(command): \(outcome)")
            #expect(files(in: folder) == before, "\(folder): \(command)")
        }
    }

    @Test("no command that reads changes the database of an app that runs, was killed or has ended")
    func readOnly() async throws {
        let stack = try await launch()
        try readAll("app")
        // As a kill leaves it: a log with content, which no process has open.
        _ = try runner.run("cp -r app copy && rm -f copy/purchases.sqlite-shm")
        try readAll("copy")
        // Another process moves the log into the file when it ends.
        #expect(try runner.run("purchases erase 22222222-c51c-4bf4-9960-e1c80e27aba0 -d copy").code == 1)
        try readAll("copy")
        let names = ["keys", "purchases.sqlite", "purchases.sqlite-lock", "secrets"]
        #expect(try runner.run("ls copy").output == names, "no log is left behind")
        withExtendedLifetime(stack) {}
    }

    @Test("a purchase is listed with the account that the journal names, and only export prints a signed payload")
    func accounts() async throws {
        let stack = try await launch()
        let list = try runner.run("purchases list -d app")
        #expect(list.output.count == 2)
        #expect(list.output.first?.contains(alice.rawValue) == true && list.output.last?.contains(bob.rawValue) == true)
        let own = try runner.run("purchases list -d app --user \(alice.rawValue.uppercased())")
        #expect(own.output.count == 1 && own.output.first?.contains("notes.export") == true)
        let exported = try runner.run("purchases export -d app").output
        #expect(exported.count >= 2)
        let id = try #require(list.output.first?.split(separator: " ").first)
        for command in ["list --json", "show \(id)", "show \(id) --json", "verify -q", "verify -q --json", "check"] {
            let text = try runner.run("purchases \(command) -d app").output.joined()
            #expect(!text.contains("eyJ"), "\(command)")
        }
        #expect(exported.allSatisfy { $0.contains("\"receipt\":\"eyJ") })
        #expect(try await stack.records.getAllPurchases().count == 1)
    }

    @Test("a changed row is left out with a warning, and a changed payload is unverified [OTP-7.5]")
    func changedRows() async throws {
        await (try await launch()).stop()
        let connection = try SQLiteConnection(path: folder.databasePath, busyTimeout: 60_000)
        try connection.execute("UPDATE purchases SET product_id = 'notes.yearly' WHERE id = 1")
        try connection.execute("UPDATE signed_texts SET sealed = x'00' WHERE rowid = 1")
        let list = try runner.run("purchases list -d app")
        #expect(list.output.count == 1)
        #expect(list.errorOutput.first?.contains("a row of purchases has a wrong seal") == true)
        let verify = try runner.run("purchases verify -d app")
        #expect(verify.code == 1 && verify.output.contains { $0.contains("payload-unreadable") })
        #expect(try runner.run("purchases check -d app").code == 1)
    }

    @Test("erasing a user beside a running app deletes its purchases and receipts, and the app goes on [OTP-9.5]")
    func erase() async throws {
        let stack = try await launch()
        let outcome = try runner.run("purchases erase \(alice.rawValue) -d app")
        #expect(outcome.code == 0 && outcome.output.first?.hasPrefix("deleted: 1 purchases") == true, "\(outcome)")
        #expect(try runner.run("purchases list -d app --user \(alice.rawValue)").output.isEmpty)
        #expect(try runner.run("purchases export -d app").output.allSatisfy { !$0.contains(alice.rawValue) })
        #expect(try await stack.records.getAllPurchases().map(\.productID) == ["notes.coins"])
        #expect(try runner.run("purchases erase \(alice.rawValue) -d app").code == 1)
    }
}
