import Foundation
import Testing

/// Checks that the tools in Python share one environment with exact versions, and that CI never skips a check.
@Suite("Python tools")
struct PythonToolTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: PackageFiles.root.appending(path: path), encoding: .utf8)
    }

    /// Runs a script of bash in the package's folder; returns its exit code and its messages.
    private func run(_ script: String, _ variables: [String: String] = [:]) throws -> (code: Int32, messages: String) {
        let process = Process()
        let messages = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["bash", "-c", script]
        process.currentDirectoryURL = PackageFiles.root
        var environment = ProcessInfo.processInfo.environment
        environment["CI"] = nil
        process.environment = environment.merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = messages
        try process.run()
        let output = try messages.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test(
        "every required package has an exact version and a hash",
        arguments: [
            "Tools/support/requirements", "Tools/support/requirements-packages", "Tools/support/browser/requirements",
        ])
    func versionsArePinned(list: String) throws {
        let lines = try text("\(list).txt").components(separatedBy: "\n")
        let packages = lines.indices.filter { lines[$0].first?.isLetter ?? false }
        #expect(packages.count > 2)
        for index in packages {
            #expect(lines[index].contains("=="), "\(lines[index])")
            #expect(lines[index + 1].contains("--hash=sha256:"), "\(lines[index])")
        }
        let chosen = try text("\(list).in").components(separatedBy: "\n")
        for package in chosen where package.contains("==") && !package.hasPrefix("#") {
            #expect(lines.contains { $0.hasPrefix("\(package) ") }, "\(list).txt is older: \(package)")
        }
    }

    @Test("only Tools/support/python starts an interpreter by name")
    func oneEnvironment() throws {
        let folder = PackageFiles.root.appending(path: "Tools").path()
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        for path in names.map({ "Tools/\($0)" }) where path != "Tools/support/python" && !path.contains(".build/") {
            guard let text = try? text(path) else { continue }
            #expect(!text.contains("python3 "), "\(path) does not use Tools/support/python")
            #expect(!text.contains("env python"), "\(path) does not use Tools/support/python")
        }
    }

    @Test("Tools/support/python says that Python is missing, and fails")
    func missingPythonIsReported() throws {
        let outcome = try run("Tools/support/python", ["PYTHON": "no-such-python"])
        #expect(outcome.code == 2)
        #expect(outcome.messages.contains("Python cannot be had: no-such-python is missing"), "\(outcome.messages)")
    }

    @Test("a skipped check is a failure in CI, and is repeated at the end elsewhere")
    func skippedChecks() throws {
        let script = """
            source Tools/support/set-up.sh; source Tools/support/skipped.sh
            skip "the first check"; skip "the second check"; echo end >&2; report_skipped
            """
        let local = try run(script)
        #expect(local.code == 0)
        let lines = local.messages.components(separatedBy: "\n")
        let end = try #require(lines.firstIndex(of: "end"), "\(local.messages)")
        #expect(lines[(end + 1)...].filter { $0.contains("skipped: the") }.count == 2)
        let continuous = try run(script, ["CI": "true"])
        #expect(continuous.code == 2)
        #expect(continuous.messages.contains("a check cannot run in CI: the first check"))
        #expect(!continuous.messages.contains("end"))
    }
}
