internal import PurchaseCore
internal import ReceiptTypes

/// The rules of compaction.
enum CompactionRules {
    static let all = [
        Check(
            "compact-replaced",
            "compaction deletes an entry that is not verified if a later one of its kind replaces it",
            compactReplaced),
        Check(
            "compact-needed", "compaction keeps every entry that a decision needs, and everything else",
            compactNeeded),
    ]

    private static func compactReplaced(_ trial: Trial) async throws {
        for reason in [VerificationFailure.Code.signatureInvalid, nil] {
            try await compactReplaced(try await trial.fresh(), reason)
        }
    }

    private static func compactReplaced(_ trial: Trial, _ reason: VerificationFailure.Code?) async throws {
        let situation = reason.map { "in quarantine because of \($0.rawValue)" } ?? "neither verified nor in quarantine"
        var entries: [JournalEntry] = []
        for number in 0..<6 {
            let delivery = try trial.store.delivery(PurchaseSample(id: "\(number % 2)", copy: number))
            // A clock that moves back does not make a delivery earlier.
            entries.append(try await trial.observe(delivery.signed, at: at(Int64(-number))))
            entries[number].quarantineReason = reason
            if let reason { try await trial.quarantine(delivery.text, reason) }
        }
        for _ in 0..<2 {
            try await trial.compact()
            try await trial.expectEntries(
                Array(entries.suffix(2)),
                "after a compaction of three deliveries of each of two transactions \(situation)")
        }
        let again = try trial.store.delivery(PurchaseSample(id: "0", copy: 0))
        let entry = try await trial.observe(again.signed, from: .history, at: at(50))
        try trial.expect(
            entry, JournalEntry(transaction: again.signed, source: .history, observedAt: at(50)),
            "the entry of a deleted text that is delivered again")
        try await trial.expectEntries(Array(entries.suffix(2)) + [entry], "after a deleted text was delivered again")
    }

    private static func compactNeeded(_ trial: Trial) async throws {
        var keys: [PurchaseKey] = []
        for stage in JournalStage.allCases where stage >= .verified {
            for isRefunded in [false, true] {
                let delivery = try trial.store.delivery(
                    PurchaseSample(id: "\(stage)", isRefunded: isRefunded, signed: isRefunded ? 1 : 0))
                try await trial.advance(delivery, to: stage, for: Account.anna)
                keys.append(delivery.key)
            }
        }
        for (number, source) in DeliverySource.allCases.enumerated() {
            let delivery = try trial.store.delivery(PurchaseSample(id: "undecided", copy: number))
            try await trial.observe(delivery.signed, from: source)
        }
        // Different in the reason, the transaction id, or the product id.
        var samples = [PurchaseSample(id: "undecided", copy: 10), PurchaseSample(id: "undecided", copy: 11)]
        samples += UnusualText.all.filter { !$0.isEmpty }.flatMap { text in
            [PurchaseSample(id: "id \(text)"), PurchaseSample(id: "undecided", productID: text)]
        }
        for (number, sample) in samples.enumerated() {
            let delivery = try trial.store.delivery(sample)
            try await trial.observe(delivery)
            try await trial.quarantine(delivery.text, number == 1 ? .storeObjection : .signatureInvalid)
        }
        try await trial.record(RenewalSample())
        try await trial.updateMemory { $0 = MemoryRules.unusual }
        let claim = try trial.expectClaim(try await trial.claim(keys[0], from: at(0), until: at(1)), "the first claim")
        let content = try await trial.content(keys)
        try await trial.compact()
        try Trial.compare(
            try await trial.content(keys), content, "the content after a compaction with nothing to delete")
        try trial.expectNoClaim(
            try await trial.claim(keys[0], from: at(0), until: at(1)), "a second claim after a compaction")
        try await trial.release(claim)
    }
}
