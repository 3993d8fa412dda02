package import Foundation

/// Runs the commands of a transcript in a folder of its own.
///
/// The folder holds `samples`, a folder of the package. The environment is the same everywhere, so that a transcript
/// says the same on every machine.
package final class TranscriptRunner {
    package let folder: URL
    private let tool: String

    /// - Parameter samples: The folder of samples, from the package's own.
    package init(_ tool: BuiltTool, samples: String) throws {
        self.tool = try tool.path
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("transcript-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let samples = PackageFolder.url.appendingPathComponent(samples)
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("samples"), withDestinationURL: samples
        )
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    package func run(_ command: String) throws -> Transcript.Outcome {
        let output = folder.appendingPathComponent(".output")
        let talk = folder.appendingPathComponent(".talk")
        for file in [output, talk] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = folder
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        // Files, not pipes: nobody has to read while the command runs.
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: talk)
        try process.run()
        process.waitUntilExit()
        let code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return Transcript.Outcome(output: try Self.lines(of: output), talk: try Self.lines(of: talk), code: code)
    }

    private var environment: [String: String] {
        let inherited = ProcessInfo.processInfo.environment
        var environment = [
            "PATH": URL(fileURLWithPath: tool).deletingLastPathComponent().path + ":/usr/bin:/bin",
            "HOME": folder.path, "LC_ALL": "C", "TZ": "UTC", "TERM": "dumb",
        ]
        // What a sanitizer was told holds for the tool too; the libraries of the toolchain have to be found.
        for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH"] {
            environment[name] = inherited[name]
        }
        return environment
    }

    /// The lines of a file. A carriage return is shown, and a last line that has no end says so, because that is a difference too.
    private static func lines(of file: URL) throws -> [String] {
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            .replacingOccurrences(of: "\r", with: "\\r")
        guard !text.isEmpty else { return [] }
        var lines = text.components(separatedBy: "\n")
        if lines.last == "" { lines.removeLast() } else { lines[lines.count - 1] += "\\no newline" }
        return lines
    }
}
