import LedgerConformance
import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The rules of claims, for ledgers that two services share.
@Suite("Claims of a purchase")
struct ClaimRulesTests {
    private let key = PurchaseKey.transaction(id: "1")

    @Test("a claim in force excludes another claim of its purchase, from its start to its end")
    func claimsExclude() throws {
        let trial = RuleTrial(.appStore)
        let claim = try trial.expectClaim(try trial.claim(key, from: at(2), until: at(3)), "the first claim")
        trial.expectClaim(
            claim, FulfilmentClaim(key: key, number: 0, start: at(2), end: at(3)), "the content of a claim")
        for minute: Int64 in [1, 2, 3] {
            trial.expectNoClaim(
                try trial.claim(key, from: at(minute), until: at(9)),
                "a second claim, at minute \(minute), of one from minute 2 to 3")
        }
        // A refused claim has not replaced the one in force.
        try trial.expectClaim(
            try trial.claim(key, from: at(4), until: at(5)), "a claim at minute 4, after others were refused")
        trial.expectNoClaim(try trial.claim(key, from: at(5), until: at(9)), "a claim during the next one")
    }

    @Test("a claim excludes nothing after its end, nor more than its own length before its start")
    func claimsEnd() throws {
        let trial = RuleTrial(.appStore)
        for (number, milliseconds) in [Int64(60_001), 600_000, -60_001, -600_000].enumerated() {
            let key = PurchaseKey.transaction(id: "\(number)")
            try trial.expectClaim(try trial.claim(key, from: at(0), until: at(1)), "the first claim")
            let now = at(0).adding(milliseconds: milliseconds)
            let situation = "\(milliseconds) ms after the start of a claim that lasts 60000 ms"
            let end = now.adding(milliseconds: 1_000)
            let claim = try trial.expectClaim(
                try trial.claim(key, from: now, until: end), "a claim \(situation)")
            trial.expectClaim(
                claim, FulfilmentClaim(key: key, number: 0, start: now, end: end, followsUnanswered: true),
                "the content of a claim \(situation)")
            trial.expectNoClaim(
                try trial.claim(key, from: now, until: end),
                "a third claim at the time of the second, \(situation)")
        }
        for (name, limit) in [("first", Timestamp.minimum), ("last", .maximum)] {
            let key = PurchaseKey.transaction(id: name)
            try trial.expectClaim(
                try trial.claim(key, from: limit, until: limit), "a claim at the \(name) instant")
            trial.expectNoClaim(
                try trial.claim(key, from: limit, until: limit), "a second claim at the \(name) instant")
            try trial.expectClaim(
                try trial.claim(key, from: at(0), until: at(1)),
                "a claim long before or after the \(name) instant")
        }
    }

    @Test("a claim excludes nothing after the longest time of a claim, although its end is later")
    func claimsLimited() throws {
        let trial = RuleTrial(.appStore)
        let limit = at(0).adding(milliseconds: FulfilmentClaim.longestMilliseconds)
        let after = limit.adding(milliseconds: 1)
        for (number, end) in [at(2), at(600), .maximum].enumerated() {
            for isRenewed in [false, true] {
                let key = PurchaseKey.transaction(id: "\(number) \(isRenewed)")
                let situation = "one \(isRenewed ? "renewed" : "made") from minute 0 to \(exactText(of: end))"
                let first = try trial.expectClaim(
                    try trial.claim(key, from: at(0), until: isRenewed ? at(0) : end), "the first claim")
                if isRenewed {
                    try trial.expectClaim(
                        try trial.renew(first, from: at(0), until: end), "the renewal until \(exactText(of: end))")
                }
                trial.expectNoClaim(
                    try trial.claim(key, from: limit, until: limit),
                    "a claim a minute after the start of \(situation)"
                )
                try trial.expectClaim(
                    try trial.claim(key, from: after, until: after),
                    "a claim more than a minute after the start of \(situation)")
            }
        }
    }

