import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing
import TranscriptSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs `batch` as a process that reads from a pipe, is interrupted and is resumed.
///
/// The environment variable `TABLE_ROWS` sets the number of rows of the large table.
@Suite("Batch processes")
struct BatchProcessTests {
    /// A running `verify-receipt batch` with pipes for its input and output.
    private final class Run {
        let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        init(_ arguments: [String], in folder: URL) throws {
            process.executableURL = URL(fileURLWithPath: try BuiltTool.verifyReceipt.path)
            process.arguments = ["batch", "-", "--quiet"] + arguments
            process.currentDirectoryURL = folder
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
        }

        func write(_ text: String) throws {
            try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        }

        func closeInput() throws {
            try input.fileHandleForWriting.close()
        }

        /// Waits for a line of results.
        func readLine() throws -> String {
            var line = Data()
            while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data([0x0A]) { line += byte }
            return String(decoding: line, as: UTF8.self)
        }

        /// Waits for the end, and returns the exit code, or the negative number of the signal that killed the process.
        func end() -> Int32 {
            process.waitUntilExit()
            return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        }
    }

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("batch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func lines(_ numbers: Range<Int>) -> String {
        numbers.map { "no receipt, number \($0)\n" }.joined()
    }

    @Test(
        "[CARD-6] with --line-buffered, each result is written before the next line is read", arguments: ["1", "2"])
    func lineBuffering(jobs: String) throws {
        try inFolder { folder in
            let run = try Run(["--line-buffered", "--jobs", jobs], in: folder)
            for number in 1...20 {
                try run.write("no receipt\n")
                #expect(try run.readLine().contains("\"line\":\(number),"))
            }
            try run.write("the last line has no end")
            try run.closeInput()
            #expect(try run.readLine().contains("\"line\":21,"))
            #expect(run.end() == 3)
        }
    }

    @Test("a program that sends lines reads one answer to each, with the members of its line", arguments: ["1", "3"])
    func requestsAndReplies(jobs: String) throws {
        try inFolder { folder in
            let run = try Run(
                ["--line-buffered", "--every-record", "-f", "jws", "--keep", "id", "--jobs", jobs], in: folder)
            let requests = [
                ("{\"id\":1.50,\"jws\":\"bad\"}", "1.50", "format-unrecognized"), ("", nil, "empty"),
                ("{\"id\":[\"a\"],\"jws\":null}", "[\"a\"]", "empty"), ("not JSON", nil, "record-malformed"),
                ("{\"jws\":[\"eyJh.eyJi.c\",\"eyJh.eyJi.c\"]}", "null", "too-many-receipts"),
                ("{\"other\":\"" + String(repeating: "x", count: 100_000) + "\"}", "null", "receipt-missing"),
            ]
            for (number, (line, id, code)) in requests.enumerated() {
                try run.write(line + "\n")
                let answer = try run.readLine()
                #expect(answer.contains("\"record\":\(number + 1),\"item\":1,"))
                #expect(answer.contains("\"input\":" + (id.map { "{\"id\":\($0)}" } ?? "null") + ","), "\(answer)")
                #expect(answer.contains("\"code\":\"\(code)\""), "\(answer)")
            }
            try run.closeInput()
            #expect(run.end() == 1)
        }
    }

