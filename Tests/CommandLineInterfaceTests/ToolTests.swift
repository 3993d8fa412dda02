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

    @Test("an error about the value of an environment variable names the variable")
    func wrongVariables() throws {
        #expect(throws: UsageError("SMALL_TOOL_SPEED does not take \"fats\"", hint: "did you mean fast")) {
            try parse(environment: ["SMALL_TOOL_SPEED": "fats"])
        }
        let arguments = try parse("--speed=slow", environment: ["PLACE": "x", "SMALL_TOOL_SPEED": "fast"])
        #expect(arguments.spelling(of: .place) == "PLACE")
        #expect(arguments.spelling(of: .speed) == "--speed", "the command line overrides the variable")
        #expect(arguments.spelling(of: .time) == "--time")
        #expect(throws: UsageError("PLACE takes a whole number of at least 1, not \"x\"")) {
            try arguments.positiveNumber(of: .place)
        }
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
        let text = HelpText<SmallTool>(layout: TextLayout(terminalWidth: nil))
        let tool = text.short(for: .show, isNamed: false)
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
        let command = text.long(for: .changeAll, isNamed: true)
        #expect(command.hasPrefix("usage: small-tool change-all [OPTION]... FILE\n\nChange it.\n\nChanges it.\n"))
        #expect(!command.contains("--place"))
    }

    @Test(
        "help fits the width of the terminal, from 40 to 100 columns; without a terminal it has 80",
        arguments: [(nil, 80), (1, 40), (40, 40), (59, 59), (72, 72), (100, 100), (300, 100)] as [(Int?, Int)])
    func helpWidth(terminal: Int?, width: Int) {
        let layout = TextLayout(terminalWidth: terminal)
        let words = String(repeating: "word ", count: 100)
        let rows = layout.columns([("--place", words), ("--a-long-flag-of-the-tool", words)], gap: 28)
        let texts = [layout.wrap(words, indent: 0), rows]
        for text in texts {
            let counts = text.split(separator: "\n").map(\.count)
            #expect(counts.max().map { $0 <= width && $0 > width - 5 } == true, "\(text)")
        }
        // Columns that are too narrow to read stand below each other.
        #expect(rows.hasPrefix("  --place\n      word") == (width < 60))
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
        func complete(_ word: String, after previous: String = "show") throws -> [String] {
            let script =
                BashCompletion<SmallTool>.text + """
                    COMP_WORDS=(small-tool "$2" "$1") COMP_CWORD=2
                    _small_tool
                    for word in "${COMPREPLY[@]}"; do echo "<$word>"; done
                    """
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = ["-c", script, "bash", word, previous]
            process.currentDirectoryURL = folder
            process.standardOutput = output
            try process.runWithUsualSignals()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return text.split(separator: "\n").map(String.init)
        }
        #expect(try complete("a").sorted() == ["<a receipt.jws>", "<another *.jws>"])
        #expect(try complete("--no-") == ["<--no-json>"])
        #expect(try complete("le") == ["<left>"], "the words of an operand")
        #expect(try complete("c", after: "help") == ["<change-all>"])
        #expect(try complete("h", after: "--parts").sorted() == ["<hand>", "<head>"])
        #expect(try complete("foot,he", after: "--parts") == ["<foot,head>"])
        #expect(try complete("foot,", after: "--parts").count == 3)
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
