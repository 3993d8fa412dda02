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
        let checker = JournalChecker(reopen: { $0 }, share: { $0 }, make: { InMemoryJournal() })
        #expect(checker.checkedRules == JournalChecker.rules)
        for violation in await checker.violations() { Issue.record("\(violation)") }
    }

    @Test("each defect of a journal is reported under the rule that it breaks", arguments: Defect.all)
    func defects(_ defect: Defect) async {
        let violations = await defect.checker.violations(ofRules: [defect.rule])
        #expect(!violations.isEmpty)
        for violation in violations {
            #expect(violation.rule.name == defect.rule)
            #expect(violation.expected != violation.found)
        }
    }

    @Test("every rule of the port is broken by a defect")
    func coverage() {
        let broken = Set((Defect.all + [Defect.hidden]).map(\.rule))
        #expect(broken == Set(JournalChecker.rules.map(\.name)))
    }

    @Test("random calls find a defect that no other rule looks for, and report the shortest calls that show it")
    func randomHistories() async throws {
        let violations = await Defect.hidden.checker.violations()
        #expect(violations.map(\.rule.name) == ["random-histories"])
        let violation = try #require(violations.first)
        let calls = violation.situation.split(separator: "\n").filter { $0.hasPrefix("    ") }
        #expect(calls.count == 2, "\(violation)")
        #expect(calls.last?.contains("quarantine") == true, "\(violation)")
        // The same seed finds the same calls again.
        #expect(await Defect.hidden.checker.violations(ofRules: ["random-histories"]) == violations)
    }

    @Test("a journal with the port's default implementations keeps the rules for one service")
    func singleService() async {
        var checker = JournalChecker {
            PatchedJournal(InMemoryJournal()) {
                $0.claiming = { _, key, start, end in FulfilmentClaim(key: key, number: 0, start: start, end: end) }
                $0.renewing = { _, claim, start, end in claim.renewed(from: start, until: end) }
                $0.releasing = { _, _ in }
                $0.granting = { base, jws, fulfilment, claim throws(JournalError) in
                    try await base.markGrantedAlone(signedText: jws, fulfilment, of: claim.key)
                }
                $0.compacting = { _ in }
            }
        }
        let broken = Set(await checker.violations().map(\.rule))
        #expect(broken.count { $0.isOptional } > 5)
        checker.checksOptionalRules = false
        #expect(!checker.checkedRules.contains { $0.isOptional })
        for violation in await checker.violations() { Issue.record("\(violation)") }
    }

    @Test("rules are checked only if the journal can be opened again as they need it")
    func requirements() {
        let memory = JournalChecker { InMemoryJournal() }
        #expect(Set(memory.checkedRules.map(\.requirement)) == [.nothing])
        let stored = JournalChecker(storage: { InMemoryJournal() }, open: { $0 })
        #expect(Set(stored.checkedRules.map(\.requirement)) == [.nothing, .reopening])
        let shared = JournalChecker(isShared: true, storage: { InMemoryJournal() }, open: { $0 })
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
