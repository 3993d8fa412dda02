internal import PurchaseCore
internal import ReceiptTypes

/// The rules of recording, granting and finishing.
enum RecordingRules {
    static let all = [
        Check(
            "record", "the first recorded version is inserted, another one merged, and a repeated call changes nothing",
            record),
        Check(
            "record-other-purchase",
            "a transaction id that is recorded for another product or original id is a conflict",
            in: [.appStore], otherPurchase),
        Check(
            "record-plan-change", "a Play purchase with another product and the same token is another version",
            in: [.googlePlay], planChange),
        Check(
            "record-other-store", "a purchase with the same id in another store is a purchase of its own",
            in: [.appStore], otherStore),
        Check(
            "record-other-account", "a purchase that is recorded for another account is a conflict and changes nothing",
            otherAccount),
        Check(
            "record-takes-over", "an account takes over the entries of its purchase that have none",
            takesOver),
        Check(
            "record-billing-event", "two transactions of one billing event belong to one account",
            in: [.appStore], billingEvent),
        Check(
            "recorded-entries", "exactly the recorded entries of a purchase are returned for its key",
            recordedEntries),
        Check(
            "grant", "a recorded entry becomes granted, and the last amount of its purchase is stored",
            grant),
        Check(
            "finish", "a granted entry becomes finished, and a repeated call changes nothing",
            finish),
        Check(
            "fulfilment-apart", "purchases with keys that differ in one byte have fulfilments of their own",
            fulfilmentApart),
    ]

    private static func record(_ trial: Trial) async throws {
        let bought = try trial.store.delivery()
        let refunded = try trial.store.delivery(PurchaseSample(isRefunded: true, signed: 1))
        for delivery in [bought, refunded] { try await trial.advance(delivery, to: .verified) }
        try trial.expect(try await trial.record(bought), .inserted, "recording the first version")
        try await trial.expectEntries([bought.entry(.recorded), refunded.entry(.verified)], "after one was recorded")
        try trial.expect(try await trial.record(bought), .unchanged, "recording an entry again")
        try trial.expect(try await trial.record(refunded), .merged, "recording another version")
        try trial.expect(try await trial.record(refunded), .unchanged, "recording another version again")
        try await trial.expectEntries([bought.entry(.recorded), refunded.entry(.recorded)], "after both were recorded")
        try await trial.grant(bought)
        try trial.expect(try await trial.record(bought), .unchanged, "recording a granted entry")
        try await trial.finish(bought)
        try trial.expect(try await trial.record(bought), .unchanged, "recording a finished entry")
        try await trial.expectEntries(
            [bought.entry(.finished), refunded.entry(.recorded)], "after a finished entry was recorded again")
    }

    private static func otherPurchase(_ trial: Trial) async throws {
        var pairs = UnusualText.pairs.filter { !$0.0.isEmpty && !$0.1.isEmpty }.map { first, second in
            (PurchaseSample(productID: first), PurchaseSample(productID: second))
        }
        pairs += UnusualText.pairs.map { first, second in
            (PurchaseSample(originalID: first), PurchaseSample(originalID: second))
        }
        for (first, second) in pairs {
            let trial = try await trial.fresh()
            let known = try trial.store.delivery(first)
            let other = try trial.store.delivery(second)
            let entries = [
                try await trial.advance(known, to: .recorded, for: Account.anna),
                try await trial.advance(other, to: .verified),
            ]
            let names =
                "\(first.productID.rendering) of \(first.originalID.rendering) is recorded, then "
                + "\(second.productID.rendering) of \(second.originalID.rendering)"
            for account in [Account.anna, nil, Account.bert] {
                try trial.expect(
                    try await trial.record(other, for: account), .conflict(.differentPurchase),
                    "recording one transaction id twice: \(names)")
                try await trial.expectEntries(entries, "after a conflict: \(names)")
            }
        }
    }

    private static func planChange(_ trial: Trial) async throws {
        let before = try trial.store.delivery(PurchaseSample(productID: "basic", isPlaySubscription: true))
        let after = try trial.store.delivery(PurchaseSample(productID: "pro", isPlaySubscription: true))
        try await trial.advance(before, to: .recorded, for: Account.anna)
        try await trial.advance(after, to: .verified)
        try trial.expect(try await trial.record(after), .merged, "recording the product after a change of plan")
        try await trial.expectEntries(
            [before.entry(.recorded, account: Account.anna), after.entry(.recorded, account: Account.anna)],
            "after a change of plan")
    }

