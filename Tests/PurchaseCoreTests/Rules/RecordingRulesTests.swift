import LedgerConformance
import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The rules of recording, granting and finishing.
@Suite("Recording, granting and finishing")
struct RecordingRulesTests {
    @Test(
        "the first recorded version is inserted, another one merged, and a repeated call changes nothing",
        arguments: SampleStore.allCases)
    func record(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let bought = try trial.store.delivery()
        let refunded = try trial.store.delivery(PurchaseSample(isRefunded: true, signed: 1))
        for delivery in [bought, refunded] { try trial.advance(delivery, to: .verified) }
        trial.expect(try trial.record(bought), .inserted, "recording the first version")
        try trial.expectEntries([bought.entry(.recorded), refunded.entry(.verified)], "after one was recorded")
        trial.expect(try trial.record(bought), .unchanged, "recording an entry again")
        trial.expect(try trial.record(refunded), .merged, "recording another version")
        trial.expect(try trial.record(refunded), .unchanged, "recording another version again")
        try trial.expectEntries([bought.entry(.recorded), refunded.entry(.recorded)], "after both were recorded")
        try trial.grant(bought)
        trial.expect(try trial.record(bought), .unchanged, "recording a granted entry")
        try trial.finish(bought)
        trial.expect(try trial.record(bought), .unchanged, "recording a finished entry")
        try trial.expectEntries(
            [bought.entry(.finished), refunded.entry(.recorded)], "after a finished entry was recorded again")
    }

    @Test("a transaction id that is recorded for another product or original id is a conflict")
    func otherPurchase() throws {
        let trial = RuleTrial(.appStore)
        var pairs = UnusualText.pairs.filter { !$0.0.isEmpty && !$0.1.isEmpty }.map { first, second in
            (PurchaseSample(productID: first), PurchaseSample(productID: second))
        }
        pairs += UnusualText.pairs.map { first, second in
            (PurchaseSample(originalID: first), PurchaseSample(originalID: second))
        }
        for (first, second) in pairs {
            let trial = trial.fresh()
            let known = try trial.store.delivery(first)
            let other = try trial.store.delivery(second)
            let entries = [
                try trial.advance(known, to: .recorded, for: Account.anna),
                try trial.advance(other, to: .verified),
            ]
            let names =
                "\(exactText(of: first.productID)) of \(exactText(of: first.originalID as Any)) is recorded, then "
                + "\(exactText(of: second.productID)) of \(exactText(of: second.originalID as Any))"
            for account in [Account.anna, nil, Account.bert] {
                trial.expect(
                    try trial.record(other, for: account), .conflict(.differentPurchase),
                    "recording one transaction id twice: \(names)")
                try trial.expectEntries(entries, "after a conflict: \(names)")
            }
        }
    }

    @Test("a Play purchase with another product and the same token is another version")
    func planChange() throws {
        let trial = RuleTrial(.googlePlay)
        let before = try trial.store.delivery(PurchaseSample(productID: "basic", isPlaySubscription: true))
        let after = try trial.store.delivery(PurchaseSample(productID: "pro", isPlaySubscription: true))
        try trial.advance(before, to: .recorded, for: Account.anna)
        try trial.advance(after, to: .verified)
        trial.expect(try trial.record(after), .merged, "recording the product after a change of plan")
        try trial.expectEntries(
            [before.entry(.recorded, account: Account.anna), after.entry(.recorded, account: Account.anna)],
            "after a change of plan")
    }

    @Test("a purchase with the same id in another store is a purchase of its own")
    func otherStore() throws {
        let trial = RuleTrial(.appStore)
        let bought = try SampleStore.appStore.delivery(PurchaseSample(productID: "coins"))
        let other = try SampleStore.googlePlay.delivery(PurchaseSample(productID: "gems"))
        try trial.advance(bought, to: .recorded, for: Account.anna)
        try trial.advance(other, to: .verified)
        trial.expect(
            try trial.record(other, for: Account.bert), .inserted, "recording the id of another store's purchase")
        try trial.expectEntries(
            [bought.entry(.recorded, account: Account.anna), other.entry(.recorded, account: Account.bert)],
            "after both were recorded")
    }

