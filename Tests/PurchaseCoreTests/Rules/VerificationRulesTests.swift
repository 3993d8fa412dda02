import LedgerConformance
import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The rules of verified entries: versions of a purchase, and signatures of the same facts.
@Suite("What becomes of a verified delivery")
struct VerificationRulesTests {
    @Test(
        "a verified entry leaves quarantine, loses the store's objection, and keeps a later stage",
        arguments: SampleStore.allCases)
    func verify(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let delivery = try trial.store.delivery(PurchaseSample(objection: "objection"))
        try trial.observe(delivery)
        try trial.quarantine(delivery.text)
        for _ in 0..<2 {
            trial.expect(
                try trial.verify(delivery), delivery.entry(.verified), "the entry after it was verified")
            try trial.expectEntries([delivery.entry(.verified)], "after one was verified")
        }
        for stage in [DeliveryStage.recorded, .granted, .finished] {
            let entry = try trial.advance(delivery, to: stage, for: Account.anna)
            trial.expect(try trial.verify(delivery), entry, "the entry verified again at the stage \(stage)")
            try trial.expectEntries([entry], "verified again at the stage \(stage)")
        }
    }

    @Test(
        "entries with the same facts become one, with the last verified text unless that was signed earlier, and the other entry's history",
        arguments: SampleStore.allCases)
    func factsMerge(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        for stage in [DeliveryStage.verified, .recorded, .granted, .finished] {
            let trial = trial.fresh()
            let first = try trial.store.delivery(PurchaseSample(objection: "objection"))
            let copy = try trial.store.delivery(PurchaseSample(copy: 1, objection: "objection"))
            let later = try trial.store.delivery(PurchaseSample(signed: 1, objection: "objection"))
            let other = try trial.store.delivery(PurchaseSample(id: "2"))
            let known = try trial.advance(first, to: stage, for: Account.anna)
            try trial.observe(other)
            var merged = known
            merged.transaction = copy.signed.withoutObjection
            try merge(copy, into: known, merged, other, trial, "another text of the same signing date")
            let before = merged
            merged.transaction = later.signed.withoutObjection
            // All versions of a Google Play purchase have the same date.
            try merge(later, into: before, merged, other, trial, "a later signature")
            if trial.store != .googlePlay {
                try trial.expectError("quarantine of a replaced text") {
                    (rows: inout InMemoryRows) throws(LedgerError) in
                    try rows.quarantine(signedText: first.text, because: .signatureInvalid)
                }
                try merge(first, into: merged, merged, other, trial, "an earlier signature")
            }
        }
        try factsMergeInQuarantine(trial.fresh())
    }

    /// Observes and verifies a delivery with the facts of a known entry, and checks what the entry is then.
    private func merge(
        _ delivery: Delivery, into known: LedgerEntry, _ entry: LedgerEntry, _ other: Delivery, _ trial: RuleTrial,
        _ situation: String
    ) throws {
        let observed = try trial.observe(delivery.signed, from: .history, at: at(7))
        let situation = "\(situation) at the stage \(entry.stage)"
        try trial.expectEntries([known, other.entry(.observed), observed], "with \(situation), not verified")
        trial.expect(try trial.verify(delivery), entry, "the entry merged with \(situation)")
        try trial.expectEntries([entry, other.entry(.observed)], "merged with \(situation)")
    }

    private func factsMergeInQuarantine(_ trial: RuleTrial) throws {
        let first = try trial.store.delivery(PurchaseSample(copy: 1))
        let second = try trial.store.delivery(PurchaseSample(copy: 2))
        try trial.observe(first.signed, from: .history, at: at(7))
        try trial.advance(second, to: .verified)
        try trial.quarantine(second.text)
        var entry = second.entry(.verified)
        entry.transaction = first.signed.withoutObjection
        trial.expect(
            try trial.verify(first), entry, "the entry merged with one in quarantine that was verified first")
        try trial.expectEntries([entry], "merged with one in quarantine that was verified first")
    }

