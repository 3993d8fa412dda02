import Testing

@testable import CommandLineInterface

@Suite("What all tools have in common [CARD-6]")
struct ToolTests {
    private func parse(
        _ words: String..., environment: [String: String] = [:]
    ) throws(UsageError) -> ToolArguments<SmallTool> {
        try ArgumentParser<SmallTool>.parse(words) { environment[$0] }
    }

    @Test("a variable has the tool's name and the flag's, or a name of its own [CARD-6]")
    func variables() throws {
        #expect(SmallTool.environmentVariable(of: .speed) == "SMALL_TOOL_SPEED")
        #expect(SmallTool.environmentVariable(of: .place) == "PLACE")
        #expect(SmallTool.environmentVariable(of: .json) == nil)
        let arguments = try parse(environment: ["PLACE": "here", "SMALL_TOOL_SPEED": "slow"])
        #expect(arguments.value(of: .place) == "here")
        #expect(arguments.value(of: .speed) == "slow")
    }

    @Test("words are a list to choose from, or examples where a flag says so [CARD-6]")
    func words() throws {
        #expect(try parse("--speed=FAST").value(of: .speed) == "FAST")
        #expect(throws: UsageError("--speed does not take \"fats\"", hint: "did you mean fast")) {
            try parse("--speed=fats")
        }
        #expect(try parse("--when=2025-01-01T00:00:00Z").value(of: .when) == "2025-01-01T00:00:00Z")
    }

    @Test("a mistake is told with the tool's name and the flag to use [CARD-6]")
    func mistakes() {
        #expect(throws: UsageError("unknown option --zzzzz", hint: "see small-tool change-all --help")) {
            try parse("change-all", "--zzzzz")
        }
        #expect(throws: UsageError("--place does not go with change-all", hint: "it goes with show")) {
            try parse("change-all", "x", "--place=y")
        }
        #expect(throws: UsageError("-p needs a value", hint: "write --place=DIR")) { try parse("-p") }
    }

    @Test("help opens with the tool, and a command's own with the command [CARD-6]")
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

    @Test("manual page and completions name the tool and its commands, and no other tool [CARD-6]")
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

    @Test("of two exit codes the graver one counts [CARD-6]")
    func exitCodes() {
        #expect(ExitCode.success.combined(with: .undecided) == .undecided)
        #expect(ExitCode.undecided.combined(with: .refused) == .refused)
        #expect(ExitCode.refused.combined(with: .unusable) == .unusable)
        #expect(ExitCode.success.combined(with: .success) == .success)
    }
}
