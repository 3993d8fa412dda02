import Foundation
import LedgerConformance
import PurchaseCore
import ReceiptTypes
import Testing

/// Checks the ledger in memory, and that the checks find the faults of other ledgers.
@Suite("Conformance of ledgers")
struct LedgerConformanceTests {
    @Test("the ledger in memory keeps every rule of the port")
    func inMemory() async {
        // One actor is its own storage: opening it again returns it.
        let checker = LedgerChecker(isShared: true, storage: { InMemoryLedger() }, open: { $0 })
        #expect(checker.checkedRules == LedgerChecker.rules)
        for violation in await checker.violations() { Issue.record("\(violation)") }
    }

    @Test("each fault of a ledger is reported under the rule that it breaks", arguments: LedgerFault.allCases)
    func faults(_ fault: LedgerFault) async throws {
        let checker = LedgerChecker(isShared: true, storage: { FaultyStorage(fault) }, open: { try await $0.open() })
        let violations = await checker.violations(ofRules: [fault.rule])
        let violation = try #require(violations.first, "\(fault.rawValue)")
        #expect(violation.rule.name == fault.rule)
        #expect(violation.expected != violation.found)
    }

    @Test("every rule of the port is broken by a fault")
    func coverage() {
        #expect(Set(LedgerFault.allCases.map(\.rule)) == Set(LedgerChecker.rules.map(\.name)))
    }

    @Test("random transactions find a fault that no other rule looks for, and report the shortest ones that show it")
    func randomHistories() async throws {
        let checker = LedgerChecker { FaultyLedger(base: InMemoryLedger(), fault: .forgetsThirdHandOver, number: 1) }
        let violations = await checker.violations()
        #expect(violations.map(\.rule.name) == ["random-histories"])
        let violation = try #require(violations.first)
        let steps = violation.situation.split(separator: "\n").filter { $0.hasPrefix("    ") }
        #expect(steps.joined().components(separatedBy: " put ").count <= 4, "\(violation)")
        #expect(steps.last?.contains("hand-over") == true, "\(violation)")
        // The same seed finds the same transactions again.
        #expect(await checker.violations(ofRules: ["random-histories"]) == violations)
    }

    @Test("rules are checked only if the storage can be opened as they need it")
    func requirements() {
        let memory = LedgerChecker { InMemoryLedger() }
        #expect(Set(memory.checkedRules.map(\.requirement)) == [.nothing])
        let stored = LedgerChecker(storage: { InMemoryLedger() }, open: { $0 })
        #expect(Set(stored.checkedRules.map(\.requirement)) == [.nothing, .reopening])
        let shared = LedgerChecker(isShared: true, storage: { InMemoryLedger() }, open: { $0 })
        #expect(shared.checkedRules == LedgerChecker.rules)
        #expect(Set(LedgerChecker.rules.map(\.name)).count == LedgerChecker.rules.count)
    }

    @Test("a ledger that cannot be made breaks every rule, with its error as the finding")
    func cannotBeMade() async {
        let checker = LedgerChecker { throw LedgerError(.notReadable, "the disk is missing") }
        let violations = await checker.violations()
        #expect(Set(violations.map(\.rule)) == Set(checker.checkedRules))
        #expect(violations.allSatisfy { $0.found.contains("the disk is missing") })
    }
}
