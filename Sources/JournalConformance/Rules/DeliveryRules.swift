internal import PurchaseCore
internal import ReceiptTypes

/// The rules of observing deliveries and of quarantine.
enum DeliveryRules {
    static let all = [
        Check(
            "observe-new", "a new delivery gets an entry with the delivery, its source and its time",
            observeNew),
        Check(
            "observe-again", "a redelivery of the same text returns the existing entry and changes nothing",
            observeAgain),
        Check(
            "texts-exact", "texts that differ in one byte are different entries",
            textsExact),
        Check(
            "content-exact", "an entry keeps every field unchanged, also unusual text",
            contentExact),
        Check(
            "entries-in-order", "entries are in the order of their first delivery, by the calls and not by the clock",
            entriesInOrder),
        Check(
            "quarantine", "an entry that is not recorded moves to observed and keeps the latest reason",
            quarantine),
        Check(
            "out-of-order",
            "a call on a missing entry, or one at the wrong stage, throws out-of-order and changes nothing",
            outOfOrder),
    ]

    private static func observeNew(_ trial: Trial) async throws {
        try await trial.expectEntries([], "of a new journal")
        var entries: [JournalEntry] = []
        for (number, source) in DeliverySource.allCases.enumerated() {
            let minute = Int64(number)
            let delivery = try trial.store.delivery(
                PurchaseSample(id: source.rawValue, objection: number == 0 ? nil : "objection \(number)"))
            let entry = JournalEntry(transaction: delivery.signed, source: source, observedAt: at(minute))
            let found = try await trial.observe(delivery.signed, from: source, at: at(minute))
            try trial.expect(found, entry, "the entry of a new delivery from \(source.rawValue)")
            entries.append(entry)
            try await trial.expectEntries(entries, "after a delivery from \(source.rawValue)")
        }
    }

    private static func observeAgain(_ trial: Trial) async throws {
        for stage in JournalStage.allCases {
            let trial = try await trial.fresh()
            let delivery = try trial.store.delivery(PurchaseSample(objection: "objection"))
            let entry = try await trial.advance(delivery, to: stage, for: Account.anna)
            for now in [at(9), at(-9), at(0)] {
                let found = try await trial.observe(delivery.redelivered, from: .history, at: now)
                try trial.expect(found, entry, "the entry of a redelivery at the stage \(stage)")
            }
            try await trial.expectEntries([entry], "after a redelivery at the stage \(stage)")
        }
    }

    private static func textsExact(_ trial: Trial) async throws {
        var entries: [JournalEntry] = []
        for text in UnusualText.all {
            let signed = trial.store.signed(text: text, id: "1", productID: "coins")
            let entry = JournalEntry(transaction: signed, source: .update, observedAt: at(0))
            try trial.expect(try await trial.observe(signed), entry, "the entry of a delivery \(text.rendering)")
            entries.append(entry)
        }
        try await trial.expectEntries(entries, "after deliveries with similar texts")
        for index in entries.indices {
            let codes = VerificationFailure.Code.all
            let code = codes[index % codes.count]
            try await trial.quarantine(entries[index].transaction.signedText, code)
            entries[index].quarantineReason = code
            try trial.expect(
                try await trial.observe(entries[index].transaction), entries[index], "the entry in quarantine")
        }
        try await trial.expectEntries(entries, "after each was quarantined by its text")
    }

    private static func contentExact(_ trial: Trial) async throws {
        var entries: [JournalEntry] = []
        for (number, text) in (UnusualText.all + [UnusualText.long]).enumerated() {
            let signed = trial.store.signed(text: "\(number)\(text)", id: text, productID: text, objection: text)
            let now: Timestamp = number.isMultiple(of: 2) ? .maximum : .minimum
            try await trial.observe(signed, at: now)
            let code = VerificationFailure.Code(rawValue: text)
            try await trial.quarantine(signed.signedText, code)
            entries.append(
                JournalEntry(transaction: signed, source: .update, observedAt: now, quarantineReason: code))
        }
        try await trial.expectEntries(entries, "with unusual texts")
        for (number, text) in UnusualText.all.enumerated() {
            let delivery = try trial.store.delivery(PurchaseSample(id: "purchase \(number)"))
            entries.append(try await trial.advance(delivery, to: .recorded, for: UUIDText(text)))
        }
        try await trial.expectEntries(entries, "with unusual accounts")
    }

