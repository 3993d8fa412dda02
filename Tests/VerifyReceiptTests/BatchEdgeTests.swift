import CommandLineInterface
import Foundation
import ReceiptVerification
import Testing
import TranscriptSupport

@testable import verify_receipt

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs the tool as a process over files that would make it destroy, miss or repeat something.
@Suite("Edges of batch runs")
struct BatchEdgeTests {
    private let shell: TranscriptRunner

    init() throws {
        shell = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: shell.folder.appendingPathComponent(name), encoding: .utf8)
    }

    private func writeFile(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: shell.folder.appendingPathComponent(name))
    }

    /// The path of a file in the folder.
    private func path(_ name: String) -> String { shell.folder.appendingPathComponent(name).path }

    /// A command over `in.txt` whose results cost the least: those of blank lines, with two fields.
    private static let batch = "verify-receipt batch -q in.txt --every-record --fields line,code --summary --jobs 2"

    /// Writes blank lines to `in.txt`; a run saves a checkpoint after 20,000 of them, and then results of 256 KiB at a
    /// time.
    private func writeBlankLines(_ count: Int) throws {
        try writeFile(String(repeating: "\n", count: count), to: "in.txt")
    }

    // MARK: Output

    @Test(
        "an output that is an input, by any path, is refused and the input is unchanged",
        arguments: [
            "batch in.txt -o in.txt", "batch in.txt -o link.txt", "batch link.txt -o in.txt",
            "batch in.txt -o hard.txt",
            "batch -o in.txt < in.txt", "batch in.txt >> in.txt", "verify in.txt -o in.txt",
            "batch folder -o folder/out",
            "verify samples/transaction.jws --root in.txt -o in.txt", "batch out.partial -o out",
            "batch out.checkpoint -o out", "batch ./folder/../in.txt -o in.txt",
            "verify samples/transaction.jws --play-key a=in.txt -o in.txt",
            "batch in.txt --duplicates -o in.txt", "batch folder/a --redact-key in.txt -o in.txt",
        ])
    func outputIsInput(command: String) throws {
        _ = try shell.run(
            "echo precious > in.txt; ln -s in.txt link.txt; ln in.txt hard.txt; mkdir folder; cp in.txt folder/a; "
                + "cp in.txt out.partial; cp in.txt out.checkpoint")
        let outcome = try shell.run("verify-receipt -q \(command)")
        #expect(outcome.code == 2)
        #expect(outcome.errorOutput.first?.contains("input") == true, "\(outcome.errorOutput)")
        for name in ["in.txt", "hard.txt", "out.partial", "out.checkpoint", "folder/a"] {
            #expect(try text(name) == "precious\n", "\(name)")
        }
    }

    @Test(
        "an output that would replace a key of the run is refused, and the key is kept",
        arguments: [
            ("mint -a auth", "auth/leaf-key.pem"), ("mint -a auth", "auth/root-key.pem"),
            ("mint -a auth -k play-purchase", "auth/play-key.pem"),
            ("batch samples/receipts.jsonl --key-cache cache --state-dir state", "state/sealing.key"),
            ("batch samples/receipts.jsonl --key-cache cache --state-dir state", "cache"),
        ])
    func outputIsKey(command: String, file: String) throws {
        _ = try shell.run("verify-receipt mint -q -a auth -o receipt.jws; echo key > auth/play-key.pem")
        _ = try shell.run(
            "verify-receipt -q receipt.jws --root auth/root.der --key-cache cache --state-dir state; cp \(file) copy")
        let outcome = try shell.run("verify-receipt -q \(command) -o \(file)")
        #expect(outcome.code == 2)
        #expect(outcome.errorOutput.first?.contains("this run would replace it") == true, "\(outcome.errorOutput)")
        #expect(try shell.run("cmp \(file) copy").code == 0)
    }

    @Test(
        "a link, a pipe or a second name in place of the partial file is refused, and nothing is written through it",
        arguments: [
            "ln -s victim out.partial", "ln victim out.partial", "mkfifo out.partial", "ln -s nowhere out.partial",
        ])
    func plantedPartialFile(plant: String) throws {
        _ = try shell.run("echo precious > victim; \(plant)")
        let outcome = try shell.run("timeout 60 verify-receipt batch -q samples/receipts.jsonl -f receipt -o out")
        #expect(outcome.code == 2)
        #expect(outcome.errorOutput.first?.contains("out.partial is not a file of an earlier run") == true)
        #expect(try text("victim") == "precious\n")
        #expect(try shell.run("ls nowhere").code != 0)
    }

    @Test("a link in place of a new checkpoint is replaced, and nothing is written through it")
    func plantedCheckpoint() throws {
        try writeBlankLines(20_000)
        _ = try shell.run("echo precious > victim; ln -s victim out.checkpoint.new")
        #expect(try shell.run("\(Self.batch) -o out").code == 3)
        #expect(try text("victim") == "precious\n")
        #expect(try text("out").split(separator: "\n").count == 20_001)
        #expect(try shell.run("ls").output == ["in.txt", "out", "samples", "victim"], "the link is gone")
    }

    @Test("a pipe or a device as output is written to directly")
    func specialOutputs() throws {
        let pipe = try shell.run(
            "mkfifo p; cat p > copy & verify-receipt batch -q samples/receipts.jsonl -f receipt -o p; echo $?; wait; "
                + "test -p p && wc -l < copy; verify-receipt batch -q samples/receipts.jsonl -f receipt -o /dev/null; "
                + "echo $?; test -c /dev/null && verify-receipt batch -q samples/receipts.jsonl -f receipt -o /dev/stdout "
                + "| wc -l")
        #expect(pipe.output.map { $0.trimmingCharacters(in: .whitespaces) } == ["1", "12", "1", "12"])
    }

    // MARK: Nothing to verify

    @Test(
        "a batch over nothing exits with 3 and the code nothing-to-verify, and with 0 if that is allowed",
        arguments: [
            "batch empty", "batch folder", "batch header.csv -c receipt", "false | verify-receipt batch -",
            "batch blank",
            "batch empty blank", "batch hidden", "batch blank -f receipt", "batch empty --jobs 4",
            "batch header.csv -c b", "batch empty --duplicates", "batch empty --since 2025-10-01",
            "batch empty --redact",
        ])
    func nothingToVerify(command: String) throws {
        _ = try shell.run(
            ": > empty; mkdir folder hidden; echo x > hidden/.a; printf 'receipt,b' > header.csv; printf '\\n \\r\\n\\t\\n' > blank"
        )
        let line = command.contains("|") ? command : "verify-receipt \(command)"
        let outcome = try shell.run("\(line) -q --summary")
        #expect(outcome.code == 3)
        #expect(outcome.output.last?.hasSuffix(",\"code\":\"nothing-to-verify\"}") == true)
        #expect(outcome.errorOutput.first?.contains("nothing-to-verify") == true)
        let allowed = try shell.run("\(line) -q --summary --allow-empty")
        #expect(allowed.code == 0 && allowed.errorOutput.isEmpty)
        #expect(allowed.output.last?.contains("nothing-to-verify") == false)
    }

    // MARK: Folders

    @Test("a folder gives its regular files once; links, pipes and hidden files are skipped and named")
    func folders() throws {
        _ = try shell.run(
            "mkdir -p d/sub outside; cp samples/transaction.jws d/a; cp samples/transaction.jws d/sub/b; "
                + "cp samples/tampered.jws outside/c; ln -s . d/loop; ln -s .. d/sub/up; ln -s ../outside d/out; "
                + "ln -s ../outside/c d/c; mkfifo d/sub/pipe; echo x > d/.hidden")
        let outcome = try shell.run("timeout 60 verify-receipt batch d --root samples/root.der --output-format csv")
        #expect(outcome.code == 0)
        #expect(outcome.output.dropFirst().map { String($0.prefix(while: { $0 != "," })) } == ["d/a", "d/sub/b"])
        let notes = outcome.errorOutput.filter { $0.contains("skipped") }
        #expect(
            notes == [
                "verify-receipt: 1 skipped (hidden): d/.hidden",
                "verify-receipt: 4 skipped (a symbolic link): d/c, d/loop, d/out, d/sub/up",
                "verify-receipt: 1 skipped (a pipe): d/sub/pipe",
            ])
    }

    @Test("a file whose name is not UTF-8 is read, by its name and in a folder, and its name is printed with escapes")
    func foreignNames() throws {
        _ = try shell.run("mkdir d; cp samples/transaction.jws d/a; cp d/a \"d/$(printf '\\377x')\"")
        let outcome = try shell.run("verify-receipt batch d --root samples/root.der --output-format csv")
        #expect(outcome.code == 0)
        #expect(outcome.output.dropFirst().map { $0.prefix { $0 != "," } } == ["d/a", #"d/\xFFx"#])
        let name = "d/$(printf '\\377x')"
        let verified = try shell.run(
            "verify-receipt -q \"\(name)\" -r samples/root.der --json -o \"$(printf '\\376')\"; ls")
        #expect(verified.code == 0)
        let shown = try shell.run("cat \"$(printf '\\376')\"").output
        #expect(shown.count == 1 && shown[0].contains(#""source":"d/\\xFFx""#), "\(shown)")
        let root = try shell.run(
            "cp samples/root.der \"$(printf 'r\\351.der')\"; VERIFY_RECEIPT_ROOT=$(printf 'r\\351.der') verify-receipt -q d/a"
        )
        #expect(root.code == 0)
        let missing = try shell.run("verify-receipt \"$(printf 'x\\351')\"")
        #expect(missing.code == 2)
        #expect(missing.errorOutput.first == #"verify-receipt: no such file: x\xE9"#)
    }

    // MARK: Terminals

    #if os(Linux)
        @Test("a kept cell cannot control the terminal that results are printed on, and is unchanged in a file")
        func controlCharacters() throws {
            try writeFile("r,note\nx,\"a\u{1B}[2J\rb\u{202E}\"\n", to: "in.csv")
            let command = "verify-receipt batch -q in.csv -c r --keep note --output-format csv"
            let shown = try shell.run("script -qec '\(command)' /dev/null").output.joined()
            #expect(shown.contains(#""a\u{1b}[2J\u{d}b\u{202e}","#), "\(shown)")
            #expect(!shown.unicodeScalars.contains("\u{1B}"))
            _ = try shell.run("\(command) -o out")
            #expect(try text("out").contains("\"a\u{1B}[2J\rb\u{202E}\","))
        }
    #endif

    // MARK: Counts

    #if os(Linux)
        @Test("on a terminal, counts are a table, and JSON only if it is requested")
        func countTable() throws {
            let batch = "batch samples/receipts.csv -c receipt --root samples/root.der -q --count-by kind,environment"
            let table = try shell.run("script -qec 'verify-receipt \(batch)' /dev/null | tr -d '\\r'")
            #expect(
                table.output == [
                    "kind         environment  count", "transaction  Production   6", "-            -            4",
                    "renewalInfo  Production   1", "transaction  Sandbox      1",
                ])
            let lines = try shell.run("script -qec 'verify-receipt \(batch) --json' /dev/null | tr -d '\\r'")
            #expect(lines.output.count == 4)
            #expect(lines.output.first?.hasPrefix("{\"schema\":\"verify-receipt/batch-count-1\",") == true)
        }
    #endif

    // MARK: Resuming

    /// Runs a command that the system ends when a file of it reaches a number of bytes.
    ///
    /// - Returns: Whether it was ended, and not complete before.
    private func isKilled(_ command: String, atByte count: Int) throws -> Bool {
        // The unit of the shell's limit is 512 bytes.
        let outcome = try shell.run("ulimit -c 0; ulimit -f \(count / 512); exec \(command)")
        // Where the parent process ignores the signal, the write fails instead.
        return outcome.code == -SIGXFSZ || outcome.code == 2
    }

    /// Starts a run over 30,000 lines that is killed between its checkpoint and its end.
    private func interrupt() throws {
        try writeBlankLines(30_000)
        #expect(try isKilled("\(Self.batch) -o out", atByte: 1_700_000))
        #expect(try text("out.checkpoint").contains("\"version\":5"))
    }

    @Test("--resume continues a killed run, and the file is that of an uninterrupted run")
    func killedRunsContinue() throws {
        try interrupt()
        _ = try shell.run("cp out.partial out.csv.partial; cp out.checkpoint out.csv.checkpoint")
        for other in ["-o out --strict", "-o out --payload", "-o out --fields code", "-o out.csv"] {
            let refused = try shell.run("\(Self.batch) --resume \(other)")
            #expect(refused.code == 2)
            #expect(refused.errorOutput.first?.contains("the interrupted run had other inputs") == true, "\(other)")
        }
        let resumed = try shell.run("rm out.csv.*; \(Self.batch.replacing("-q ", with: "")) -o out --resume")
        #expect(resumed.code == 3)
        #expect(resumed.errorOutput.first?.contains("continuing after") == true)
        #expect(try shell.run("\(Self.batch) -o whole").code == 3)
        #expect(try shell.run("cmp whole out; ls").output == ["in.txt", "out", "samples", "whole"])
    }

    @Test("--resume without a checkpoint says that the run starts from the beginning")
    func resumeWithoutCheckpoint() throws {
        try writeBlankLines(30_000)
        #expect(try isKilled("\(Self.batch) -o out", atByte: 50_000))
        let resumed = try shell.run("\(Self.batch.replacing("-q ", with: "")) -o out --resume")
        let note = "there is no checkpoint of an interrupted run, so the run starts from the beginning"
        #expect(resumed.errorOutput.first?.hasSuffix(note) == true, "\(resumed.errorOutput)")
    }

    @Test("a run that is killed again and again, and resumed each time, ends with the file of an uninterrupted run")
    func repeatedKills() throws {
        try writeBlankLines(45_000)
        // Before the first checkpoint, after it, before the second one, after that, and before the end.
        for count in [50_000, 1_700_000, 1_700_000, 3_050_000, 3_050_000] {
            #expect(try isKilled("\(Self.batch) -o out --resume", atByte: count), "\(count)")
        }
        #expect(try shell.run("\(Self.batch) -o out --resume").code == 3)
        #expect(try shell.run("\(Self.batch) -o whole").code == 3)
        #expect(try shell.run("cmp whole out; ls").output == ["in.txt", "out", "samples", "whole"])
    }

    @Test("the results of a killed run that were changed are written again, and a wrong position is refused")
    func changedResults() throws {
        try interrupt()
        _ = try shell.run("cp out.partial p; cp out.checkpoint c")
        for damage in ["truncate -s 100 out.partial", "sed -i '7s/empty/EMPTY/' out.partial"] {
            _ = try shell.run("cp p out.partial; cp c out.checkpoint; rm -f out; \(damage)")
            let outcome = try shell.run("\(Self.batch.replacing("-q ", with: "")) -o out --resume; wc -l < out")
            #expect(
                outcome.errorOutput.contains { $0.contains("the run starts from the beginning") },
                "\(outcome.errorOutput)")
            #expect(outcome.output == ["30001"])
        }
        // The digests of the checkpoint are right.
        let outcome = try shell.run(
            "cp p out.partial; sed 's/\"offset\":[0-9]*/\"offset\":99999999/' c > out.checkpoint; "
                + "\(Self.batch) -o out --resume")
        #expect(outcome.code == 2)
        #expect(outcome.errorOutput.first?.contains("not in the sources") == true)
        let changed = try shell.run(
            "cp c out.checkpoint; sed -i '7s/^/ /' in.txt; \(Self.batch) -o out --resume; test -f out.partial")
        #expect(changed.errorOutput.first?.contains("the interrupted run had other inputs") == true)
        #expect(changed.code == 0, "the results so far are kept")
    }

    #if os(Linux)
        /// Leaves a checkpoint, and the results before it, of a run with an input that cannot be read to its end.
        private func failToRead() throws -> Transcript.Outcome {
            try writeFile("no receipt\n\n\nnor this\n", to: "in.txt")
            // The first page of a process is never mapped, so reading it fails.
            return try shell.run("verify-receipt batch -q in.txt /proc/self/mem -o out --jobs 2")
        }

        @Test("an input that cannot be read to its end leaves a checkpoint and the results before it")
        func readErrors() throws {
            let outcome = try failToRead()
            #expect(outcome.code == 2)
            #expect(outcome.errorOutput.last?.contains("/proc/self/mem") == true)
            #expect(try text("out.checkpoint").contains("\"source\":0,"))
            #expect(try text("out.partial").split(separator: "\n").count == 2)
        }

        @Test(
            "a checkpoint of another version, a damaged one, or a link is ignored with a warning",
            arguments: [
                #"echo '{"version":1,"run":"x","bytes":0,"source":0,"offset":0,"lines":9223372036854775807,"summary":{}}' "#
                    + "> out.checkpoint",
                "sed -i 's/\"lines\":[0-9]*/\"lines\":9223372036854775807/' out.checkpoint",
                "truncate -s 40 out.checkpoint", "mv out.checkpoint c; ln -s c out.checkpoint",
                "rm out.checkpoint; mkfifo out.checkpoint",
            ])
        func unusableCheckpoints(damage: String) throws {
            _ = try failToRead()
            _ = try shell.run(damage)
            let outcome = try shell.run("timeout 60 verify-receipt batch in.txt -o out --summary --resume; wc -l < out")
            #expect(
                outcome.errorOutput.contains { $0.contains("the run starts from the beginning") },
                "\(outcome.errorOutput)")
            #expect(outcome.output == ["3"])
        }

        @Test("a run without --resume says that it replaces the results of an interrupted one")
        func replacedResults() throws {
            _ = try failToRead()
            _ = try shell.run("echo no receipt > few; cp out.partial p; cp out.checkpoint c")
            let outcome = try shell.run("verify-receipt batch few -o out")
            #expect(outcome.errorOutput.contains { $0.contains("the results of an interrupted run are replaced") })
            let counts = try shell.run(
                "mv p out.partial; mv c out.checkpoint; verify-receipt batch few -o out --count-by code; cat out; ls")
            #expect(counts.errorOutput.contains { $0.contains("the results of an interrupted run are replaced") })
            #expect(
                counts.output == [
                    #"{"schema":"verify-receipt/batch-count-1","type":"count","fields":{"code":"format-unrecognized"},"#
                        + #""count":1}"#,
                    "few", "in.txt", "out", "samples",
                ])
            #expect(try shell.run("verify-receipt batch few -o out").errorOutput.isEmpty)
        }
    #endif

    /// Returns the digest of everything that determines the results of a run over `in.txt`.
    private func digest(
        _ flags: [String] = [], folder: String? = nil, output: BatchOutputFormat = .jsonLines
    ) throws -> SHA256Digest {
        let arguments = try ArgumentParser<VerifyReceipt>.parse(["batch", path("in.txt")] + flags)
        let setup = try VerificationSetup(arguments, messages: Messages(name: "", isQuiet: true))
        let inputs = [BatchInput(path: path("in.txt"), folder: folder)]
        return try #require(
            try BatchRun(arguments, inputs, output, setup, Redaction.chosen(arguments)).digest)
    }

    @Test("a run over a folder and a run over its file are different runs, and so are runs with other formats")
    func folderOrFile() throws {
        try writeFile("no receipt\n", to: "in.txt")
        #expect(try digest() == digest())
        #expect(try digest() != digest(folder: shell.folder.path))
        #expect(try digest() != digest(output: .csv))
    }

    @Test(
        "a run is another one after an input, a root or a key has changed, and the same one with the root in PEM",
        arguments: [
            "echo more >> in.txt", "cp in.txt copy; mv copy in.txt", "sed -i 's/number 7$/number 8/' in.txt",
            "cp -p in.txt old; sed -i 's/number 7$/number 8/' in.txt; touch -r old in.txt",
            "cp samples/root.pem root", "echo changed > key",
            "(umask 077; openssl rand -hex 32 > pseudonyms)",
        ])
    func changedRuns(change: String) throws {
        _ = try shell.run(
            "(umask 077; openssl rand -hex 32 > pseudonyms); cp samples/root.der root; cp samples/play-key.txt key")
        try writeFile("no receipt, number 7\n", to: "in.txt")
        let flags = [
            "--root", path("root"), "--play-key", "com.example.app=\(path("key"))", "--redact-key", path("pseudonyms"),
        ]
        let before = try digest(flags)
        #expect(try digest(flags) == before)
        _ = try shell.run(change)
        #expect(try (digest(flags) == before) == change.contains("root.pem"))
    }

    @Test("--resume over standard input or a pipe is refused", arguments: ["- < in.txt", "p", "in.txt /dev/null"])
    func unrepeatableInputs(input: String) throws {
        _ = try shell.run("echo no receipt > in.txt; mkfifo p")
        let outcome = try shell.run("timeout 60 verify-receipt batch -q -o out --resume \(input)")
        #expect(outcome.code == 2)
        #expect(outcome.errorOutput.first?.contains("--resume cannot continue") == true)
    }

    // MARK: Interruption

    @Test("SIGINT says what is kept and ends a shell's loop")
    func loops() throws {
        _ = try shell.run("mkfifo p")
        let pipe = unsafe open(path("p"), O_RDWR | O_NONBLOCK)
        try #require(pipe >= 0)
        defer { close(pipe) }
        // A full pipe, which has room again when a run has begun to read.
        let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
        while unsafe write(pipe, lines, lines.count) > 0 {}
        let script = "for i in 1 2 3; do echo run $i; verify-receipt batch -q p -o out; echo after $?; done"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/perl")
        // A terminal's foreground job: a group of its own, in which SIGINT is neither blocked nor ignored.
        let job = "setpgrp(0, 0); sigprocmask(SIG_SETMASK, POSIX::SigSet->new); $SIG{INT} = 'DEFAULT'; exec @ARGV"
        process.arguments = ["-MPOSIX", "-e", job, "bash", "-c", script]
        process.currentDirectoryURL = shell.folder
        process.environment = [
            "PATH": URL(fileURLWithPath: try BuiltTool.verifyReceipt.path).deletingLastPathComponent().path
                + ":/usr/bin:/bin"
        ]
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        // A tool that ignores the signal would wait for its input without an end.
        try process.runWithUsualSignals()
        // Ends what is left of the group, which would keep the pipes open.
        defer { kill(-process.processIdentifier, SIGKILL) }
        var room = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
        try #require(unsafe poll(&room, 1, 120_000) == 1, "the tool has not read its input")
        #expect(FileManager.default.fileExists(atPath: path("out.partial")))
        #expect(kill(-process.processIdentifier, SIGINT) == 0)
        process.waitUntilExit()
        kill(-process.processIdentifier, SIGKILL)
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let messages = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(printed == "run 1\n")
        #expect(messages.contains("verify-receipt: interrupted; out was not written"), "\(messages)")
        #expect(!FileManager.default.fileExists(atPath: path("out.partial")))
    }
}
