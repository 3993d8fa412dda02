import CommandLineInterface
import Testing
import TranscriptSupport

@testable import verify_receipt

@Suite("Arguments of verify-receipt [CARD-6]")
struct ArgumentParserTests {
    private func parse(_ arguments: String...) throws -> Arguments {
        try ArgumentParser<VerifyReceipt>.parse(arguments)
    }

    private func usageError(_ arguments: String..., environment: [String: String] = [:]) -> UsageError? {
        do throws(UsageError) {
            _ = try ArgumentParser<VerifyReceipt>.parse(arguments) { environment[$0] }
            return nil
        } catch {
            return error
        }
    }

    @Test("the tables have no duplicate names, and every example parses [CARD-6]")
    func tables() {
        #expect(TableCheck<VerifyReceipt>.problems == [])
    }

    @Test("the default command is verify [CARD-6]")
    func defaultCommand() throws {
        let arguments = try parse("a.jws", "--json", "b.jws")
        #expect(arguments.command == .verify)
        #expect(!arguments.isCommandNamed)
        #expect(arguments.operands == ["a.jws", "b.jws"])
        #expect(arguments.has(.json))
    }

    @Test("help and version are words as well as flags, and help takes one command [CARD-6]")
    func helpAndVersion() throws {
        #expect(try parse("help").help == .long)
        #expect(try !parse("help").isCommandNamed)
        let arguments = try parse("help", "batch")
        #expect(arguments.help == .long)
        #expect(arguments.command == .batch && arguments.isCommandNamed)
        #expect(try parse("version").has(.version))
        #expect(try parse("verify", "help", "version").operands == ["help", "version"])
        #expect(usageError("help", "bath")?.hint == "did you mean batch")
        #expect(usageError("help", "batch", "keys")?.message == "help does not take \"keys\"")
    }

    @Test("a command can follow options, and only the first operand names one [CARD-6]")
    func commandAfterOptions() throws {
        let arguments = try parse("--json", "explain", "verify")
        #expect(arguments.command == .explain)
        #expect(arguments.operands == ["verify"])
        #expect(try parse("--", "explain", "--json").operands == ["explain", "--json"])
    }

    @Test("a value can be attached to the long or the short name, or follow it [CARD-6]")
    func valuesInAllForms() throws {
        for words in [["-o", "x"], ["-ox"], ["-qo", "x"], ["--output", "x"], ["--output=x"]] {
            #expect(try ArgumentParser<VerifyReceipt>.parse(words).value(of: .output) == "x")
        }
        #expect(try parse("--output==").value(of: .output) == "=")
        #expect(try parse("--output", "--json").value(of: .output) == "--json")
    }

    @Test("the command chooses between flags of one name, also if it follows them [CARD-6]")
    func sharedNames() throws {
        #expect(try parse("batch", "--payload", "a.jsonl").has(.withPayload))
        #expect(try parse("--payload", "batch", "a.jsonl").operands == ["a.jsonl"])
        #expect(try parse("mint", "--payload", "p.json").value(of: .payload) == "p.json")
        let arguments = try parse("--payload", "p.json", "mint")
        #expect(arguments.command == .mint && arguments.value(of: .payload) == "p.json")
        #expect(usageError("a.jws", "--payload")?.message == "--payload cannot be used with verify")
    }

    @Test("only repeatable flags can be repeated [CARD-6]")
    func repetition() throws {
        #expect(try parse("-b", "a", "--bundle-id=b").values(of: .bundleID) == ["a", "b"])
        #expect(usageError("-o", "a", "-o", "b")?.message == "-o is given twice")
    }

    @Test("the error for a misspelled flag suggests the nearest one [CARD-6]")
    func nearestFlag() {
        #expect(usageError("--bundel-id", "x")?.hint == "did you mean --bundle-id")
        #expect(usageError("--enviroment=x")?.hint == "did you mean --environment")
        #expect(usageError("--zzzzzz")?.hint == "see verify-receipt --help")
    }

    @Test("a flag of another command is rejected by name [CARD-6]")
    func flagOfAnotherCommand() {
        #expect(usageError("inspect", "--root", "x")?.message == "--root cannot be used with inspect")
    }

    @Test("flags that are not given come from the environment [CARD-6]")
    func environment() throws {
        let variables = ["VERIFY_RECEIPT_BUNDLE_ID": "a,b", "VERIFY_RECEIPT_STRICT": "1"]
        let arguments = try ArgumentParser<VerifyReceipt>.parse(["x"]) { variables[$0] }
        #expect(arguments.values(of: .bundleID) == ["a", "b"])
        #expect(arguments.has(.strict))
        let other = try ArgumentParser<VerifyReceipt>.parse(["x", "-b", "c", "--no-strict"]) { variables[$0] }
        #expect(other.values(of: .bundleID) == ["c"])
        #expect(!other.has(.strict))
        #expect(usageError("x", environment: ["VERIFY_RECEIPT_STRICT": "maybe"]) != nil)
    }

    @Test("help is printed even if other arguments are wrong [CARD-6]")
    func helpWins() throws {
        #expect(try parse("inspect", "--root", "x", "--help").help == .long)
        #expect(try parse("-h").help == .short)
    }
}