    @Test(
        "a purchase that is recorded for another account is a conflict and changes nothing",
        arguments: SampleStore.allCases)
    func otherAccount(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        for stage in [DeliveryStage.recorded, .granted, .finished] {
            let trial = trial.fresh()
            let bought = try trial.store.delivery()
            let refunded = try trial.store.delivery(PurchaseSample(isRefunded: true, signed: 1))
            let entries = [
                try trial.advance(bought, to: stage, for: Account.anna),
                try trial.advance(refunded, to: .verified),
            ]
            for delivery in [bought, refunded] {
                trial.expect(
                    try trial.record(delivery, for: Account.bert), .conflict(.belongsToAnotherAccount),
                    "recording a purchase for another account at the stage \(stage)")
                try trial.expectEntries(entries, "after a conflict of accounts")
            }
            let other = try trial.store.delivery(PurchaseSample(id: "2"))
            try trial.advance(other, to: .verified)
            trial.expect(
                try trial.record(other, for: Account.bert), .inserted, "recording another purchase")
        }
        for (number, pair) in UnusualText.pairs.enumerated() {
            let delivery = try trial.store.delivery(PurchaseSample(id: "\(number)"))
            try trial.advance(delivery, to: .recorded, for: UUIDText(pair.0))
            trial.expect(
                try trial.record(delivery, for: UUIDText(pair.1)), .conflict(.belongsToAnotherAccount),
                "recording for \(exactText(of: pair.1)) what belongs to \(exactText(of: pair.0))")
        }
    }

    @Test("an account takes over the entries of its purchase that have none", arguments: SampleStore.allCases)
    func takesOver(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let bought = try trial.store.delivery()
        let refunded = try trial.store.delivery(PurchaseSample(isRefunded: true, signed: 1))
        let other = try trial.store.delivery(PurchaseSample(id: "2"))
        try trial.advance(bought, to: .finished)
        let otherEntry = try trial.advance(other, to: .recorded)
        try trial.advance(refunded, to: .verified)
        trial.expect(try trial.record(refunded, for: Account.anna), .merged, "recording with an account")
        try trial.expectEntries(
            [
                bought.entry(.finished, account: Account.anna), otherEntry,
                refunded.entry(.recorded, account: Account.anna),
            ], "after a version was recorded with an account")
        trial.expect(
            try trial.record(bought, for: nil), .unchanged, "recording without an account what has one")
        let resigned = try trial.store.delivery(PurchaseSample(id: "2", isRefunded: true, signed: 2))
        trial.expect(
            try trial.record(other, for: Account.bert), .unchanged, "recording an entry again with an account")
        try trial.advance(resigned, to: .recorded)
        try trial.expectEntries(
            [
                bought.entry(.finished, account: Account.anna), other.entry(.recorded, account: Account.bert),
                refunded.entry(.recorded, account: Account.anna), resigned.entry(.recorded, account: Account.bert),
            ], "after a version was recorded without an account")
    }

    @Test("two transactions of one billing event belong to one account")
    func billingEvent() throws {
        let trial = RuleTrial(.appStore)
        let (first, second, third) = (
            try trial.store.delivery(PurchaseSample(id: "1", originalID: "1", billingEvent: "event")),
            try trial.store.delivery(PurchaseSample(id: "2", originalID: "1", billingEvent: "event")),
            try trial.store.delivery(PurchaseSample(id: "3", originalID: "1", billingEvent: "next event"))
        )
        for delivery in [first, second, third] { try trial.advance(delivery, to: .verified) }
        try trial.record(first)
        trial.expect(
            try trial.record(second, for: Account.anna), .inserted,
            "recording another transaction of a billing event with an account")
        trial.expect(
            try trial.record(first, for: Account.bert), .conflict(.belongsToAnotherAccount),
            "recording a billing event for another account")
        trial.expect(
            try trial.record(third, for: Account.bert), .inserted,
            "recording the next billing event for another account")
        let entries = [
            first.entry(.recorded, account: Account.anna), second.entry(.recorded, account: Account.anna),
            third.entry(.recorded, account: Account.bert),
        ]
        try trial.expectEntries(entries, "of two billing events")
    }

