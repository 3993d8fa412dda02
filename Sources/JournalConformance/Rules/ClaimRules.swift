internal import PurchaseCore
internal import ReceiptTypes

/// The rules of claims, for journals that two services share.
enum ClaimRules {
    static let all = [
        Check(
            "claims-exclude", "a claim in force excludes another claim of its purchase, from its start to its end",
            claimsExclude),
        Check(
            "claims-end", "a claim excludes nothing after its end, nor more than its own length before its start",
            claimsEnd),
        Check(
            "claims-limited", "a claim excludes nothing after the longest time of a claim, even if its end is later",
            claimsLimited),
        Check(
            "claims-renew", "renewing a claim moves its times, even after its end, until it is ended or replaced",
            claimsRenew),
        Check(
            "claims-release", "releasing a claim ends it, and leaves a later claim of the same purchase",
            claimsRelease),
        Check(
            "claims-follow", "a claim shows that an earlier one was neither released nor granted, also after a release",
            claimsFollow),
        Check(
            "claims-numbered", "no two claims have the same number",
            claimsNumbered),
        Check(
            "claims-apart", "a claim excludes no other purchase, even if the keys differ in one byte",
            claimsApart),
        Check(
            "grant-ends-claim", "granting a purchase ends the named claim, and no other claim",
            grantEndsClaim),
        Check(
            "grant-needs-claim", "granting fails without the stored claim, unless it repeats what is stored",
            grantNeedsClaim),
    ]

    private static let key = PurchaseKey.transaction(id: "1")

    private static func claimsExclude(_ trial: Trial) async throws {
        let claim = try trial.expectClaim(try await trial.claim(key, from: at(2), until: at(3)), "the first claim")
        try trial.expect(
            claim, FulfilmentClaim(key: key, number: 0, start: at(2), end: at(3)), "the content of a claim")
        for minute: Int64 in [1, 2, 3] {
            try trial.expectNoClaim(
                try await trial.claim(key, from: at(minute), until: at(9)),
                "a second claim, at minute \(minute), of one from minute 2 to 3")
        }
        // A refused claim has not replaced the one in force.
        try trial.expectClaim(
            try await trial.claim(key, from: at(4), until: at(5)), "a claim at minute 4, after others were refused")
        try trial.expectNoClaim(try await trial.claim(key, from: at(5), until: at(9)), "a claim during the next one")
    }

    private static func claimsEnd(_ trial: Trial) async throws {
        for (number, milliseconds) in [Int64(60_001), 600_000, -60_001, -600_000].enumerated() {
            let key = PurchaseKey.transaction(id: "\(number)")
            try trial.expectClaim(try await trial.claim(key, from: at(0), until: at(1)), "the first claim")
            let now = at(0).adding(milliseconds: milliseconds)
            let situation = "\(milliseconds) ms after the start of a claim that lasts 60000 ms"
            let end = now.adding(milliseconds: 1_000)
            let claim = try trial.expectClaim(
                try await trial.claim(key, from: now, until: end), "a claim \(situation)")
            try trial.expect(
                claim, FulfilmentClaim(key: key, number: 0, start: now, end: end, followsUnanswered: true),
                "the content of a claim \(situation)")
            try trial.expectNoClaim(
                try await trial.claim(key, from: now, until: end),
                "a third claim at the time of the second, \(situation)")
        }
        for (name, limit) in [("first", Timestamp.minimum), ("last", .maximum)] {
            let key = PurchaseKey.transaction(id: name)
            try trial.expectClaim(
                try await trial.claim(key, from: limit, until: limit), "a claim at the \(name) instant")
            try trial.expectNoClaim(
                try await trial.claim(key, from: limit, until: limit), "a second claim at the \(name) instant")
            try trial.expectClaim(
                try await trial.claim(key, from: at(0), until: at(1)),
                "a claim long before or after the \(name) instant")
        }
    }

    private static func claimsLimited(_ trial: Trial) async throws {
        let limit = at(0).adding(milliseconds: FulfilmentClaim.longestMilliseconds)
        let after = limit.adding(milliseconds: 1)
        for (number, end) in [at(2), at(600), .maximum].enumerated() {
            for isRenewed in [false, true] {
                let key = PurchaseKey.transaction(id: "\(number) \(isRenewed)")
                let situation = "one \(isRenewed ? "renewed" : "made") from minute 0 to \(end.rendering)"
                let first = try trial.expectClaim(
                    try await trial.claim(key, from: at(0), until: isRenewed ? at(0) : end), "the first claim")
                if isRenewed {
                    try trial.expectClaim(
                        try await trial.renew(first, from: at(0), until: end), "the renewal until \(end.rendering)")
                }
                try trial.expectNoClaim(
                    try await trial.claim(key, from: limit, until: limit),
                    "a claim a minute after the start of \(situation)"
                )
                try trial.expectClaim(
                    try await trial.claim(key, from: after, until: after),
                    "a claim more than a minute after the start of \(situation)")
            }
        }
    }