    @Test("SIGINT ends the process by the signal, and removes the partial file before the first checkpoint")
    func interruptedRunsLeaveNothing() throws {
        try inFolder { folder in
            let run = try Run(["-o", "out.jsonl"], in: folder)
            // More than a pipe holds, so the run has begun to read, and has its output file.
            try run.write(String(repeating: "\n", count: 200_000))
            let second = try Run(["-o", "out.jsonl"], in: folder)
            #expect(second.end() == 2, "a second run with the same output file is rejected")
            kill(run.process.processIdentifier, SIGINT)
            #expect(run.end() == -SIGINT)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test("[CARD-6] a line of 100 MB is rejected as too large, and the next line is verified")
    func hugeLine() throws {
        try inFolder { folder in
            let run = try Run(["--line-buffered", "--jobs", "2"], in: folder)
            let piece = String(repeating: "e", count: 1_000_000)
            for _ in 0..<100 { try run.write(piece) }
            try run.write("\nno receipt\n")
            #expect(try run.readLine().contains("\"code\":\"too-large\""))
            #expect(try run.readLine().contains("\"code\":\"format-unrecognized\""))
            try run.closeInput()
            #expect(run.end() == 1)
        }
    }

    @Test("[CARD-6] a run ends when the reader closes the pipe, with the exit code of the results so far")
    func closedPipe() throws {
        try inFolder { folder in
            let lines = String(repeating: "eyJhbGciOiJub25lIn0.e30.AAAA\n", count: 50_000)
            try Data(lines.utf8).write(to: folder.appendingPathComponent("in.txt"))
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/bash")
            let batch = "'\(try BuiltTool.verifyReceipt.path)' batch in.txt --jobs 2 --quiet"
            shell.arguments = ["-c", "\(batch) | head -n 1 > first.txt; exit ${PIPESTATUS[0]}"]
            shell.currentDirectoryURL = folder
            try shell.run()
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 1)
            let first = try String(contentsOf: folder.appendingPathComponent("first.txt"), encoding: .utf8)
            #expect(first.contains("\"line\":1,"))
        }
    }

    #if os(Linux)
        @Test("the temporary file of --duplicates has no name and mode 600, and runs do not disturb each other")
        func temporaryFiles() throws {
            try inFolder { folder in
                let flags = ["--duplicates", "--temporary-dir", "."]
                let runs = try [Run(flags, in: folder), Run(flags, in: folder)]
                for run in runs {
                    // More than a pipe holds, so the run has begun to read.
                    try run.write(String(repeating: "no receipt\n", count: 100_000))
                    let descriptors = "/proc/\(run.process.processIdentifier)/fd"
                    let files = try FileManager.default.contentsOfDirectory(atPath: descriptors).filter { name in
                        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(name)")
                        return path?.hasPrefix(folder.resolvingSymlinksInPath().path) == true
                    }
                    #expect(files.count == 1)
                    for file in files {
                        var status = stat()
                        #expect(unsafe stat("\(descriptors)/\(file)", &status) == 0)
                        #expect(status.st_mode & 0o777 == 0o600 && status.st_nlink == 0)
                    }
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
                kill(runs[0].process.processIdentifier, SIGKILL)
                try runs[1].closeInput()
                #expect(runs[0].end() == -SIGKILL)
                #expect(runs[1].end() == 3)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            }
        }
    #endif

    // MARK: A large table

    #if os(Linux)
        @Test("[CARD-6] each row of a large table has its own columns beside its own result, in less than 120 MB")
        func largeTable() throws {
            let count = ProcessInfo.processInfo.environment["TABLE_ROWS"].flatMap(Int.init) ?? 1000
            let authority = try TestAuthority()
            let receipts = try (0..<OrderRow.receiptCount).map { try authority.signer.sign(OrderRow.transaction($0)) }
            try inFolder { folder in
                try Data(authority.rootCertificate).write(to: folder.appendingPathComponent("root.der"))
                let run = try Run(
                    ["--column", "receipt", "--keep", "all", "--root", "root.der", "-o", "out.csv"], in: folder)
                try run.write("order,customer,note,receipt,country,amount\r\n")
                for start in stride(from: 1, through: count, by: 500) {
                    let rows = (start..<min(start + 500, count + 1)).map(OrderRow.init)
                    try run.write(rows.map { $0.line(with: receipts[$0.receipt]) }.joined())
                }
                let status = try String(
                    contentsOfFile: "/proc/\(run.process.processIdentifier)/status", encoding: .utf8)
                let peak = try #require(status.firstMatch(of: /VmHWM:\s*(\d+) kB/).flatMap { Int($0.1) })
                try run.closeInput()
                #expect(run.end() == 0)
                #expect(peak * 1024 < 120_000_000)

                var results = try TableReader(folder.appendingPathComponent("out.csv"))
                let header = try results.line()
                #expect(header.hasPrefix("order,customer,note,country,amount,source,line,record,item,verdict,"))
                var line = 2
                for number in 1...count {
                    let row = OrderRow(number: number)
                    let expected = row.result(line: line)
                    let found = try results.read(expected.utf8.count)
                    guard found == expected else {
                        Issue.record("row \(number): \(found), not \(expected)")
                        break
                    }
                    _ = try results.line()
                    line += row.lineCount
                }
                let rest = try results.line()
                #expect(rest.isEmpty)
                print("a table of \(count) rows: peak memory \(peak * 1024 / 1_000_000) MB")
            }
        }
    #endif
}

/// A row of a table of orders: five columns and a receipt between them.
private struct OrderRow {
    static let receiptCount = 500
    private static let notes = [
        "second try", "\"one, two\"", "", "\"She said \"\"ok\"\",\r\nthen left\"", "\"a\n\nb\"",
    ]

    let number: Int
    /// The number of the receipt, which differs from that of the rows nearby.
    var receipt: Int { number * 7919 % Self.receiptCount }
    private var note: String { Self.notes[number % Self.notes.count] }
    private var country: String { ["DE", "JP", "US"][number % 3] }
    private var beginning: String { "O-\(number),customer \(number * 31 % 1009),\(note)" }
    private var end: String { "\(country),\(number % 1000).50" }
    /// The number of lines in the table.
    var lineCount: Int { 1 + note.utf8.count { $0 == UInt8(ascii: "\n") } }

    func line(with receipt: String) -> String { "\(beginning),\(receipt),\(end)\r\n" }

    /// Returns the beginning of the result for a row that starts in a line of the table.
    func result(line: Int) -> String {
        "\(beginning),\(end),'-,\(line),\(number),1,verified,,transaction,com.example.app,"
            + "\(Self.product(receipt)),\(Self.id(receipt)),"
    }

    static func transaction(_ receipt: Int) -> JWSTransactionDecodedPayload {
        var transaction = JWSTransactionDecodedPayload()
        transaction.transactionId = id(receipt)
        transaction.bundleId = "com.example.app"
        transaction.productId = product(receipt)
        transaction.environment = .production
        transaction.signedDate = Timestamp(clamping: 1_760_000_000_000)
        return transaction
    }

    private static func id(_ receipt: Int) -> String { "\(2_000_000_000_000_000 + receipt)" }
    private static func product(_ receipt: Int) -> String { "com.example.app.product\(receipt % 7)" }
}

/// Reads a table from a file, piece by piece.
private struct TableReader {
    private let file: FileHandle
    private var piece: [UInt8] = []
    private var place = 0

    init(_ url: URL) throws {
        file = try FileHandle(forReadingFrom: url)
    }

    /// Returns the next byte; nil at the end.
    private mutating func next() throws -> UInt8? {
        if place == piece.count {
            piece = [UInt8](try file.read(upToCount: 1_048_576) ?? Data())
            place = 0
        }
        guard place < piece.count else { return nil }
        place += 1
        return piece[place - 1]
    }

    /// Returns the text of some bytes, fewer at the end.
    mutating func read(_ count: Int) throws -> String {
        var bytes: [UInt8] = []
        while bytes.count < count, let byte = try next() { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text before the next line feed, or the rest.
    mutating func line() throws -> String {
        var bytes: [UInt8] = []
        while let byte = try next(), byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