    @Test("exactly the recorded entries of a purchase are returned for its key", arguments: SampleStore.allCases)
    func recordedEntries(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let bought = try trial.store.delivery()
        let refunded = try trial.store.delivery(PurchaseSample(isRefunded: true, signed: 1))
        let forged = try trial.store.delivery(PurchaseSample(productID: "gems"))
        try trial.expectRecorded(bought.key, [], "the recorded entries of an unknown purchase")
        for delivery in [bought, refunded, forged] { try trial.advance(delivery, to: .verified) }
        try trial.quarantine(forged.text)
        try trial.expectRecorded(bought.key, [], "the recorded entries before any was recorded")
        try trial.record(refunded)
        try trial.expectRecorded(
            bought.key, [refunded.entry(.recorded)], "the recorded entries of a purchase with one recorded version")
        try trial.record(bought)
        try trial.grant(bought)
        try trial.expectRecorded(
            bought.key, [bought.entry(.granted), refunded.entry(.recorded)], "the recorded entries of both versions")
        for (first, second) in UnusualText.pairs where !first.isEmpty {
            let deliveries = try [first, second].map { try trial.store.delivery(PurchaseSample(id: "id \($0)")) }
            for delivery in deliveries { try trial.advance(delivery, to: .recorded) }
            for delivery in deliveries {
                try trial.expectRecorded(
                    delivery.key, [delivery.entry(.recorded)], "the recorded entries of \(exactText(of: delivery.key))")
            }
        }
        guard trial.store != .googlePlay else { return }
        let sameEvent = try ["a", "b"].map {
            try trial.store.delivery(PurchaseSample(id: $0, originalID: "a", billingEvent: "event"))
        }
        for delivery in sameEvent { try trial.advance(delivery, to: .recorded) }
        try trial.expectRecorded(
            sameEvent[0].key, sameEvent.map { $0.entry(.recorded) }, "the recorded entries of a billing event")
        try trial.expectRecorded(
            .transaction(id: "a"), [], "the recorded entries under the transaction id of a billing event")
    }

    @Test(
        "a recorded entry becomes granted, and the last amount of its purchase is stored",
        arguments: SampleStore.allCases)
    func grant(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let delivery = try trial.store.delivery()
        let key = delivery.key
        trial.expect(try trial.fulfilment(key), nil, "the fulfilment of an unknown purchase")
        try trial.advance(delivery, to: .recorded, for: Account.anna)
        trial.expect(try trial.fulfilment(key), nil, "the fulfilment before any was stored")
        for (stage, fulfilment) in [
            (DeliveryStage.granted, FulfilledAmount.one), (.granted, .granted(productID: "coins", quantity: 3)),
            (.granted, .granted(productID: "gems", quantity: 3)), (.granted, .revoked), (.finished, .one),
            (.finished, .granted(productID: "coins", quantity: 0)), (.finished, .revoked),
        ] {
            if stage == .finished { try trial.finish(delivery) }
            try trial.grant(delivery, fulfilment)
            trial.expect(try trial.fulfilment(key), fulfilment, "the last fulfilment")
            try trial.expectEntries(
                [delivery.entry(stage, account: Account.anna)], "after one that is \(stage) was granted")
        }
    }

    @Test("a granted entry becomes finished, and a repeated call changes nothing", arguments: SampleStore.allCases)
    func finish(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let delivery = try trial.store.delivery()
        let other = try trial.store.delivery(PurchaseSample(id: "2"))
        try trial.advance(delivery, to: .granted, for: Account.anna)
        let otherEntry = try trial.advance(other, to: .granted)
        for _ in 0..<2 {
            try trial.finish(delivery)
            try trial.expectEntries(
                [delivery.entry(.finished, account: Account.anna), otherEntry], "after one was finished")
            trial.expect(try trial.fulfilment(delivery.key), .one, "the fulfilment of a finished entry")
        }
    }

    @Test("purchases with keys that differ in one byte have fulfilments of their own", arguments: SampleStore.allCases)
    func fulfilmentApart(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let delivery = try trial.store.delivery()
        try trial.advance(delivery, to: .recorded)
        for (first, second) in UnusualText.pairs {
            let keys: [(PurchaseKey, PurchaseKey)] = [
                (.transaction(id: "id \(first)"), .transaction(id: "id \(second)")),
                (
                    .billingEvent(originalID: "id \(first)", webOrderLineItemID: "1"),
                    .billingEvent(originalID: "id \(second)", webOrderLineItemID: "1")
                ),
                (
                    .billingEvent(originalID: "1", webOrderLineItemID: "id \(first)"),
                    .billingEvent(originalID: "1", webOrderLineItemID: "id \(second)")
                ),
                (.playPurchase(token: "id \(first)"), .playPurchase(token: "id \(second)")),
                (.playPurchase(token: "\(first) \(second)"), .transaction(id: "\(first) \(second)")),
            ]
            for (key, other) in keys {
                try trial.grant(delivery, .revoked, of: key)
                trial.expect(
                    try trial.fulfilment(other), nil,
                    "the fulfilment of \(exactText(of: other)) after one of \(exactText(of: key))")
                try trial.grant(delivery, .one, of: other)
                trial.expect(try trial.fulfilment(key), .revoked, "the fulfilment of \(exactText(of: key))")
            }
        }
    }
}