    private static func claimsRelease(_ trial: Trial) async throws {
        let first = try trial.expectClaim(try await trial.claim(key, from: at(0), until: at(1)), "the first claim")
        try await trial.release(first)
        let second = try trial.expectClaim(
            try await trial.claim(key, from: at(0), until: at(1)), "a claim after the first was released")
        try await trial.release(first)
        try trial.expectNoClaim(
            try await trial.claim(key, from: at(0), until: at(1)), "a claim after an earlier claim was released again")
        let third = try trial.expectClaim(
            try await trial.claim(key, from: at(2), until: at(3)), "a claim after the end of the second")
        try await trial.release(second)
        try trial.expectNoClaim(
            try await trial.claim(key, from: at(3), until: at(4)),
            "a claim after one was released that had ended before")
        try await trial.release(third)
        try await trial.release(third)
        try trial.expectClaim(
            try await trial.claim(key, from: at(3), until: at(4)), "a claim after the one in force was released")
    }

    private static func claimsRenew(_ trial: Trial) async throws {
        let first = try trial.expectClaim(try await trial.claim(key, from: at(0), until: at(1)), "the first claim")
        for (start, end) in [(Int64(1), Int64(2)), (5, 6)] {
            let renewed = FulfilmentClaim(key: key, number: 0, start: at(start), end: at(end))
            try trial.expect(
                try await trial.renew(first, from: at(start), until: at(end)), renewed,
                "the claim renewed at minute \(start)")
            try trial.expectNoClaim(
                try await trial.claim(key, from: at(end), until: at(9)), "a claim at the end of a renewed one")
        }
        let second = try trial.expectClaim(
            try await trial.claim(key, from: at(7), until: at(8)), "a claim after the end of a renewed one")
        try trial.expectNoClaim(
            try await trial.renew(first, from: at(20), until: at(30)), "the renewal of a claim that was replaced")
        let third = FulfilmentClaim(key: key, number: 0, start: at(9), end: at(10), followsUnanswered: true)
        try trial.expect(
            try await trial.renew(second, from: at(9), until: at(10)), third,
            "the renewal of a claim that follows an unanswered one")
        try await trial.release(second)
        try trial.expectNoClaim(
            try await trial.renew(second, from: at(9), until: at(10)), "the renewal of a claim that was released")
        try trial.expectClaim(
            try await trial.claim(key, from: at(9), until: at(10)), "a claim after the release of a renewed one")
    }

    private static func claimsFollow(_ trial: Trial) async throws {
        let delivery = try trial.store.delivery()
        let key = delivery.key
        try await trial.advance(delivery, to: .recorded)
        /// Claims the purchase, and checks what the claim says about earlier ones.
        func claim(at minute: Int64, follows: Bool, _ situation: String) async throws -> FulfilmentClaim {
            let claim = try trial.expectClaim(
                try await trial.claim(key, from: at(minute), until: at(minute)), "a claim \(situation)")
            try trial.expect(
                claim,
                FulfilmentClaim(
                    key: key, number: 0, start: at(minute), end: at(minute), followsUnanswered: follows),
                "the claim \(situation)")
            return claim
        }
        let first = try await claim(at: 0, follows: false, "of a new purchase")
        try await trial.release(first)
        _ = try await claim(at: 1, follows: false, "after one was released")
        let third = try await claim(at: 2, follows: true, "after one that was neither released nor granted")
        try await trial.release(third)
        try await trial.release(third)
        let fourth = try await claim(at: 2, follows: true, "after the release of one that follows an unanswered one")
        try await trial.grant(delivery, under: fourth)
        _ = try await claim(at: 2, follows: false, "after the purchase was granted")
    }

