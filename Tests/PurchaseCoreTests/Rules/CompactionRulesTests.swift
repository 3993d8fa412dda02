import LedgerConformance
import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The rules of compaction.
@Suite("Compaction")
struct CompactionRulesTests {
    @Test(
        "compaction deletes an entry that is not verified if a later one of its kind replaces it",
        arguments: SampleStore.allCases)
    func compactReplaced(_ store: SampleStore) throws {
        for reason in [VerificationFailure.Code.signatureInvalid, nil] {
            try compactReplaced(RuleTrial(store), reason)
        }
    }

    private func compactReplaced(_ trial: RuleTrial, _ reason: VerificationFailure.Code?) throws {
        let situation = reason.map { "in quarantine because of \($0.rawValue)" } ?? "neither verified nor in quarantine"
        var entries: [LedgerEntry] = []
        for number in 0..<6 {
            let delivery = try trial.store.delivery(PurchaseSample(id: "\(number % 2)", copy: number))
            // A clock that moves back does not make a delivery earlier.
            entries.append(try trial.observe(delivery.signed, at: at(Int64(-number))))
            entries[number].quarantineReason = reason
            if let reason { try trial.quarantine(delivery.text, reason) }
        }
        for _ in 0..<2 {
            try trial.compact()
            try trial.expectEntries(
                Array(entries.suffix(2)),
                "after a compaction of three deliveries of each of two transactions \(situation)")
        }
        let again = try trial.store.delivery(PurchaseSample(id: "0", copy: 0))
        let entry = try trial.observe(again.signed, from: .history, at: at(50))
        trial.expect(
            entry, LedgerEntry(transaction: again.signed, source: .history, observedAt: at(50)),
            "the entry of a deleted text that is delivered again")
        try trial.expectEntries(Array(entries.suffix(2)) + [entry], "after a deleted text was delivered again")
    }

    @Test("compaction keeps every entry that a decision needs, and everything else", arguments: SampleStore.allCases)
    func compactNeeded(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        var keys: [PurchaseKey] = []
        for stage in DeliveryStage.allCases where stage >= .verified {
            for isRefunded in [false, true] {
                let delivery = try trial.store.delivery(
                    PurchaseSample(id: "\(stage)", isRefunded: isRefunded, signed: isRefunded ? 1 : 0))
                try trial.advance(delivery, to: stage, for: Account.anna)
                keys.append(delivery.key)
            }
        }
        for (number, source) in DeliverySource.allCases.enumerated() {
            let delivery = try trial.store.delivery(PurchaseSample(id: "undecided", copy: number))
            try trial.observe(delivery.signed, from: source)
        }
        // Different in the reason, the transaction id, or the product id.
        var samples = [PurchaseSample(id: "undecided", copy: 10), PurchaseSample(id: "undecided", copy: 11)]
        samples += UnusualText.all.filter { !$0.isEmpty }.flatMap { text in
            [PurchaseSample(id: "id \(text)"), PurchaseSample(id: "undecided", productID: text)]
        }
        for (number, sample) in samples.enumerated() {
            let delivery = try trial.store.delivery(sample)
            try trial.observe(delivery)
            try trial.quarantine(delivery.text, number == 1 ? .storeObjection : .signatureInvalid)
        }
        try trial.record(RenewalSample())
        try trial.updateMemory { $0.pending.append(PendingPurchase(productID: "coins", since: at(1))) }
        let claim = try trial.expectClaim(try trial.claim(keys[0], from: at(0), until: at(1)), "the first claim")
        let content = try trial.content(keys)
        try trial.compact()
        trial.expect(
            try trial.content(keys), content, "the content after a compaction with nothing to delete")
        trial.expectNoClaim(
            try trial.claim(keys[0], from: at(0), until: at(1)), "a second claim after a compaction")
        try trial.release(claim)
    }
}
