import CommandLineInterface
import Foundation
import LocalStore
import PurchaseAssembly
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import Testing
import TimerSupport
import TranscriptSupport

@testable import example_app
@testable import purchases
@testable import verify_receipt

/// The flags with which `purchases verify` and `verify-receipt` say what is required of a receipt.
@Suite("Flags that purchases shares with verify-receipt", .timeLimit(.minutes(15)))
@MainActor
struct SharedFlagTests {
    private nonisolated static let shared = purchases.Flag.allCases.filter { $0.definition.section == .requirements }

    @Test("a flag has the name, the values and the variable of the same flag of verify-receipt", arguments: shared)
    func definitions(flag: purchases.Flag) throws {
        let other = try #require(verify_receipt.Flag.allCases.map(\.definition).first { $0.name == flag.name })
        let own = flag.definition
        #expect(own.short == other.short)
        #expect(own.value?.name == other.value?.name && own.acceptedWords == other.acceptedWords)
        #expect(own.isRepeatable == other.isRepeatable && own.isNegatable == other.isNegatable)
        #expect((own.variable == .standard) == (other.variable == .standard))
        #expect(own.commands == purchases.Command.verifying)
    }

    /// The result of one receipt, of either tool.
    private struct Result: Decodable {
        let type: String
        let verdict: String?
        let code: String?
    }

    private func results(_ lines: [String]) throws -> [String] {
        try lines.map { try JSONDecoder().decode(Result.self, from: Data($0.utf8)) }.filter { $0.type == "result" }
            .map { "\($0.verdict ?? "") \($0.code ?? "")" }
    }

    @Test("each flag decides as in verify-receipt, and each one changes what is decided")
    func verdicts() async throws {
        let runner = try TranscriptRunner(.purchases, samples: "Tests/PurchasesToolTests/Transcripts")
        let simulator = StoreSimulator(
            configuration: StoreConfiguration(products: NotesApp.products),
            signer: try SimulatorSigner(folder: runner.folder.appending(path: "store").path()),
            state: SimulatorState(
                seed: 1, now: try #require(Timestamp(milliseconds: 1_760_000_000_000)),
                app: SimulatedApp(bundleID: "com.example.app"), accounts: ["customer"]))
        let folder = PurchaseFolder(runner.folder.appending(path: "app").path())
        var setup = try NotesApp.setup(simulator)
        setup.environment.timer = StoppedTimer()
        let stack = try await NotesApp(setup, in: folder).purchases
        for product in ["notes.export", "notes.yearly", "notes.coins"] { _ = await stack.flow.purchaseProduct(product) }
        let refunded = try #require(simulator.state.transactions.first { $0.productID == "notes.export" })
        try simulator.perform { engine in _ = try engine.refund(refunded.id) }
        await stack.refresh()
        await stack.stop()

        let root = "--root store/root.der"
        let digest = try runner.run("sha256sum store/leaf.der | cut -c1-64").output.joined()
        var seen: Set<[String]> = []
        for flags in [
            root, "", "--only-given-roots", "\(root) --only-given-roots", "\(root) -b com.example.app",
            "\(root) -b com.example.other", "\(root) -e Sandbox", "\(root) -e Production", "\(root) --refuse-revoked",
            "\(root) --strict -b com.example.app -e Sandbox", "\(root) --distrust \(digest)",
        ] {
            let own = try results(try runner.run("purchases verify -q -d app --json \(flags)").output)
            let batch = "purchases export -q -d app | verify-receipt batch -q --json \(flags)"
            let other = try results(try runner.run(batch).output)
            #expect(own.count >= 4 && own == other, "\(flags)")
            seen.insert(own)
        }
        #expect(seen.count == 8, "with the root, the app or the environment given, all receipts are verified")
        for tool in ["purchases verify -d app", "purchases export -d app | verify-receipt batch"] {
            let outcome = try runner.run("\(tool) \(root) --play-key com.example.app=store/root.der")
            #expect(outcome.errorOutput.contains { $0.contains("store/root.der cannot be used as a key") }, "\(tool)")
        }
    }
}