    @Test("releasing a claim ends it, and leaves a later claim of the same purchase")
    func claimsRelease() throws {
        let trial = RuleTrial(.appStore)
        let first = try trial.expectClaim(try trial.claim(key, from: at(0), until: at(1)), "the first claim")
        try trial.release(first)
        let second = try trial.expectClaim(
            try trial.claim(key, from: at(0), until: at(1)), "a claim after the first was released")
        try trial.release(first)
        trial.expectNoClaim(
            try trial.claim(key, from: at(0), until: at(1)), "a claim after an earlier claim was released again")
        let third = try trial.expectClaim(
            try trial.claim(key, from: at(2), until: at(3)), "a claim after the end of the second")
        try trial.release(second)
        trial.expectNoClaim(
            try trial.claim(key, from: at(3), until: at(4)),
            "a claim after one was released that had ended before")
        try trial.release(third)
        try trial.release(third)
        try trial.expectClaim(
            try trial.claim(key, from: at(3), until: at(4)), "a claim after the one in force was released")
    }

    @Test("renewing a claim moves its times, even after its end, until it is ended or replaced")
    func claimsRenew() throws {
        let trial = RuleTrial(.appStore)
        let first = try trial.expectClaim(try trial.claim(key, from: at(0), until: at(1)), "the first claim")
        for (start, end) in [(Int64(1), Int64(2)), (5, 6)] {
            let renewed = FulfilmentClaim(key: key, number: 0, start: at(start), end: at(end))
            trial.expectClaim(
                try trial.renew(first, from: at(start), until: at(end)), renewed,
                "the claim renewed at minute \(start)")
            trial.expectNoClaim(
                try trial.claim(key, from: at(end), until: at(9)), "a claim at the end of a renewed one")
        }
        let second = try trial.expectClaim(
            try trial.claim(key, from: at(7), until: at(8)), "a claim after the end of a renewed one")
        trial.expectNoClaim(
            try trial.renew(first, from: at(20), until: at(30)), "the renewal of a claim that was replaced")
        let third = FulfilmentClaim(key: key, number: 0, start: at(9), end: at(10), followsUnanswered: true)
        trial.expectClaim(
            try trial.renew(second, from: at(9), until: at(10)), third,
            "the renewal of a claim that follows an unanswered one")
        try trial.release(second)
        trial.expectNoClaim(
            try trial.renew(second, from: at(9), until: at(10)), "the renewal of a claim that was released")
        try trial.expectClaim(
            try trial.claim(key, from: at(9), until: at(10)), "a claim after the release of a renewed one")
    }

    @Test(
        "a claim shows that an earlier one was neither released nor granted, also after a release",
        arguments: SampleStore.allCases)
    func claimsFollow(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let delivery = try trial.store.delivery()
        let key = delivery.key
        try trial.advance(delivery, to: .recorded)
        /// Claims the purchase, and checks what the claim says about earlier ones.
        func claim(at minute: Int64, follows: Bool, _ situation: String) throws -> FulfilmentClaim {
            let claim = try trial.expectClaim(
                try trial.claim(key, from: at(minute), until: at(minute)), "a claim \(situation)")
            trial.expectClaim(
                claim,
                FulfilmentClaim(
                    key: key, number: 0, start: at(minute), end: at(minute), followsUnanswered: follows),
                "the claim \(situation)")
            return claim
        }
        let first = try claim(at: 0, follows: false, "of a new purchase")
        try trial.release(first)
        _ = try claim(at: 1, follows: false, "after one was released")
        let third = try claim(at: 2, follows: true, "after one that was neither released nor granted")
        try trial.release(third)
        try trial.release(third)
        let fourth = try claim(at: 2, follows: true, "after the release of one that follows an unanswered one")
        try trial.grant(delivery, under: fourth)
        _ = try claim(at: 2, follows: false, "after the purchase was granted")
    }