    @Test("entries with different facts stay apart, even of one transaction", arguments: SampleStore.allCases)
    func factsApart(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        var samples = [PurchaseSample(), PurchaseSample(isRefunded: true), PurchaseSample(productID: "gems")]
        samples += UnusualText.all.map { PurchaseSample(id: "id \($0)") }
        var entries: [LedgerEntry] = []
        for sample in samples {
            let delivery = try trial.store.delivery(sample)
            try trial.observe(delivery)
            let entry = delivery.entry(.verified)
            trial.expect(try trial.verify(delivery), entry, "the entry of other facts")
            entries.append(entry)
            try trial.expectEntries(entries, "after one with other facts was verified")
        }
    }

    /// A finished purchase, and the signing date of another recorded version of it.
    private struct Versions {
        let bought = PurchaseSample(signed: 10)
        var other = PurchaseSample(isRefunded: true, signed: 11)
        var stage = DeliveryStage.recorded
        var again = PurchaseSample(signed: 20)
    }

    /// Returns the entries after the purchase was signed again; the first is that of the purchase.
    private func signAgain(
        _ versions: Versions, expected stage: DeliveryStage, _ situation: String
    ) throws {
        let trial = RuleTrial(.appStore)
        let bought = try trial.store.delivery(versions.bought)
        let other = try trial.store.delivery(versions.other)
        let again = try trial.store.delivery(versions.again)
        try trial.advance(bought, to: .finished, for: Account.anna)
        let otherEntry = try trial.advance(other, to: versions.stage, for: Account.anna)
        try trial.observe(again.signed, from: .history, at: at(30))
        let text = versions.again.signed >= versions.bought.signed ? again : bought
        var entry = text.entry(stage, account: Account.anna)
        trial.expect(try trial.verify(again), entry, "the entry \(situation)")
        try trial.expectEntries([entry, otherEntry], situation)
        guard stage == .verified else { return }
        try trial.expectRecorded(bought.key, [otherEntry], "the recorded entries \(situation)")
        trial.expect(
            try trial.record(again, for: Account.anna), .merged, "recording the entry \(situation)")
        try trial.grant(again)
        try trial.finish(again)
        entry.stage = .finished
        try trial.expectEntries([entry, otherEntry], "granted again \(situation)")
    }

    @Test("a purchase that returns to an earlier state is verified again, to be recorded and granted")
    func returnReopens() throws {
        try signAgain(Versions(), expected: .verified, "after a reversed refund")
        for stage in [DeliveryStage.granted, .finished] {
            try signAgain(
                Versions(stage: stage), expected: .verified, "after a reversed refund that is \(stage)")
        }
        try signAgain(
            Versions(other: PurchaseSample(isRefunded: true, signed: 10)), expected: .verified,
            "after a reversed refund that was signed together with the purchase")
        try signAgain(
            Versions(other: PurchaseSample(isRefunded: true, signed: 99)), expected: .verified,
            "after a reversed refund that was signed later than both")
        let trial = RuleTrial(.appStore)
        let samples = ["1", "2"].map { PurchaseSample(id: $0, originalID: "1", billingEvent: "event", signed: 10) }
        let deliveries = try samples.map(trial.store.delivery)
        for delivery in deliveries { try trial.advance(delivery, to: .recorded) }
        var again = samples[0]
        again.signed = 20
        let signed = try trial.store.delivery(again)
        try trial.observe(signed)
        trial.expect(
            try trial.verify(signed), signed.entry(.verified),
            "the entry signed again after another transaction of its billing event was recorded")
    }

    @Test("a new signature of the present state does not re-open its entry")
    func returnOnly() throws {
        try signAgain(
            Versions(other: PurchaseSample(isRefunded: true, signed: 9)), expected: .finished,
            "signed again after an earlier version of the purchase")
        try signAgain(
            Versions(stage: .verified), expected: .finished,
            "signed again after a refund that is not recorded")
        try signAgain(
            Versions(stage: .observed), expected: .finished,
            "signed again after a refund that is not verified")
        try signAgain(
            Versions(other: PurchaseSample(id: "2", isRefunded: true, signed: 11)), expected: .finished,
            "signed again after the refund of another purchase")
        try signAgain(
            Versions(again: PurchaseSample(signed: 9)), expected: .finished,
            "signed earlier than the known version, after a refund")
        try signAgain(
            Versions(again: PurchaseSample(signed: 10, copy: 1)), expected: .finished,
            "signed together with the known version, after a refund")
    }
}
