import Foundation
import TranscriptSupport

/// A second process that records purchases in a database.
struct WorkerProcess {
    private let process = Process()
    private let output = Pipe()

    /// What the process records.
    enum Records: String {
        case journal, purchases
    }

    /// Starts to record `count` purchases, from a number on; with `limit`, no file may grow beyond this number of bytes.
    init(_ records: Records, _ path: String, from first: Int, count: Int, limit: Int? = nil) throws {
        process.executableURL = URL(fileURLWithPath: try BuiltTool.storageWorker.path)
        process.arguments = [records.rawValue, path, "\(first)", "\(count)"] + (limit.map { ["\($0)"] } ?? [])
        process.standardOutput = output
        try process.run()
    }

    /// The number of processes that a test kills; more with STORAGE_KILLS in the environment.
    static let killCount = ProcessInfo.processInfo.environment["STORAGE_KILLS"].flatMap { Int($0) } ?? 20

    /// Waits until the process has recorded some purchases, kills it, and returns the numbers that it had printed.
    func kill(after count: Int) -> [Int] {
        var text = Data()
        while text.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += more
        }
        Foundation.kill(process.processIdentifier, SIGKILL)
        text += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // A number whose line is not complete was cut by the kill.
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().compactMap { Int($0) }
    }

    /// Waits until the process ends, and returns its last line.
    func lastLine() -> String {
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
    }
}