    @Test("no two claims have the same number")
    func claimsNumbered() throws {
        let trial = RuleTrial(.appStore)
        var numbers: Set<Int> = []
        for number in 0..<20 {
            let key = PurchaseKey.transaction(id: "\(number % 3)")
            let minute = Int64(number)
            let claim = try trial.expectClaim(
                try trial.claim(key, from: at(minute), until: at(minute)), "a claim after the end of all others")
            #expect(numbers.insert(claim.number).inserted, "the number of a new claim")
            if number.isMultiple(of: 2) { try trial.release(claim) }
        }
    }

    @Test("a claim excludes no other purchase, although the keys differ in one byte only")
    func claimsApart() throws {
        let trial = RuleTrial(.appStore)
        var keys: [PurchaseKey] = []
        for text in UnusualText.all {
            keys += [
                .transaction(id: text), .billingEvent(originalID: text, webOrderLineItemID: "1"),
                .billingEvent(originalID: "1", webOrderLineItemID: "item \(text)"),
            ]
        }
        var claims: [FulfilmentClaim] = []
        for key in keys {
            claims.append(
                try trial.expectClaim(
                    try trial.claim(key, from: at(0), until: at(1)),
                    "the claim of \(exactText(of: key)) while similar keys are claimed"))
        }
        for (key, claim) in zip(keys, claims) {
            try trial.release(claim)
            try trial.expectClaim(
                try trial.claim(key, from: at(0), until: at(1)), "the claim of \(exactText(of: key)) after its release"
            )
        }
        for key in keys {
            trial.expectNoClaim(
                try trial.claim(key, from: at(0), until: at(1)),
                "the claim of \(exactText(of: key)) after similar keys were released")
        }
    }

    @Test("granting a purchase ends the named claim, and no other claim", arguments: SampleStore.allCases)
    func grantEndsClaim(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let delivery = try trial.store.delivery()
        let other = PurchaseKey.transaction(id: "2")
        try trial.advance(delivery, to: .verified)
        let claim = try trial.expectClaim(
            try trial.claim(delivery.key, from: at(0), until: at(1)), "the claim of a purchase")
        try trial.expectClaim(try trial.claim(other, from: at(0), until: at(1)), "the claim of another purchase")
        try trial.expectError("markGranted of a verified entry") { (rows: inout InMemoryRows) throws(LedgerError) in
            try rows.markGranted(signedText: delivery.text, .one, under: claim)
        }
        trial.expectNoClaim(
            try trial.claim(delivery.key, from: at(0), until: at(1)), "a claim after granting has failed")
        try trial.record(delivery)
        try trial.grant(delivery, under: claim)
        trial.expectNoClaim(
            try trial.claim(other, from: at(0), until: at(1)), "a claim after another purchase was granted")
        try trial.expectClaim(
            try trial.claim(delivery.key, from: at(0), until: at(1)), "a claim after the purchase was granted")
        // The call can be repeated, for example after a deadline, and leaves the claim of another service alone.
        try trial.grant(delivery, under: claim)
        trial.expectNoClaim(
            try trial.claim(delivery.key, from: at(0), until: at(1)),
            "a claim after granting was repeated under a claim that had ended")
        try trial.release(claim)
        trial.expectNoClaim(
            try trial.claim(delivery.key, from: at(0), until: at(1)),
            "a claim after the release of one that granting had ended")
    }

