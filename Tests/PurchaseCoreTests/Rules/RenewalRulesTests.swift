import LedgerConformance
import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The rules of what a ledger stores besides deliveries: renewal infos and the memory.
@Suite("Renewal infos and the memory")
struct RenewalRulesTests {
    @Test("of the renewal infos of a subscription, the one with the latest signing date is kept")
    func renewalsLatest() throws {
        let trial = RuleTrial(.appStore)
        trial.expect(try trial.renewalInfos(), [], "the renewal infos of a new ledger")
        let first = RenewalSample(signed: 5)
        let later = RenewalSample(signed: 7)
        for (sample, kept, situation) in [
            (first, first, "the first was stored"), (first, first, "it was stored again"),
            (RenewalSample(signed: 5, copy: 1), first, "another of the same date was stored"),
            (RenewalSample(signed: 3), first, "an earlier one was stored"), (later, later, "a later one was stored"),
            (first, later, "the earlier one was stored again"),
        ] {
            try trial.record(sample)
            trial.expect(try trial.renewalInfos(), [kept.text], "the renewal infos after \(situation)")
        }
    }

    @Test("subscriptions with ids that differ in one byte have renewal infos of their own")
    func renewalsApart() throws {
        let trial = RuleTrial(.appStore)
        let samples = UnusualText.all.map { RenewalSample(originalID: "id \($0)", signed: 1) }
        for sample in samples { try trial.record(sample) }
        let texts = samples.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        trial.expect(try trial.renewalInfos(), texts, "the renewal infos of similar subscriptions")
    }

    @Test("a change starts from the stored memory, and returns the memory with the change")
    func memoryUpdate() throws {
        let trial = RuleTrial(.appStore)
        let absence = AbsentPurchase(transactionID: "1", since: at(1))
        var expected = LedgerMemory()
        let changes: [@Sendable (inout LedgerMemory) -> Void] = [
            { $0.clock.signed = at(1) }, { $0.absences.append(absence) }, { _ in }, { $0.clock.signed = nil },
            { $0.absences.append(absence) }, { $0.absences.removeLast() },
        ]
        for (number, change) in changes.enumerated() {
            change(&expected)
            trial.expect(
                try trial.updateMemory(change), expected, "the memory that change \(number + 1) returns")
            trial.expect(try trial.memory(), expected, "the memory after change \(number + 1)")
        }
    }
}