    private static func otherStore(_ trial: Trial) async throws {
        let bought = try SampleStore.appStore.delivery(PurchaseSample(productID: "coins"))
        let other = try SampleStore.googlePlay.delivery(PurchaseSample(productID: "gems"))
        try await trial.advance(bought, to: .recorded, for: Account.anna)
        try await trial.advance(other, to: .verified)
        try trial.expect(
            try await trial.record(other, for: Account.bert), .inserted, "recording the id of another store's purchase")
        try await trial.expectEntries(
            [bought.entry(.recorded, account: Account.anna), other.entry(.recorded, account: Account.bert)],
            "after both were recorded")
    }

    private static func otherAccount(_ trial: Trial) async throws {
        for stage in [JournalStage.recorded, .granted, .finished] {
            let trial = try await trial.fresh()
            let bought = try trial.store.delivery()
            let refunded = try trial.store.delivery(PurchaseSample(isRefunded: true, signed: 1))
            let entries = [
                try await trial.advance(bought, to: stage, for: Account.anna),
                try await trial.advance(refunded, to: .verified),
            ]
            for delivery in [bought, refunded] {
                try trial.expect(
                    try await trial.record(delivery, for: Account.bert), .conflict(.belongsToAnotherAccount),
                    "recording a purchase for another account at the stage \(stage)")
                try await trial.expectEntries(entries, "after a conflict of accounts")
            }
            let other = try trial.store.delivery(PurchaseSample(id: "2"))
            try await trial.advance(other, to: .verified)
            try trial.expect(
                try await trial.record(other, for: Account.bert), .inserted, "recording another purchase")
        }
        for (number, pair) in UnusualText.pairs.enumerated() {
            let delivery = try trial.store.delivery(PurchaseSample(id: "\(number)"))
            try await trial.advance(delivery, to: .recorded, for: UUIDText(pair.0))
            try trial.expect(
                try await trial.record(delivery, for: UUIDText(pair.1)), .conflict(.belongsToAnotherAccount),
                "recording for \(pair.1.rendering) what belongs to \(pair.0.rendering)")
        }
    }

    private static func takesOver(_ trial: Trial) async throws {
        let bought = try trial.store.delivery()
        let refunded = try trial.store.delivery(PurchaseSample(isRefunded: true, signed: 1))
        let other = try trial.store.delivery(PurchaseSample(id: "2"))
        try await trial.advance(bought, to: .finished)
        let otherEntry = try await trial.advance(other, to: .recorded)
        try await trial.advance(refunded, to: .verified)
        try trial.expect(try await trial.record(refunded, for: Account.anna), .merged, "recording with an account")
        try await trial.expectEntries(
            [
                bought.entry(.finished, account: Account.anna), otherEntry,
                refunded.entry(.recorded, account: Account.anna),
            ], "after a version was recorded with an account")
        try trial.expect(
            try await trial.record(bought, for: nil), .unchanged, "recording without an account what has one")
        let resigned = try trial.store.delivery(PurchaseSample(id: "2", isRefunded: true, signed: 2))
        try trial.expect(
            try await trial.record(other, for: Account.bert), .unchanged, "recording an entry again with an account")
        try await trial.advance(resigned, to: .recorded)
        try await trial.expectEntries(
            [
                bought.entry(.finished, account: Account.anna), other.entry(.recorded, account: Account.bert),
                refunded.entry(.recorded, account: Account.anna), resigned.entry(.recorded, account: Account.bert),
            ], "after a version was recorded without an account")
    }

    private static func billingEvent(_ trial: Trial) async throws {
        let (first, second, third) = (
            try trial.store.delivery(PurchaseSample(id: "1", originalID: "1", billingEvent: "event")),
            try trial.store.delivery(PurchaseSample(id: "2", originalID: "1", billingEvent: "event")),
            try trial.store.delivery(PurchaseSample(id: "3", originalID: "1", billingEvent: "next event"))
        )
        for delivery in [first, second, third] { try await trial.advance(delivery, to: .verified) }
        try await trial.record(first)
        try trial.expect(
            try await trial.record(second, for: Account.anna), .inserted,
            "recording another transaction of a billing event with an account")
        try trial.expect(
            try await trial.record(first, for: Account.bert), .conflict(.belongsToAnotherAccount),
            "recording a billing event for another account")
        try trial.expect(
            try await trial.record(third, for: Account.bert), .inserted,
            "recording the next billing event for another account")
        let entries = [
            first.entry(.recorded, account: Account.anna), second.entry(.recorded, account: Account.anna),
            third.entry(.recorded, account: Account.bert),
        ]
        try await trial.expectEntries(entries, "of two billing events")
    }

