import CommandLineInterface
import Testing

@testable import local_store

@Suite("The tables of commands and flags [CARD-6]")
struct TableTests {
    @Test("every flag has a short name of its own or none, and no flag hides another [CARD-6]")
    func namesAreUnique() {
        let letters = Flag.allCases.compactMap(\.definition.short)
        #expect(Set(letters).count == letters.count)
        for flag in Flag.allCases {
            #expect(!flag.definition.commands.isEmpty)
            #expect(!flag.rawValue.hasPrefix("no-"))
        }
    }

    @Test("every command has an example that is one of its command lines [CARD-6]")
    func examples() throws {
        for command in Command.allCases {
            let examples = command.definition.examples
            #expect(!examples.isEmpty)
            for example in examples {
                let line = try #require(example.line.split(separator: "&&").last ?? nil)
                let first = try #require(line.split(separator: "|").first)
                let words = first.split(separator: " ").map(String.init)
                guard words.first == "local-store" else { continue }
                _ = try ArgumentParser<LocalStoreTool>.parse(Array(words.dropFirst()))
            }
        }
    }

    @Test("a flag of another command is refused by name, and a variable names the store [CARD-6]")
    func flags() throws {
        #expect(throws: UsageError("--customers does not go with buy", hint: "it goes with simulate")) {
            try ArgumentParser<LocalStoreTool>.parse(["buy", "x", "--customers", "3"])
        }
        let arguments = try ArgumentParser<LocalStoreTool>.parse(["list"]) { $0 == "LOCAL_STORE" ? "elsewhere" : nil }
        #expect(arguments.value(of: .store) == "elsewhere")
    }
}