    private static func claimsNumbered(_ trial: Trial) async throws {
        var numbers: Set<Int> = []
        for number in 0..<20 {
            let key = PurchaseKey.transaction(id: "\(number % 3)")
            let minute = Int64(number)
            let claim = try trial.expectClaim(
                try await trial.claim(key, from: at(minute), until: at(minute)), "a claim after the end of all others")
            if !numbers.insert(claim.number).inserted {
                throw Mismatch(
                    "the number of a new claim", expected: "a number that no other claim has", found: "\(claim.number)")
            }
            if number.isMultiple(of: 2) { try await trial.release(claim) }
        }
    }

    private static func claimsApart(_ trial: Trial) async throws {
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
                    try await trial.claim(key, from: at(0), until: at(1)),
                    "the claim of \(key.rendering) while similar keys are claimed"))
        }
        for (key, claim) in zip(keys, claims) {
            try await trial.release(claim)
            try trial.expectClaim(
                try await trial.claim(key, from: at(0), until: at(1)), "the claim of \(key.rendering) after its release"
            )
        }
        for key in keys {
            try trial.expectNoClaim(
                try await trial.claim(key, from: at(0), until: at(1)),
                "the claim of \(key.rendering) after similar keys were released")
        }
    }

    private static func grantEndsClaim(_ trial: Trial) async throws {
        let delivery = try trial.store.delivery()
        let other = PurchaseKey.transaction(id: "2")
        try await trial.advance(delivery, to: .verified)
        let claim = try trial.expectClaim(
            try await trial.claim(delivery.key, from: at(0), until: at(1)), "the claim of a purchase")
        try trial.expectClaim(try await trial.claim(other, from: at(0), until: at(1)), "the claim of another purchase")
        try await trial.expectError("markGranted of a verified entry") { journal throws(JournalError) in
            try await journal.markGranted(signedText: delivery.text, .one, under: claim)
        }
        try trial.expectNoClaim(
            try await trial.claim(delivery.key, from: at(0), until: at(1)), "a claim after granting has failed")
        try await trial.record(delivery)
        try await trial.grant(delivery, under: claim)
        try trial.expectNoClaim(
            try await trial.claim(other, from: at(0), until: at(1)), "a claim after another purchase was granted")
        try trial.expectClaim(
            try await trial.claim(delivery.key, from: at(0), until: at(1)), "a claim after the purchase was granted")
        // The call can be repeated, for example after a deadline, and leaves the claim of another service alone.
        try await trial.grant(delivery, under: claim)
        try trial.expectNoClaim(
            try await trial.claim(delivery.key, from: at(0), until: at(1)),
            "a claim after granting was repeated under a claim that had ended")
        try await trial.release(claim)
        try trial.expectNoClaim(
            try await trial.claim(delivery.key, from: at(0), until: at(1)),
            "a claim after the release of one that granting had ended")
    }

    private static func grantNeedsClaim(_ trial: Trial) async throws {
        let delivery = try trial.store.delivery()
        let key = delivery.key
        try await trial.advance(delivery, to: .recorded)
        /// Checks that granting fails under a claim.
        func expectLost(
            _ claim: FulfilmentClaim, _ situation: String, _ fulfilment: FulfilledAmount = .one
        ) async throws {
            try await trial.expectError("markGranted under a claim that \(situation)", .claimLost, keys: [key]) {
                journal throws(JournalError) in
                try await journal.markGranted(signedText: delivery.text, fulfilment, under: claim)
            }
        }
        let first = try trial.expectClaim(try await trial.claim(key, from: at(0), until: at(1)), "the first claim")
        let second = try trial.expectClaim(
            try await trial.claim(key, from: at(2), until: at(3)), "a claim after the end of the first")
        try await expectLost(first, "was replaced")
        try await trial.release(second)
        try await expectLost(second, "was released")
        let third = try trial.expectClaim(
            try await trial.claim(key, from: at(2), until: at(3)), "a claim after a release")
        // The times of a claim do not matter here.
        let moved = FulfilmentClaim(key: key, number: third.number, start: at(8), end: at(9))
        try await trial.grant(delivery, under: moved)
        try await expectLost(third, "has ended, with another fulfilment", .revoked)
        try await expectLost(third, "has ended, with more items", .granted(productID: "coins", quantity: 2))
        try await expectLost(third, "has ended, with another product", .granted(productID: "gems", quantity: 1))
        try trial.expect(try await trial.fulfilment(key), .one, "the fulfilment after granting")
        // The entry can have the stage because of another purchase's fulfilment, as a merged entry has.
        let other = PurchaseKey.transaction(id: "another")
        let lost = FulfilmentClaim(key: other, number: third.number, start: at(2), end: at(3))
        try await expectLost(lost, "is of another purchase")
    }
}