    @Test("granting fails without the stored claim, unless it repeats what is stored", arguments: SampleStore.allCases)
    func grantNeedsClaim(_ store: SampleStore) throws {
        let trial = RuleTrial(store)
        let delivery = try trial.store.delivery()
        let key = delivery.key
        try trial.advance(delivery, to: .recorded)
        /// Checks that granting fails under a claim.
        func expectLost(
            _ claim: FulfilmentClaim, _ situation: String, _ fulfilment: FulfilledAmount = .one
        ) throws {
            try trial.expectError("markGranted under a claim that \(situation)", .claimLost, keys: [key]) {
                (rows: inout InMemoryRows) throws(LedgerError) in
                try rows.markGranted(signedText: delivery.text, fulfilment, under: claim)
            }
        }
        let first = try trial.expectClaim(try trial.claim(key, from: at(0), until: at(1)), "the first claim")
        let second = try trial.expectClaim(
            try trial.claim(key, from: at(2), until: at(3)), "a claim after the end of the first")
        try expectLost(first, "was replaced")
        try trial.release(second)
        try expectLost(second, "was released")
        let third = try trial.expectClaim(
            try trial.claim(key, from: at(2), until: at(3)), "a claim after a release")
        // The times of a claim do not matter here.
        let moved = FulfilmentClaim(key: key, number: third.number, start: at(8), end: at(9))
        try trial.grant(delivery, under: moved)
        try expectLost(third, "has ended, with another fulfilment", .revoked)
        try expectLost(third, "has ended, with more items", .granted(productID: "coins", quantity: 2))
        try expectLost(third, "has ended, with another product", .granted(productID: "gems", quantity: 1))
        trial.expect(try trial.fulfilment(key), .one, "the fulfilment after granting")
        // The entry may have the stage because of another purchase's fulfilment, as a merged entry has.
        let other = PurchaseKey.transaction(id: "another")
        let lost = FulfilmentClaim(key: other, number: third.number, start: at(2), end: at(3))
        try expectLost(lost, "is of another purchase")
    }

    @Test(
        "a recorded purchase of which nothing else is known is claimed at once, and granted if there is no fulfiller",
        arguments: SampleStore.allCases)
    func beginsHandOver(_ store: SampleStore) throws {
        for hasFulfiller in [true, false] {
            let trial = RuleTrial(store)
            let delivery = try store.delivery()
            try trial.advance(delivery, to: .recorded)
            let claim = try trial.begin(delivery, hasFulfiller: hasFulfiller)
            #expect((claim != nil) == hasFulfiller)
            try trial.expectEntries([delivery.entry(hasFulfiller ? .recorded : .granted)], "of a begun hand-over")
            trial.expect(try trial.fulfilment(delivery.key), hasFulfiller ? nil : .one, "what the customer has")
            trial.expectNoClaim(try trial.begin(delivery, hasFulfiller: hasFulfiller), "a hand-over that has begun")
        }
    }

    @Test(
        "no hand-over begins with a purchase that has another version, a claim, or an earlier hand-over",
        arguments: SampleStore.allCases)
    func beginsNoHandOver(_ store: SampleStore) throws {
        let delivery = try store.delivery()
        let refunded = try store.delivery(PurchaseSample(isRefunded: true, signed: 1))
        let preparations: [(String, (RuleTrial) throws -> Void)] = [
            ("another version is recorded", { try $0.advance(refunded, to: .recorded) }),
            ("it is claimed", { _ = try $0.claim(delivery.key, from: at(0), until: at(1)) }),
            ("a claim is unanswered", { _ = try $0.claim(delivery.key, from: at(-9), until: at(-9)) }),
            ("it was handed over", { try $0.grant(delivery) }),
        ]
        for hasFulfiller in [true, false] {
            for (situation, prepare) in preparations {
                let trial = RuleTrial(store)
                try trial.advance(delivery, to: .recorded)
                try prepare(trial)
                let before = try trial.content([delivery.key])
                trial.expectNoClaim(
                    try trial.begin(delivery, hasFulfiller: hasFulfiller), "a claim, while \(situation)")
                trial.expect(try trial.content([delivery.key]), before, "the content, while \(situation)")
            }
            let trial = RuleTrial(store)
            try trial.advance(delivery, to: .verified)
            try trial.expectError("a hand-over of an entry that is not recorded", keys: [delivery.key]) {
                (rows: inout InMemoryRows) throws(LedgerError) in
                _ = try rows.beginHandOver(
                    of: delivery.transaction, signedText: delivery.text, hasFulfiller: hasFulfiller, from: at(0))
            }
        }
    }
}
