import JournalConformance
import PurchaseCore
import ReceiptTypes
import Testing

/// Checks the journals of the package, and that the checks find the defects of other journals.
@Suite("Conformance of journals")
struct JournalConformanceTests {
    @Test("the journal in memory keeps every rule of the port")
    func inMemory() async {
        // One actor is its own storage: opening it again returns it.
        let checker = JournalChecker(reopen: { $0 }, share: { $0 }, make: { InMemoryLedger() })
        #expect(checker.checkedRules == JournalChecker.rules)
        for violation in await checker.violations() { Issue.record("\(violation)") }
    }

    @Test("rules are checked only if the journal can be opened again as they need it")
    func requirements() {
        let memory = JournalChecker { InMemoryLedger() }
        #expect(Set(memory.checkedRules.map(\.requirement)) == [.nothing])
        let stored = JournalChecker(storage: { InMemoryLedger() }, open: { $0 })
        #expect(Set(stored.checkedRules.map(\.requirement)) == [.nothing, .reopening])
        let shared = JournalChecker(isShared: true, storage: { InMemoryLedger() }, open: { $0 })
        #expect(shared.checkedRules == JournalChecker.rules)
        #expect(Set(JournalChecker.rules.map(\.name)).count == JournalChecker.rules.count)
    }

    @Test("a journal that cannot be made breaks every rule, with its error as the finding")
    func cannotBeMade() async {
        let checker = JournalChecker { throw JournalError(.notReadable, "the disk is missing") }
        let violations = await checker.violations()
        #expect(Set(violations.map(\.rule)) == Set(checker.checkedRules))
        #expect(violations.allSatisfy { $0.found.contains("the disk is missing") })
    }
}
