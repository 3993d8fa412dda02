import Foundation
import Testing
import TranscriptSupport

/// Kills the example app of the documentation at its steps, and starts it again.
@Suite("The example app after a kill", .timeLimit(.minutes(15)))
struct KilledAppTests {
    /// The number of steps at which the app is killed; all of them with a large STACK_KILLS in the environment.
    private static let killCount = ProcessInfo.processInfo.environment["STACK_KILLS"].flatMap { Int($0) } ?? 6

    /// Runs the app over the files in a folder until it ends, and returns its lines.
    private func run(in folder: String, killedAt step: Int) async throws -> [String] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try BuiltTool.exampleApp.path)
        process.arguments = [folder, "\(step)"]
        process.standardOutput = output
        try process.run()
        // On a thread of its own: the threads of the tasks are as few as the cores.
        let text = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let text = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: text)
            }
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Runs `body` with a new folder, which is removed at the end.
    private func inFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "killed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder.path())
    }

    @Test("Killed at any step of its purchases, the app ends with the entitlements and balances of an undisturbed run")
    func everyStep() async throws {
        let undisturbed = try await inFolder { try await run(in: $0, killedAt: 0) }
        #expect(
            undisturbed.dropFirst() == [
                "export granted, coins 1, pro true, balances [\"notes.coins\": 1]",
                #"sales ["notes.coins", "notes.export", "notes.yearly"]"#,
                #"orders ["notes.coins 1", "notes.export 1", "notes.yearly 1"]"#,
                #"ledger ["notes.coins finished", "notes.export finished", "notes.yearly finished"]"#,
            ])
        let count = try #require(undisturbed.first.flatMap { Int($0.dropFirst("steps ".count)) })
        #expect(count > 60)
        let kills = min(count, Self.killCount)
        var killed = 0
        for number in 0..<kills {
            let step = 1 + number * count / kills
            let (first, second) = try await inFolder { folder in
                (try await run(in: folder, killedAt: step), try await run(in: folder, killedAt: 0))
            }
            let wasKilled = first.first?.hasPrefix("killed") ?? false
            if wasKilled { killed += 1 }
            #expect(second.dropFirst() == undisturbed.dropFirst(), "step \(step): \(first)")
        }
        // Tasks that run at the same time can take a few steps less.
        #expect(killed >= kills - kills / 8 - 1)
    }
}