    private static func entriesInOrder(_ trial: Trial) async throws {
        let minutes: [Int64] = [5, 9, -3, 5, 0]
        var deliveries: [Delivery] = []
        var entries: [JournalEntry] = []
        for (number, minute) in minutes.enumerated() {
            let delivery = try trial.store.delivery(PurchaseSample(id: "\(9 - number)"))
            entries.append(try await trial.observe(delivery.signed, at: at(minute)))
            deliveries.append(delivery)
        }
        try await trial.expectEntries(entries, "observed with a clock that moves back")
        try await trial.quarantine(deliveries[1].text)
        for index in [4, 0, 2] {
            try await trial.verify(deliveries[index])
            try await trial.record(deliveries[index])
        }
        try await trial.observe(deliveries[3].redelivered, at: at(20))
        entries[1].quarantineReason = .signatureInvalid
        for index in [0, 2, 4] { entries[index].stage = .recorded }
        try await trial.expectEntries(entries, "after they were processed in another order")
    }

    private static func quarantine(_ trial: Trial) async throws {
        let forged = try trial.store.delivery(PurchaseSample(objection: "objection"))
        try await trial.observe(forged)
        for code in [VerificationFailure.Code.signatureInvalid, .storeObjection, .storeObjection] {
            try await trial.quarantine(forged.text, code)
            try await trial.expectEntries(
                [forged.entry(.observed, quarantine: code)], "after an observed entry was quarantined")
        }
        let rejected = try trial.store.delivery(PurchaseSample(id: "2"))
        try await trial.advance(rejected, to: .verified)
        try await trial.quarantine(rejected.text)
        let entries = [
            forged.entry(.observed, quarantine: .storeObjection),
            rejected.entry(.observed, quarantine: .signatureInvalid),
        ]
        try await trial.expectEntries(entries, "after a verified entry was quarantined")
        try trial.expect(try await trial.observe(rejected), entries[1], "the entry of a redelivery in quarantine")
    }

    private static func outOfOrder(_ trial: Trial) async throws {
        for stage in [nil] + JournalStage.allCases.map(Optional.some) {
            let trial = try await trial.fresh()
            let delivery = try trial.store.delivery()
            let key = delivery.key
            let name = stage.map { "an entry that is \($0)" } ?? "a missing entry"
            if let stage { try await trial.advance(delivery, to: stage, for: Account.anna) }
            if stage == nil {
                try await trial.expectError("markVerified of \(name)", keys: [key]) {
                    journal throws(JournalError) in
                    _ = try await journal.markVerified(delivery.transaction, signedText: delivery.text)
                }
            }
            if stage.map({ $0 >= .recorded }) ?? true {
                try await trial.expectError("quarantine of \(name)", keys: [key]) { journal throws(JournalError) in
                    try await journal.quarantine(signedText: delivery.text, because: .signatureInvalid)
                }
            }
            if stage.map({ $0 < .verified }) ?? true {
                try await trial.expectError("record of \(name)", keys: [key]) { journal throws(JournalError) in
                    _ = try await journal.record(delivery.transaction, signedText: delivery.text, for: Account.bert)
                }
            }
            if stage.map({ $0 < .recorded }) ?? true {
                let claim = try trial.expectClaim(
                    try await trial.claim(key, from: at(0), until: at(0)), "the claim of \(name)")
                try await trial.expectError("markGranted of \(name)", keys: [key]) {
                    journal throws(JournalError) in
                    try await journal.markGranted(signedText: delivery.text, .one, under: claim)
                }
                try await trial.release(claim)
            }
            if stage.map({ $0 < .granted }) ?? true {
                try await trial.expectError("markFinished of \(name)", keys: [key]) {
                    journal throws(JournalError) in
                    try await journal.markFinished(signedText: delivery.text)
                }
            }
        }
    }
}
