import Foundation
import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import ReceiptVerification
import SQLite
import Testing
import TimerSupport
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
        setup.environment.timer = StoppedTimer()
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
        let list = try runner.run("purchases list -d \(folder)").output
        let id = try #require(list.first?.split(separator: " ").first)
        // The root of the simulator is not one that the tool trusts.
        for (command, code) in [("list", 0), ("show \(id)", 0), ("verify", 1), ("export", 0), ("check", 0)] {
            let outcome = try runner.run("PURCHASES_DATA=\(folder) purchases \(command) -q")
            #expect(outcome.code == code && outcome.errorOutput.isEmpty, "\(folder): \(command): \(outcome)")
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

    @Test("a purchase is listed with the account that the ledger names, and only export prints a signed payload")
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

    /// Runs SQL as another program would, which has no key.
    private func change(_ sql: String) throws {
        try SQLiteConnection(path: folder.databasePath, busyTimeout: 60_000).execute(sql)
    }

    @Test("results without a changed row are reported as incomplete, also when quiet [OTP-7.5]")
    func changedRow() async throws {
        await (try await launch()).stop()
        let list = try runner.run("purchases list -d app")
        #expect(list.code == 0 && list.errorOutput.isEmpty)
        let id = try #require(list.output.last?.split(separator: " ").first)
        try change("UPDATE purchases SET product_id = 'notes.yearly' WHERE id = 1")
        for command in ["list", "list --json", "show \(id)", "export", "export -o receipts"] {
            let outcome = try runner.run("purchases \(command) -q -d app")
            #expect(outcome.code == 1, "\(command): \(outcome)")
            let name = "purchases: a row of purchases has a wrong seal and is left out: 1"
            #expect(outcome.errorOutput.first == name, "\(command)")
            #expect(outcome.errorOutput.count == 2, "the row and one hint: \(command)")
        }
        #expect(try runner.run("purchases list -q -d app").output.map { $0.hasPrefix(id) } == [true])
        #expect(try runner.run("wc -l < receipts").output != ["0"], "what can be read is exported")
    }

    @Test("without a ledger entry that was changed, receipts that are all verified are not a success [OTP-7.5]")
    func changedEntry() async throws {
        let data = runner.folder.appending(path: "data").path()
        #expect(try runner.run("mkdir data && example-app data 0").code == 0)
        let verify = "purchases verify -q -d data/app --root data/store/root.der"
        #expect(try runner.run(verify).code == 0)
        let connection = try SQLiteConnection(path: "\(data)/app/purchases.sqlite", busyTimeout: 60_000)
        try connection.execute("UPDATE deliveries SET product_id = 'notes.yearly' WHERE number = 1")
        let outcome = try runner.run(verify)
        #expect(outcome.code == 1 && outcome.output.last == "4 receipts: 4 verified, 0 unverified, 0 undecided")
        #expect(outcome.errorOutput.first?.contains("a row of deliveries has a wrong seal") == true)
    }

    @Test("an app receipt is exported, verified and imported, and only the app itself checks its device")
    func appReceipt() async throws {
        let root = try simulator.signer.appReceiptRootCertificate
        try Data(root).write(to: runner.folder.appending(path: "root.der"))
        var anchors = TrustAnchors()
        try anchors.add(root)
        var setup = try NotesApp.setup(simulator)
        // The receipts of the simulator are bound to the device of a server.
        setup.verifier = ReceiptVerifier(
            policy: VerificationPolicy(
                apps: [.init(bundleID: simulator.state.app.bundleID)],
                device: DeviceID("00000000-0000-0000-0000-000000000000")), trustAnchors: anchors,
            clock: simulator.clock)
        setup.environment.timer = StoppedTimer()
        let customer = try #require(simulator.state.accounts.first?.name)
        let receipt = [UInt8](try simulator.appReceipt(for: customer).utf8)
        for (name, files) in [
            ("app", folder), ("other", PurchaseFolder(runner.folder.appending(path: "other").path())),
        ] {
            let stack = try await NotesApp(setup, in: files).purchases
            if name == "app" {
                #expect(try await stack.entitlements.restore(appReceipt: receipt).verifiedPayload != nil)
            }
            await stack.stop()
        }
        let export = try runner.run("purchases export -q -d app | tee receipts")
        #expect(export.output.filter { $0.contains("\"app-receipt\"") }.count == 1, "\(export)")
        let verify = try runner.run("purchases verify -q -d app --root root.der")
        #expect(verify.output.first?.hasPrefix("verified: app-receipt app com.example.app") == true, "\(verify)")
        for summary in ["imported: 1, known: 0, refused: 0", "imported: 0, known: 1, refused: 0"] {
            let outcome = try runner.run("purchases import -q -d other --root root.der receipts")
            #expect(outcome.output.last == summary, "\(outcome)")
        }
        #expect(try runner.run("purchases export -q -d other | cmp - receipts").code == 0)
        #expect(
            try runner.run("purchases import -q -d other receipts").output.last == "imported: 0, known: 0, refused: 1")
    }

    @Test("a changed payload is unverified, and the export without it is incomplete [OTP-7.5]")
    func changedPayload() async throws {
        await (try await launch()).stop()
        try change("UPDATE signed_texts SET sealed = x'00' WHERE rowid = 1")
        let verify = try runner.run("purchases verify -q -d app")
        #expect(verify.code == 1 && verify.output.contains { $0.contains("payload-unreadable") })
        #expect(try runner.run("purchases list -q -d app").code == 0, "a payload is not listed")
        #expect(try runner.run("purchases export -q -d app").code == 1)
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

    @Test("erasing everything deletes the purchases of all users and of no account [OTP-9.5]")
    func eraseAll() async throws {
        await (try await launch()).stop()
        #expect(try runner.run("purchases erase \(alice.rawValue) --all -d app").code == 2)
        let outcome = try runner.run("purchases erase --all -d app")
        #expect(outcome.code == 0 && outcome.output.first?.hasPrefix("deleted: 2 purchases") == true, "\(outcome)")
        for command in ["list", "export"] {
            #expect(try runner.run("purchases \(command) -d app").output.isEmpty, "\(command)")
        }
        #expect(try runner.run("purchases check -d app").code == 0)
        let names = try await PurchaseFiles.open(folder).secrets.names()
        #expect(!names.contains("verification-keys") && names.contains(PurchaseFolder.databaseKeyName))
    }

    @Test("erasing an unknown user keeps the damaged files of a repair and names them")
    func eraseUnknown() async throws {
        await (try await launch()).stop()
        try change("UPDATE purchases SET product_id = 'notes.yearly' WHERE id = 1")
        #expect(try runner.run("purchases repair -d app").code == 0)
        _ = try runner.run(
            "cd app && umask 077 && mkdir secrets.damaged-1 && touch secrets.damaged-1/manifest keys/sealing.key.damaged-1"
        )
        let aside = try runner.run("ls app app/keys | grep damaged").output
        #expect(aside.count >= 3)
        let typo = try runner.run("purchases erase 22222222-c51c-4bf4-9960-e1c80e27aba0 -d app")
        #expect(typo.code == 1 && typo.errorOutput.count == 4, "\(typo)")
        for name in ["purchases.sqlite.damaged-", "secrets.damaged-1", "sealing.key.damaged-1"] {
            #expect(typo.errorOutput.contains { $0.contains(name) }, "\(name)")
        }
        #expect(try runner.run("ls app app/keys | grep damaged").output == aside)
        #expect(try runner.run("purchases erase \(bob.rawValue) -d app").code == 0)
        #expect(try runner.run("ls app app/keys | grep -c damaged").output == ["0"], "they can have rows of the user")
    }

    @Test("an erasure that fails after it has deleted the rows is finished by the next run [OTP-9.5]")
    func eraseAgain() async throws {
        await (try await launch()).stop()
        // A folder cannot be deleted as a file.
        let left = "app/purchases.sqlite.damaged-20251009T085320000Z"
        _ = try runner.run("mkdir \(left)")
        let first = try runner.run("purchases erase \(alice.rawValue) -d app")
        #expect(first.code == 2 && first.errorOutput.first?.contains("the rows are deleted, but") == true, "\(first)")
        #expect(first.errorOutput.last?.contains("run the same command again") == true)
        _ = try runner.run("rmdir \(left)")
        let second = try runner.run("purchases erase \(alice.rawValue) -d app")
        #expect(
            second.code == 0 && second.errorOutput == ["purchases: what an earlier erasure had left is deleted now"])
        #expect(try runner.run("purchases erase \(alice.rawValue) -d app").code == 1)
    }

    @Test("an import that is killed between two lines is completed by the next one [OTP-3.6]")
    func killedImport() throws {
        let script = """
            mkdir data other && example-app data 0 > app.txt
            sh -c 'example-app other 1; true' > killed.txt 2>&1
            purchases export -d data/app > receipts && mkfifo pipe
            command='purchases import -q -d other/app --root data/store/root.der'
            exec 3<> pipe
            $command pipe > out & id=$!
            head -n 2 receipts >&3
            for attempt in $(seq 600); do
                if [ "$(purchases list -q -d other/app | wc -l)" = 2 ]; then break; fi; sleep 0.1
            done
            kill -9 $id; wait $id 2> killed.txt
            $command receipts; $command receipts; purchases export -d other/app | cmp - receipts
            """
        let outcome = try runner.run(script)
        #expect(outcome.output == ["imported: 2, known: 2, refused: 0", "imported: 0, known: 4, refused: 0"])
        #expect(outcome.code == 0, "the same receipts in the same state: \(outcome)")
    }
}
