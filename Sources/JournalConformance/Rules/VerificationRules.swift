internal import PurchaseCore
internal import ReceiptTypes

/// The rules of verified entries: versions of a purchase, and signatures of the same facts.
enum VerificationRules {
    static let all = [
        Check(
            "verify", "a verified entry leaves quarantine, loses the store's objection, and keeps a later stage",
            verify),
        Check(
            "facts-merge",
            "entries with the same facts become one, with the last verified text unless that was signed earlier, and "
                + "the other entry's history",
            factsMerge),
        Check(
            "facts-apart", "entries with different facts stay apart, even of one transaction",
            factsApart),
        Check(
            "return-reopens",
            "a purchase that returns to an earlier state is verified again, to be recorded and granted",
            in: [.appStore], returnReopens),
        Check(
            "return-only", "a new signature of the present state does not re-open its entry",
            in: [.appStore], returnOnly),
    ]

    private static func verify(_ trial: Trial) async throws {
        let delivery = try trial.store.delivery(PurchaseSample(objection: "objection"))
        try await trial.observe(delivery)
        try await trial.quarantine(delivery.text)
        for _ in 0..<2 {
            try trial.expect(
                try await trial.verify(delivery), delivery.entry(.verified), "the entry after it was verified")
            try await trial.expectEntries([delivery.entry(.verified)], "after one was verified")
        }
        for stage in [JournalStage.recorded, .granted, .finished] {
            let entry = try await trial.advance(delivery, to: stage, for: Account.anna)
            try trial.expect(try await trial.verify(delivery), entry, "the entry verified again at the stage \(stage)")
            try await trial.expectEntries([entry], "verified again at the stage \(stage)")
        }
    }

    private static func factsMerge(_ trial: Trial) async throws {
        for stage in [JournalStage.verified, .recorded, .granted, .finished] {
            let trial = try await trial.fresh()
            let first = try trial.store.delivery(PurchaseSample(objection: "objection"))
            let copy = try trial.store.delivery(PurchaseSample(copy: 1, objection: "objection"))
            let later = try trial.store.delivery(PurchaseSample(signed: 1, objection: "objection"))
            let other = try trial.store.delivery(PurchaseSample(id: "2"))
            let known = try await trial.advance(first, to: stage, for: Account.anna)
            try await trial.observe(other)
            var merged = known
            merged.transaction = copy.signed.withoutObjection
            try await merge(copy, into: known, merged, other, trial, "another text of the same signing date")
            let before = merged
            merged.transaction = later.signed.withoutObjection
            // All versions of a Google Play purchase have the same date.
            try await merge(later, into: before, merged, other, trial, "a later signature")
            if trial.store != .googlePlay {
                try await trial.expectError("quarantine of a replaced text") { journal throws(JournalError) in
                    try await journal.quarantine(signedText: first.text, because: .signatureInvalid)
                }
                try await merge(first, into: merged, merged, other, trial, "an earlier signature")
            }
        }
        try await factsMergeInQuarantine(try await trial.fresh())
    }

    /// Observes and verifies a delivery with the facts of a known entry, and checks what the entry is then.
    private static func merge(
        _ delivery: Delivery, into known: JournalEntry, _ entry: JournalEntry, _ other: Delivery, _ trial: Trial,
        _ situation: String
    ) async throws {
        let observed = try await trial.observe(delivery.signed, from: .history, at: at(7))
        let situation = "\(situation) at the stage \(entry.stage)"
        try await trial.expectEntries([known, other.entry(.observed), observed], "with \(situation), not verified")
        try trial.expect(try await trial.verify(delivery), entry, "the entry merged with \(situation)")
        try await trial.expectEntries([entry, other.entry(.observed)], "merged with \(situation)")
    }

    private static func factsMergeInQuarantine(_ trial: Trial) async throws {
        let first = try trial.store.delivery(PurchaseSample(copy: 1))
        let second = try trial.store.delivery(PurchaseSample(copy: 2))
        try await trial.observe(first.signed, from: .history, at: at(7))
        try await trial.advance(second, to: .verified)
        try await trial.quarantine(second.text)
        var entry = second.entry(.verified)
        entry.transaction = first.signed.withoutObjection
        try trial.expect(
            try await trial.verify(first), entry, "the entry merged with one in quarantine that was verified first")
        try await trial.expectEntries([entry], "merged with one in quarantine that was verified first")
    }

