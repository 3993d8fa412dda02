import Foundation
import Testing
import TranscriptSupport

// The way in which a test opens a terminal is that of Linux.
#if os(Linux)
    import Glibc

    /// Runs the tool with a terminal as its standard input.
    @Suite("Input from a terminal", .serialized, .timeLimit(.minutes(15)))
    struct TerminalInputTests {
        /// A running `verify-receipt -` that reads from a pseudoterminal.
        private final class Run {
            let process = Process()
            private let keyboard: FileHandle
            private let terminal: FileHandle
            private let output = Pipe()
            private let messages = Pipe()

            /// Starts the tool, and waits until it reads the terminal.
            ///
            /// - Parameter ignoring: The name of a signal that the shell ignores before it becomes the tool.
            init(ignoring signal: String? = nil) throws {
                // The requests TIOCSPTLCK and TIOCGPTPEER unlock a new terminal and open its other end.
                let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
                var isLocked: Int32 = 0
                let isUnlocked = unsafe ioctl(master, 0x4004_5431, &isLocked) == 0
                let slave = ioctl(master, 0x5441, O_RDWR | O_NOCTTY | O_CLOEXEC)
                try #require(master >= 0 && isUnlocked && slave >= 0)
                keyboard = FileHandle(fileDescriptor: master, closeOnDealloc: true)
                terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
                let tool = try BuiltTool.verifyReceipt.path
                process.executableURL = URL(fileURLWithPath: signal == nil ? tool : "/bin/sh")
                process.arguments = signal.map { ["-c", "trap '' \($0); exec \"$0\" -", tool] } ?? ["-"]
                process.standardInput = terminal
                process.standardOutput = output
                process.standardError = messages
                try #require(hasLineMode)
                try process.runWithUsualSignals()
                var note = Data()
                while let byte = try messages.fileHandleForReading.read(upToCount: 1), byte != Data([0x0A]) {
                    note += byte
                }
                try #require(String(decoding: note, as: UTF8.self).contains("Control-D"))
            }

            /// Whether the terminal passes on lines, as a shell expects it.
            var hasLineMode: Bool {
                var mode = termios()
                return unsafe tcgetattr(terminal.fileDescriptor, &mode) == 0 && mode.c_lflag & tcflag_t(ICANON) != 0
            }

            func type(_ text: String) throws { try keyboard.write(contentsOf: Data(text.utf8)) }

            /// Waits for the end, and returns the output.
            func end() throws -> String {
                let text = try output.fileHandleForReading.readToEnd() ?? Data()
                process.waitUntilExit()
                return String(decoding: text, as: UTF8.self)
            }
        }

        private let jws: String

        init() throws {
            let file = PackageFolder.url.appendingPathComponent("TestVectors/samples/transaction.jws")
            jws = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
            try #require(jws.utf8.count > 4096)
        }

        @Test("a line longer than the 4,096 bytes of a terminal's line is read whole, until Control-D")
        func longLine() throws {
            let run = try Run()
            #expect(!run.hasLineMode)
            try run.type("Receipt: \(jws)\nThanks\n\u{4}")
            // A cut line would have the code of a truncated JWS.
            #expect(try run.end().hasPrefix("unverified: untrusted-root"))
            #expect(run.process.terminationReason == .exit)
            #expect(run.hasLineMode)
        }

        @Test("a signal that is ignored, as by nohup, stays so while the terminal is read", arguments: ["HUP", "QUIT"])
        func ignoredSignal(name: String) throws {
            let run = try Run(ignoring: name)
            try #require(kill(run.process.processIdentifier, name == "HUP" ? SIGHUP : SIGQUIT) == 0)
            try run.type("MK5TTJQFXG\u{4}")
            #expect(try run.end().hasPrefix("undecided: not-a-receipt"))
            #expect(run.process.terminationReason == .exit)
        }

        @Test("the backspace key removes a character")
        func backspace() throws {
            let run = try Run()
            try run.type("MK5TTJQFXH\u{7F}G\u{4}")
            #expect(try run.end().hasPrefix("undecided: not-a-receipt"))
            #expect(run.process.terminationStatus == 3)
        }

        @Test(
            "a signal restores the mode of the terminal before it ends the tool",
            arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
        func signals(number: Int32) throws {
            let run = try Run()
            #expect(!run.hasLineMode)
            try #require(kill(run.process.processIdentifier, number) == 0)
            _ = try run.end()
            #expect(run.process.terminationReason == .uncaughtSignal)
            #expect(run.process.terminationStatus == number)
            #expect(run.hasLineMode)
        }
    }
#endif
