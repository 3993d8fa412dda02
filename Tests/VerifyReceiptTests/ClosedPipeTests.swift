import Foundation
import Testing
import TranscriptSupport

/// Runs the tool with an output that nothing reads, as `| head` leaves it.
@Suite("Output that is closed early")
struct ClosedPipeTests {
    private let samples = PackageFolder.url.appendingPathComponent("TestVectors/samples")

    /// Returns the exit code of a run whose first write fails.
    private func code(_ arguments: [String], in folder: URL) throws -> Int32 {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try BuiltTool.verifyReceipt.path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try output.fileHandleForReading.close()
        try process.runWithUsualSignals()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        return process.terminationStatus
    }

    @Test(
        "[CARD-6] the exit code is that of the results so far",
        arguments: [
            ("transaction.jws", 1), ("transaction.jws -r root.der", 0), ("inspect transaction.jws missing.jws", 2),
            ("verify transaction.jws missing.jws -r root.der", 2), ("explain transaction.jws", 1),
            ("explain transaction.jws -r root.der --json", 0), ("legacy-response transaction.jws", 1),
            ("batch transaction.jws", 1), ("batch transaction.jws -r root.der", 0),
            ("batch transaction.jws --line-buffered", 1), ("batch transaction.jws --count-by verdict", 1),
            ("batch transaction.jws --output-format csv --summary", 1), ("batch transaction.jws --report -", 1),
            ("batch transaction.jws transaction.jws --duplicates", 1), ("batch /dev/null --summary", 3),
            ("roots check root.der", 0), ("--help", 0), ("codes", 0),
        ] as [(String, Int32)])
    func codes(line: String, code expected: Int32) throws {
        #expect(try code(line.split(separator: " ").map(String.init), in: samples) == expected)
    }

    @Test("[CARD-6] a batch that is longer than the pipe ends with the code of its first results")
    func longBatch() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("closed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let jws = try String(contentsOf: samples.appendingPathComponent("transaction.jws"), encoding: .utf8)
        let lines = String(repeating: jws.trimmingCharacters(in: .whitespacesAndNewlines) + "\n", count: 2000)
        try Data(lines.utf8).write(to: folder.appendingPathComponent("in.txt"))
        let root = samples.appendingPathComponent("root.der").path
        #expect(try code(["batch", "in.txt"], in: folder) == 1)
        #expect(try code(["batch", "in.txt", "--root", root], in: folder) == 0)
    }
}
