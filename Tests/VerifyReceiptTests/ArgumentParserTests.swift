import CommandLineInterface
import Testing

@testable import verify_receipt

@Suite("Arguments [CARD-6]")
struct ArgumentParserTests {
    private func parse(_ words: String...) throws -> Arguments {
        try ArgumentParser<VerifyReceipt>.parse(words)
    }

    private func refusal(_ words: String..., environment: [String: String] = [:]) -> UsageError? {
        do throws(UsageError) {
            _ = try ArgumentParser<VerifyReceipt>.parse(words) { environment[$0] }
            return nil
        } catch {
            return error
        }
    }

    @Test("verify is assumed where no command is named [CARD-6]")
    func verifyIsAssumed() throws {
        let arguments = try parse("a.jws", "--json", "b.jws")
        #expect(arguments.command == .verify)
        #expect(!arguments.isCommandNamed)
        #expect(arguments.operands == ["a.jws", "b.jws"])
        #expect(arguments.has(.json))
    }

    @Test("a command may follow options, and only the first operand names one [CARD-6]")
    func commandMayFollowOptions() throws {
        let arguments = try parse("--json", "explain", "verify")
        #expect(arguments.command == .explain)
        #expect(arguments.operands == ["verify"])
        #expect(try parse("--", "explain", "--json").operands == ["explain", "--json"])
    }

    @Test("a value may be attached or follow, with the long name and the short one [CARD-6]")
    func valuesInAllForms() throws {
        for words in [["-o", "x"], ["-ox"], ["-qo", "x"], ["--output", "x"], ["--output=x"]] {
            #expect(try ArgumentParser<VerifyReceipt>.parse(words).value(of: .output) == "x")
        }
        #expect(try parse("--output==").value(of: .output) == "=")
        #expect(try parse("--output", "--json").value(of: .output) == "--json")
    }

    @Test("only repeatable flags may be repeated [CARD-6]")
    func repetition() throws {
        #expect(try parse("-b", "a", "--bundle-id=b").values(of: .bundleID) == ["a", "b"])
        #expect(refusal("-o", "a", "-o", "b")?.message == "-o is given twice")
    }

    @Test("a misspelt flag gets the nearest one as a hint [CARD-6]")
    func nearestFlag() {
        #expect(refusal("--bundel-id", "x")?.hint == "did you mean --bundle-id")
        #expect(refusal("--enviroment=x")?.hint == "did you mean --environment")
        #expect(refusal("--zzzzzz")?.hint == "see verify-receipt --help")
    }

    @Test("a flag of another command is refused by name [CARD-6]")
    func foreignFlag() {
        #expect(refusal("inspect", "--root", "x")?.message == "--root does not go with inspect")
    }

    @Test("the environment fills in, and the command line wins [CARD-6]")
    func environment() throws {
        let variables = ["VERIFY_RECEIPT_BUNDLE_ID": "a,b", "VERIFY_RECEIPT_STRICT": "1"]
        let arguments = try ArgumentParser<VerifyReceipt>.parse(["x"]) { variables[$0] }
        #expect(arguments.values(of: .bundleID) == ["a", "b"])
        #expect(arguments.has(.strict))
        let other = try ArgumentParser<VerifyReceipt>.parse(["x", "-b", "c", "--no-strict"]) { variables[$0] }
        #expect(other.values(of: .bundleID) == ["c"])
        #expect(!other.has(.strict))
        #expect(refusal("x", environment: ["VERIFY_RECEIPT_STRICT": "maybe"]) != nil)
    }

    @Test("every flag has a short name of its own or none, and no flag hides another [CARD-6]")
    func namesAreUnique() {
        let letters = Flag.allCases.compactMap(\.definition.short)
        #expect(Set(letters).count == letters.count)
        for flag in Flag.allCases {
            #expect(flag.definition.commands.isEmpty == false)
            #expect(flag.rawValue.hasPrefix("no-") == false)
        }
    }

    @Test("help is given whatever else is wrong [CARD-6]")
    func helpWins() throws {
        #expect(try parse("inspect", "--root", "x", "--help").help == .long)
        #expect(try parse("-h").help == .short)
    }
}
