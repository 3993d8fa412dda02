package import Foundation

/// Runs shell commands in a temporary folder, which contains a link `samples` to a folder of the package.
///
/// The environment is fixed, so that a transcript is the same on every machine.
package final class TranscriptRunner {
    package let folder: URL
    private let tool: String

    /// - Parameter samples: The folder of samples, relative to the package.
    package init(_ tool: BuiltTool, samples: String) throws {
        self.tool = try tool.path
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("transcript-\(UUID().uuidString)")
        // A key cache is used only in a folder that other users cannot write; the umask must not decide that.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let samples = PackageFolder.url.appendingPathComponent(samples)
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("samples"), withDestinationURL: samples
        )
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a command in the shell and waits for its end.
    package func run(_ command: String) throws -> Transcript.Outcome {
        let output = folder.appendingPathComponent(".output")
        let errorOutput = folder.appendingPathComponent(".error-output")
        for file in [output, errorOutput] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = folder
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        // Files instead of pipes, because the test reads only after the command has ended.
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errorOutput)
        try process.run()
        process.waitUntilExit()
        let code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return Transcript.Outcome(
            output: try Self.lines(of: output), errorOutput: try Self.lines(of: errorOutput), code: code)
    }

    private var environment: [String: String] {
        let inherited = ProcessInfo.processInfo.environment
        var environment = [
            "PATH": URL(fileURLWithPath: tool).deletingLastPathComponent().path + ":/usr/bin:/bin",
            "HOME": folder.path, "LC_ALL": "C", "TZ": "UTC", "TERM": "dumb",
        ]
        // The tool needs the options of sanitizers too, and the path of the toolchain's libraries.
        for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH"] {
            environment[name] = inherited[name]
        }
        return environment
    }

    /// Returns the lines of a file, with visible carriage returns and a mark if the last line has no newline.
    private static func lines(of file: URL) throws -> [String] {
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            .replacingOccurrences(of: "\r", with: "\\r")
        guard !text.isEmpty else { return [] }
        var lines = text.components(separatedBy: "\n")
        if lines.last == "" { lines.removeLast() } else { lines[lines.count - 1] += "\\no newline" }
        return lines
    }
}