    private static func factsApart(_ trial: Trial) async throws {
        var samples = [PurchaseSample(), PurchaseSample(isRefunded: true), PurchaseSample(productID: "gems")]
        samples += UnusualText.all.map { PurchaseSample(id: "id \($0)") }
        var entries: [JournalEntry] = []
        for sample in samples {
            let delivery = try trial.store.delivery(sample)
            try await trial.observe(delivery)
            let entry = delivery.entry(.verified)
            try trial.expect(try await trial.verify(delivery), entry, "the entry of other facts")
            entries.append(entry)
            try await trial.expectEntries(entries, "after one with other facts was verified")
        }
    }

    /// A finished purchase, and the signing date of another recorded version of it.
    private struct Versions {
        let bought = PurchaseSample(signed: 10)
        var other = PurchaseSample(isRefunded: true, signed: 11)
        var stage = JournalStage.recorded
        var again = PurchaseSample(signed: 20)
    }

    /// Returns the entries after the purchase was signed again; the first is that of the purchase.
    private static func signAgain(
        _ versions: Versions, _ trial: Trial, expected stage: JournalStage, _ situation: String
    ) async throws {
        let trial = try await trial.fresh()
        let bought = try trial.store.delivery(versions.bought)
        let other = try trial.store.delivery(versions.other)
        let again = try trial.store.delivery(versions.again)
        try await trial.advance(bought, to: .finished, for: Account.anna)
        let otherEntry = try await trial.advance(other, to: versions.stage, for: Account.anna)
        try await trial.observe(again.signed, from: .history, at: at(30))
        let text = versions.again.signed >= versions.bought.signed ? again : bought
        var entry = text.entry(stage, account: Account.anna)
        try trial.expect(try await trial.verify(again), entry, "the entry \(situation)")
        try await trial.expectEntries([entry, otherEntry], situation)
        guard stage == .verified else { return }
        try await trial.expectRecorded(bought.key, [otherEntry], "the recorded entries \(situation)")
        try trial.expect(
            try await trial.record(again, for: Account.anna), .merged, "recording the entry \(situation)")
        try await trial.grant(again)
        try await trial.finish(again)
        entry.stage = .finished
        try await trial.expectEntries([entry, otherEntry], "granted again \(situation)")
    }

    private static func returnReopens(_ trial: Trial) async throws {
        try await signAgain(Versions(), trial, expected: .verified, "after a reversed refund")
        for stage in [JournalStage.granted, .finished] {
            try await signAgain(
                Versions(stage: stage), trial, expected: .verified, "after a reversed refund that is \(stage)")
        }
        try await signAgain(
            Versions(other: PurchaseSample(isRefunded: true, signed: 10)), trial, expected: .verified,
            "after a reversed refund that was signed together with the purchase")
        try await signAgain(
            Versions(other: PurchaseSample(isRefunded: true, signed: 99)), trial, expected: .verified,
            "after a reversed refund that was signed later than both")
        let trial = try await trial.fresh()
        let samples = ["1", "2"].map { PurchaseSample(id: $0, originalID: "1", billingEvent: "event", signed: 10) }
        let deliveries = try samples.map(trial.store.delivery)
        for delivery in deliveries { try await trial.advance(delivery, to: .recorded) }
        var again = samples[0]
        again.signed = 20
        let signed = try trial.store.delivery(again)
        try await trial.observe(signed)
        try trial.expect(
            try await trial.verify(signed), signed.entry(.verified),
            "the entry signed again after another transaction of its billing event was recorded")
    }

    private static func returnOnly(_ trial: Trial) async throws {
        try await signAgain(
            Versions(other: PurchaseSample(isRefunded: true, signed: 9)), trial, expected: .finished,
            "signed again after an earlier version of the purchase")
        try await signAgain(
            Versions(stage: .verified), trial, expected: .finished,
            "signed again after a refund that is not recorded")
        try await signAgain(
            Versions(stage: .observed), trial, expected: .finished,
            "signed again after a refund that is not verified")
        try await signAgain(
            Versions(other: PurchaseSample(id: "2", isRefunded: true, signed: 11)), trial, expected: .finished,
            "signed again after the refund of another purchase")
        try await signAgain(
            Versions(again: PurchaseSample(signed: 9)), trial, expected: .finished,
            "signed earlier than the known version, after a refund")
        try await signAgain(
            Versions(again: PurchaseSample(signed: 10, copy: 1)), trial, expected: .finished,
            "signed together with the known version, after a refund")
    }
}
