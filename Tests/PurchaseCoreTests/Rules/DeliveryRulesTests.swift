import LedgerConformance
import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The rules of observing deliveries and of quarantine.
@Suite("What becomes of a delivery")
struct DeliveryRulesTests {
    @Test("a new delivery gets an entry with the delivery, its source and its time", arguments: SampleStore.allCases)
    func observeNew(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        try trial.expectEntries([], "of a new ledger")
        var entries: [LedgerEntry] = []
        for (number, source) in DeliverySource.allCases.enumerated() {
            let minute = Int64(number)
            let delivery = try trial.store.delivery(
                PurchaseSample(id: source.rawValue, objection: number == 0 ? nil : "objection \(number)"))
            let entry = LedgerEntry(transaction: delivery.signed, source: source, observedAt: at(minute))
            let found = try trial.observe(delivery.signed, from: source, at: at(minute))
            trial.expect(found, entry, "the entry of a new delivery from \(source.rawValue)")
            entries.append(entry)
            try trial.expectEntries(entries, "after a delivery from \(source.rawValue)")
        }
    }

    @Test(
        "a redelivery of the same text returns the existing entry and changes nothing", arguments: SampleStore.allCases)
    func observeAgain(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        for stage in DeliveryStage.allCases {
            let trial = trial.fresh()
            let delivery = try trial.store.delivery(PurchaseSample(objection: "objection"))
            let entry = try trial.advance(delivery, to: stage, for: Account.anna)
            for now in [at(9), at(-9), at(0)] {
                let found = try trial.observe(delivery.redelivered, from: .history, at: now)
                trial.expect(found, entry, "the entry of a redelivery at the stage \(stage)")
            }
            try trial.expectEntries([entry], "after a redelivery at the stage \(stage)")
        }
    }

    @Test("texts that differ in one byte are different entries", arguments: SampleStore.allCases)
    func textsExact(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        var entries: [LedgerEntry] = []
        for text in UnusualText.all {
            let signed = trial.store.signed(text: text, id: "1", productID: "coins")
            let entry = LedgerEntry(transaction: signed, source: .update, observedAt: at(0))
            trial.expect(try trial.observe(signed), entry, "the entry of a delivery \(exactText(of: text))")
            entries.append(entry)
        }
        try trial.expectEntries(entries, "after deliveries with similar texts")
        for index in entries.indices {
            let codes = VerificationFailure.Code.all
            let code = codes[index % codes.count]
            try trial.quarantine(entries[index].transaction.signedText, code)
            entries[index].quarantineReason = code
            trial.expect(
                try trial.observe(entries[index].transaction), entries[index], "the entry in quarantine")
        }
        try trial.expectEntries(entries, "after each was quarantined by its text")
    }

    @Test("an entry keeps every field unchanged, also unusual text", arguments: SampleStore.allCases)
    func contentExact(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        var entries: [LedgerEntry] = []
        for (number, text) in (UnusualText.all + [UnusualText.long]).enumerated() {
            let signed = trial.store.signed(text: "\(number)\(text)", id: text, productID: text, objection: text)
            let now: Timestamp = number.isMultiple(of: 2) ? .maximum : .minimum
            try trial.observe(signed, at: now)
            let code = VerificationFailure.Code(rawValue: text)
            try trial.quarantine(signed.signedText, code)
            entries.append(
                LedgerEntry(transaction: signed, source: .update, observedAt: now, quarantineReason: code))
        }
        try trial.expectEntries(entries, "with unusual texts")
        for (number, text) in UnusualText.all.enumerated() {
            let delivery = try trial.store.delivery(PurchaseSample(id: "purchase \(number)"))
            entries.append(try trial.advance(delivery, to: .recorded, for: UUIDText(text)))
        }
        try trial.expectEntries(entries, "with unusual accounts")
    }

