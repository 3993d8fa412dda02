import Foundation
import Testing
import TranscriptSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs `batch` as a process that reads from a pipe, is interrupted and is resumed.
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
            #expect(run.end() == 1)
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

    @Test("[CARD-6] a run ends when the reader closes the pipe")
    func closedPipe() throws {
        try inFolder { folder in
            try Data(lines(0..<50_000).utf8).write(to: folder.appendingPathComponent("in.txt"))
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = [
                "-c", "'\(try BuiltTool.verifyReceipt.path)' batch in.txt --jobs 2 --quiet | head -n 1 > first.txt",
            ]
            shell.currentDirectoryURL = folder
            try shell.run()
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0)
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
                #expect(runs[1].end() == 1)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            }
        }
    #endif
}
