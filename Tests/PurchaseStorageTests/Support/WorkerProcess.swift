import Foundation
import Testing
import TranscriptSupport

/// A second process that records purchases in a database.
struct WorkerProcess: Sendable {
    private let process = Process()
    private let output = Pipe()
    /// The standard input of a process that waits for it.
    private let input: Pipe?

    /// What the process records.
    enum Records: String {
        case ledger, purchases, coins
    }

    /// Starts to record `count` purchases, from a number on.
    ///
    /// - Parameters:
    ///   - limit: The largest number of bytes of a file.
    ///   - user: The user that the process changes to; a negative number is a real user that is not the effective one.
    init(
        _ records: Records, _ path: String, from first: Int, count: Int, limit: Int? = nil, user: Int? = nil
    ) throws {
        try self.init([records.rawValue, path, "\(first)", "\(count)", "\(limit ?? 0)", "\(user ?? 0)"])
    }

    /// Starts to recover a database.
    ///
    /// - Parameters:
    ///   - step: The change of the folder, counted from one, before which the process ends; nil for none.
    ///   - limit: The largest number of bytes of a file.
    ///   - user: The user that the process changes to.
    init(recovering path: String, crashAt step: Int? = nil, limit: Int? = nil, user: UInt32? = nil) throws {
        try self.init(["recover", path, "\(step ?? 0)", "\(user ?? 0)"] + (limit.map { ["\($0)"] } ?? []))
    }

    /// Starts to hold the write lock of a database, until ``release()``.
    ///
    /// The process has the lock when it has printed its first line.
    init(locking path: String) throws {
        try self.init(["lock", path], input: Pipe())
    }

    private init(_ arguments: [String], input: Pipe? = nil) throws {
        self.input = input
        process.executableURL = URL(fileURLWithPath: try BuiltTool.storageWorker.path)
        process.arguments = arguments
        process.standardOutput = output
        if let input { process.standardInput = input }
        try process.run()
    }

    /// The number of records that each of two processes makes at the same time; more with STORAGE_RECORDS in the
    /// environment.
    static let recordCount = ProcessInfo.processInfo.environment["STORAGE_RECORDS"].flatMap { Int($0) } ?? 100
    /// The number of processes that a test kills; more with STORAGE_KILLS in the environment.
    static let killCount = ProcessInfo.processInfo.environment["STORAGE_KILLS"].flatMap { Int($0) } ?? 20

    /// The time limit of a suite that kills processes.
    static let timeLimit: TimeLimitTrait.Duration = .minutes(killCount > 100 ? 120 : 15)

    /// Waits until the process has recorded some purchases, kills it, and returns the numbers that it had printed.
    func kill(after count: Int) async -> [Int] {
        let text = await onThread {
            let text = readLines(count)
            Foundation.kill(process.processIdentifier, SIGKILL)
            return text + output.fileHandleForReading.readDataToEndOfFile()
        }
        // A number whose line is not complete was cut by the kill.
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().compactMap { Int($0) }
    }

    /// Waits until the process ends, and returns its last line.
    func lastLine() async -> String { await lines().last ?? "" }

    /// Waits until the process ends, and returns the lines that were not read before.
    func lines() async -> [String] {
        Self.lines(of: await onThread { output.fileHandleForReading.readDataToEndOfFile() })
    }

    /// Waits until the process has printed its first line, and returns it; empty if the process has ended.
    func firstLine() async -> String {
        Self.lines(of: await onThread(waitingForEnd: false) { readLines(1) }).first ?? ""
    }

    /// Makes a process give its lock back, waits until it ends, and returns its last line.
    func release() async throws -> String {
        try input?.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        return await lastLine()
    }

    private static func lines(of text: Data) -> [String] {
        String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Reads until the process has printed a number of lines, or has ended.
    private func readLines(_ count: Int) -> Data {
        var text = Data()
        while text.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += more
        }
        return text
    }

    /// Runs a blocking call, and waits for the end of the process, on a thread of its own.
    ///
    /// The threads of the tasks are as few as the cores; blocked, they would keep all other tests from running.
    private func onThread(waitingForEnd: Bool = true, _ read: @escaping @Sendable () -> Data) async -> Data {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let text = read()
                if waitingForEnd { process.waitUntilExit() }
                continuation.resume(returning: text)
            }
        }
    }
}