    @Test(
        "entries are in the order of their first delivery, by the calls and not by the clock",
        arguments: SampleStore.allCases)
    func entriesInOrder(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let minutes: [Int64] = [5, 9, -3, 5, 0]
        var deliveries: [Delivery] = []
        var entries: [LedgerEntry] = []
        for (number, minute) in minutes.enumerated() {
            let delivery = try trial.store.delivery(PurchaseSample(id: "\(9 - number)"))
            entries.append(try trial.observe(delivery.signed, at: at(minute)))
            deliveries.append(delivery)
        }
        try trial.expectEntries(entries, "observed with a clock that moves back")
        try trial.quarantine(deliveries[1].text)
        for index in [4, 0, 2] {
            try trial.verify(deliveries[index])
            try trial.record(deliveries[index])
        }
        try trial.observe(deliveries[3].redelivered, at: at(20))
        entries[1].quarantineReason = .signatureInvalid
        for index in [0, 2, 4] { entries[index].stage = .recorded }
        try trial.expectEntries(entries, "after they were processed in another order")
    }

    @Test(
        "an entry that is not recorded moves to observed and keeps the latest reason", arguments: SampleStore.allCases)
    func quarantine(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let forged = try trial.store.delivery(PurchaseSample(objection: "objection"))
        try trial.observe(forged)
        for code in [VerificationFailure.Code.signatureInvalid, .storeObjection, .storeObjection] {
            try trial.quarantine(forged.text, code)
            try trial.expectEntries(
                [forged.entry(.observed, quarantine: code)], "after an observed entry was quarantined")
        }
        let rejected = try trial.store.delivery(PurchaseSample(id: "2"))
        try trial.advance(rejected, to: .verified)
        try trial.quarantine(rejected.text)
        let entries = [
            forged.entry(.observed, quarantine: .storeObjection),
            rejected.entry(.observed, quarantine: .signatureInvalid),
        ]
        try trial.expectEntries(entries, "after a verified entry was quarantined")
        trial.expect(try trial.observe(rejected), entries[1], "the entry of a redelivery in quarantine")
    }

    @Test(
        "a call on a missing entry, or one at the wrong stage, throws out-of-order and changes nothing",
        arguments: SampleStore.allCases)
    func outOfOrder(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        for stage in [nil] + DeliveryStage.allCases.map(Optional.some) {
            let trial = trial.fresh()
            let delivery = try trial.store.delivery()
            let key = delivery.key
            let name = stage.map { "an entry that is \($0)" } ?? "a missing entry"
            if let stage { try trial.advance(delivery, to: stage, for: Account.anna) }
            if stage == nil {
                try trial.expectError("markVerified of \(name)", keys: [key]) {
                    (rows: inout InMemoryRows) throws(LedgerError) in
                    _ = try rows.markVerified(delivery.transaction, signedText: delivery.text)
                }
            }
            if stage.map({ $0 >= .recorded }) ?? true {
                try trial.expectError("quarantine of \(name)", keys: [key]) {
                    (rows: inout InMemoryRows) throws(LedgerError) in
                    try rows.quarantine(signedText: delivery.text, because: .signatureInvalid)
                }
            }
            if stage.map({ $0 < .verified }) ?? true {
                try trial.expectError("record of \(name)", keys: [key]) {
                    (rows: inout InMemoryRows) throws(LedgerError) in
                    _ = try rows.record(delivery.transaction, signedText: delivery.text, for: Account.bert, at: at(0))
                }
            }
            if stage.map({ $0 < .recorded }) ?? true {
                let claim = try trial.expectClaim(
                    try trial.claim(key, from: at(0), until: at(0)), "the claim of \(name)")
                try trial.expectError("markGranted of \(name)", keys: [key]) {
                    (rows: inout InMemoryRows) throws(LedgerError) in
                    try rows.markGranted(signedText: delivery.text, .one, under: claim)
                }
                try trial.release(claim)
            }
            if stage.map({ $0 < .granted }) ?? true {
                try trial.expectError("markFinished of \(name)", keys: [key]) {
                    (rows: inout InMemoryRows) throws(LedgerError) in
                    try rows.markFinished(signedText: delivery.text)
                }
            }
        }
    }
}