    private static func recordedEntries(_ trial: Trial) async throws {
        let bought = try trial.store.delivery()
        let refunded = try trial.store.delivery(PurchaseSample(isRefunded: true, signed: 1))
        let forged = try trial.store.delivery(PurchaseSample(productID: "gems"))
        try await trial.expectRecorded(bought.key, [], "the recorded entries of an unknown purchase")
        for delivery in [bought, refunded, forged] { try await trial.advance(delivery, to: .verified) }
        try await trial.quarantine(forged.text)
        try await trial.expectRecorded(bought.key, [], "the recorded entries before any was recorded")
        try await trial.record(refunded)
        try await trial.expectRecorded(
            bought.key, [refunded.entry(.recorded)], "the recorded entries of a purchase with one recorded version")
        try await trial.record(bought)
        try await trial.grant(bought)
        try await trial.expectRecorded(
            bought.key, [bought.entry(.granted), refunded.entry(.recorded)], "the recorded entries of both versions")
        for (first, second) in UnusualText.pairs where !first.isEmpty {
            let deliveries = try [first, second].map { try trial.store.delivery(PurchaseSample(id: "id \($0)")) }
            for delivery in deliveries { try await trial.advance(delivery, to: .recorded) }
            for delivery in deliveries {
                try await trial.expectRecorded(
                    delivery.key, [delivery.entry(.recorded)], "the recorded entries of \(delivery.key.rendering)")
            }
        }
        guard trial.store != .googlePlay else { return }
        let sameEvent = try ["a", "b"].map {
            try trial.store.delivery(PurchaseSample(id: $0, originalID: "a", billingEvent: "event"))
        }
        for delivery in sameEvent { try await trial.advance(delivery, to: .recorded) }
        try await trial.expectRecorded(
            sameEvent[0].key, sameEvent.map { $0.entry(.recorded) }, "the recorded entries of a billing event")
        try await trial.expectRecorded(
            .transaction(id: "a"), [], "the recorded entries under the transaction id of a billing event")
    }

    private static func grant(_ trial: Trial) async throws {
        let delivery = try trial.store.delivery()
        let key = delivery.key
        try trial.expect(try await trial.fulfilment(key), nil, "the fulfilment of an unknown purchase")
        try await trial.advance(delivery, to: .recorded, for: Account.anna)
        try trial.expect(try await trial.fulfilment(key), nil, "the fulfilment before any was stored")
        for (stage, fulfilment) in [
            (JournalStage.granted, FulfilledAmount.one), (.granted, .granted(productID: "coins", quantity: 3)),
            (.granted, .granted(productID: "gems", quantity: 3)), (.granted, .revoked), (.finished, .one),
            (.finished, .granted(productID: "coins", quantity: 0)), (.finished, .revoked),
        ] {
            if stage == .finished { try await trial.finish(delivery) }
            try await trial.grant(delivery, fulfilment)
            try trial.expect(try await trial.fulfilment(key), fulfilment, "the last fulfilment")
            try await trial.expectEntries(
                [delivery.entry(stage, account: Account.anna)], "after one that is \(stage) was granted")
        }
    }

    private static func finish(_ trial: Trial) async throws {
        let delivery = try trial.store.delivery()
        let other = try trial.store.delivery(PurchaseSample(id: "2"))
        try await trial.advance(delivery, to: .granted, for: Account.anna)
        let otherEntry = try await trial.advance(other, to: .granted)
        for _ in 0..<2 {
            try await trial.finish(delivery)
            try await trial.expectEntries(
                [delivery.entry(.finished, account: Account.anna), otherEntry], "after one was finished")
            try trial.expect(try await trial.fulfilment(delivery.key), .one, "the fulfilment of a finished entry")
        }
    }

    private static func fulfilmentApart(_ trial: Trial) async throws {
        let delivery = try trial.store.delivery()
        try await trial.advance(delivery, to: .recorded)
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
                try await trial.grant(delivery, .revoked, of: key)
                try trial.expect(
                    try await trial.fulfilment(other), nil,
                    "the fulfilment of \(other.rendering) after one of \(key.rendering)")
                try await trial.grant(delivery, .one, of: other)
                try trial.expect(try await trial.fulfilment(key), .revoked, "the fulfilment of \(key.rendering)")
            }
        }
    }
}
