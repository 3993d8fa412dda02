import Foundation
import Testing
import TranscriptSupport

/// Runs the programs of the page "From Python, Node and shell" as they stand there.
///
/// The environment variable `CLIENT_REQUESTS` sets the number of requests.
@Suite("Programs of the documentation")
struct ClientTests {
    private static let page =
        "Sources/ReceiptVerification/ReceiptVerification.docc/FromPythonNodeAndShell.md"
    private static let folder = "Tests/VerifyReceiptTests/Client"
    private static let count = ProcessInfo.processInfo.environment["CLIENT_REQUESTS"] ?? "1000"
    /// Continuous integration must not leave a check out.
    private static let mustRun = ProcessInfo.processInfo.environment["CI"] == "true"

    private let runner: TranscriptRunner

    init() throws {
        runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: PackageFolder.url.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns the blocks of code of a language on the page.
    private func blocks(_ language: String) throws -> [String] {
        let parts = try text(Self.page).components(separatedBy: "```\(language)\n").dropFirst()
        return parts.compactMap { $0.components(separatedBy: "```\n").first }
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: runner.folder.appendingPathComponent(name))
    }

    private func writePolicy() throws {
        try write(
            #"""
            {"schema": "verify-receipt/config-1", "onlyGivenRoots": true,
             "roots": [{"file": "samples/root.der", "environments": ["Production", "Sandbox"]}],
             "apps": [{"bundleId": "com.example.app", "environments": ["Production", "Sandbox"]}]}
            """#, "policy.json")
    }

    /// Returns whether a program is installed; without it, the test can pass only outside of continuous integration.
    private func isInstalled(_ program: String) throws -> Bool {
        let isInstalled = try runner.run("command -v \(program)").code == 0
        #expect(isInstalled || !Self.mustRun, "\(program) is missing")
        return isInstalled
    }

    @Test("the Python program answers each request once, with killed, stopped and closed processes and hostile lines")
    func python() throws {
        guard try isInstalled("python3") else { return }
        let blocks = try blocks("python")
        #expect(blocks.count == 2)
        try write(blocks[0], "verify_receipt.py")
        try write(try text("\(Self.folder)/check_client.py"), "check_client.py")
        let outcome = try runner.run("python3 check_client.py \"$(command -v verify-receipt)\" samples \(Self.count)")
        #expect(outcome.code == 0, "\((outcome.output + outcome.errorOutput).suffix(10))")
        print(outcome.output.last ?? "")

        try writePolicy()
        try write(
            "from verify_receipt import VerifyReceipt\nreceipt = open('r.jws').read().strip()\n" + blocks[1], "use.py")
        let use = try runner.run("cp samples/transaction.jws r.jws; python3 use.py")
        #expect(use.output == ["200000000000042 com.example.app.premium.monthly"], "\(use.errorOutput)")
    }

    @Test("the Node program answers each request once, with many requests at once and a killed process")
    func node() throws {
        guard try isInstalled("node") else { return }
        let blocks = try blocks("javascript")
        #expect(blocks.count == 2)
        try write(blocks[0] + (try text("\(Self.folder)/check_client.js")), "check.js")
        let outcome = try runner.run("node check.js \"$(command -v verify-receipt)\" samples 100")
        #expect(outcome.code == 0, "\(outcome.output + outcome.errorOutput)")

        try writePolicy()
        let beginning = "const receipt = require('node:fs').readFileSync('r.jws', 'utf8').trim();\n"
        try write(blocks[0] + beginning + blocks[1], "use.js")
        let use = try runner.run("cp samples/transaction.jws r.jws; node use.js")
        #expect(use.output == ["200000000000042 com.example.app.premium.monthly"], "\(use.errorOutput)")
    }

    @Test("the lines for the shell do what the page says")
    func shell() throws {
        let blocks = try blocks("sh")
        #expect(blocks.count == 3)
        try writePolicy()
        _ = try runner.run("cp samples/transaction.jws . && cp samples/receipts.csv orders.csv")
        #expect(try runner.run(blocks[0]).output == ["verified"])
        _ = try runner.run("cp samples/tampered.jws transaction.jws")
        #expect(try runner.run(blocks[0]).output.first == "unverified")
        #expect(try runner.run(blocks[1]).code == 1)
        let table = try runner.run("cat checked.csv orders.csv | grep -c .").output
        let rows = try runner.run("cat orders.csv orders.csv | grep -c .").output
        #expect(table == rows, "one row for each row")
        #expect(try runner.run(blocks[2]).code == 1)
        #expect(try runner.run("grep -c '^{\"schema\":\"verify-receipt/result-1\"' results.jsonl").output == ["1"])
    }
}
