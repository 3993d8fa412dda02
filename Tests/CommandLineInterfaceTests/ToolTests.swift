import Foundation
import Testing
import TranscriptSupport

@testable import CommandLineInterface

@Suite("Common behavior of the tools")
struct ToolTests {
    private func parse(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws(UsageError) -> ToolArguments<SmallTool> {
        try ArgumentParser<SmallTool>.parse(arguments) { environment[$0] }
    }

    // MARK: Parsing

    @Test("an environment variable is named after the tool and the flag, or has its own name")
    func variables() throws {
        #expect(SmallTool.environmentVariable(of: .speed) == "SMALL_TOOL_SPEED")
        #expect(SmallTool.environmentVariable(of: .place) == "PLACE")
        #expect(SmallTool.environmentVariable(of: .json) == nil)
        let arguments = try parse(environment: ["PLACE": "here", "SMALL_TOOL_SPEED": "slow"])
        #expect(arguments.value(of: .place) == "here")
        #expect(arguments.value(of: .speed) == "slow")
    }

    @Test("a word value must be in the list in any case; a suggestion does not limit other values")
    func words() throws {
        #expect(try parse("--speed=FAST").value(of: .speed) == "FAST")
        #expect(throws: UsageError("--speed does not take \"fats\"", hint: "did you mean fast")) {
            try parse("--speed=fats")
        }
        #expect(try parse("--time=2025-01-01T00:00:00Z").value(of: .time) == "2025-01-01T00:00:00Z")
    }

    @Test("a usage error names the flag to use")
    func usageErrors() {
        #expect(throws: UsageError("unknown option --zzzzz", hint: "see small-tool change-all --help")) {
            try parse("change-all", "--zzzzz")
        }
        #expect(throws: UsageError("--place cannot be used with change-all", hint: "it is an option of show")) {
            try parse("change-all", "x", "--place=y")
        }
        #expect(throws: UsageError("-p needs a value", hint: "write --place=DIR")) { try parse("-p") }
    }

    // MARK: Tables

    @Test("tables without mistakes pass the table check")
    func correctTables() {
        #expect(TableCheck<SmallTool>.problems == [])
    }

    @Test("the table check reports duplicate names, missing commands and examples, and malformed sentences")
    func tableCheck() {
        let problems = TableCheck<FaultyTool>.problems
        for problem in [
            "two commands are named show", "show: a summary starts in lower case and has no full stop",
            "show has no example", "show: no full stop: Lists it", "two flags of show are named --quiet",
            "two flags are named -q", "--no-size belongs to no command", "--no-size reads as a negation",
            "--place has a value and a negation", "--place: no full stop",
            "faulty-tool show --size=2: unknown option --size",
        ] {
            #expect(problems.contains(problem), "\(problem)")
        }
        #expect(problems.count == 11)
    }

    // MARK: Help

    @Test("help starts with the tool, and the help of a command with the command")
    func help() {
        let tool = HelpText<SmallTool>.short(for: .show, isNamed: false)
        #expect(
            tool.hasPrefix(
                """
                usage: small-tool [show] [OPTION]...
                       small-tool COMMAND [OPTION]...

                A small tool.

                Commands:
                  show        show it
                  change-all  change it

                """))
        let command = HelpText<SmallTool>.long(for: .changeAll, isNamed: true)
        #expect(command.hasPrefix("usage: small-tool change-all [OPTION]... FILE\n\nChange it.\n\nChanges it.\n"))
        #expect(!command.contains("--place"))
    }

    @Test("the manual page and the completions name the tool and its commands, and no other tool")
    func generatedTexts() {
        let texts = [
            ManualPage<SmallTool>.text, BashCompletion<SmallTool>.text, ZshCompletion<SmallTool>.text,
            FishCompletion<SmallTool>.text,
        ]
        for text in texts {
            #expect(text.contains("small") && text.contains("change"))
            #expect(!text.contains("verify"))
        }
        #expect(BashCompletion<SmallTool>.text.contains("complete -o filenames -F _small_tool small-tool"))
    }

    @Test("bash completes a file name with blanks as one word, and the form that turns a flag off")
    func bashCompletion() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["a receipt.jws", "another *.jws"] {
            try Data().write(to: folder.appendingPathComponent(name))
        }
        func complete(_ word: String) throws -> [String] {
            let script =
                BashCompletion<SmallTool>.text + """
                    COMP_WORDS=(small-tool show "$1") COMP_CWORD=2
                    _small_tool
                    for word in "${COMPREPLY[@]}"; do echo "<$word>"; done
                    """
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = ["-c", script, "bash", word]
            process.currentDirectoryURL = folder
            process.standardOutput = output
            try process.runWithUsualSignals()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return text.split(separator: "\n").map(String.init)
        }
        #expect(try complete("a").sorted() == ["<a receipt.jws>", "<another *.jws>"])
        #expect(try complete("--no-") == ["<--no-json>"])
    }

    // MARK: Exit codes

    @Test("two exit codes combine to the worse one")
    func exitCodes() {
        #expect(ExitCode.success.combined(with: .undecided) == .undecided)
        #expect(ExitCode.undecided.combined(with: .negative) == .negative)
        #expect(ExitCode.negative.combined(with: .unusable) == .unusable)
        #expect(ExitCode.success.combined(with: .success) == .success)
    }
}
