import CommandLineInterface
import Testing
import TranscriptSupport

@testable import local_store

@Suite("Commands and flags of local-store")
struct TableTests {
    @Test("the tables have no duplicate names, and every example parses")
    func tables() {
        #expect(TableCheck<LocalStoreTool>.problems == [])
    }

    @Test("a flag of another command is rejected by name")
    func flagOfAnotherCommand() {
        #expect(throws: UsageError("--customers cannot be used with buy", hint: "it is an option of simulate")) {
            try ArgumentParser<LocalStoreTool>.parse(["buy", "x", "--customers", "3"])
        }
    }

    @Test("LOCAL_STORE names the store if --store is not given")
    func storeVariable() throws {
        let arguments = try ArgumentParser<LocalStoreTool>.parse(["list"]) { $0 == "LOCAL_STORE" ? "elsewhere" : nil }
        #expect(arguments.value(of: .store) == "elsewhere")
    }
}
