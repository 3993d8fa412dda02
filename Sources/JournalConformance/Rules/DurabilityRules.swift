internal import PurchaseCore
internal import ReceiptTypes

/// The rules of a journal that is closed and opened again.
enum DurabilityRules {
    static let all = [
        Check(
            "reopen-content", "everything is as before after the journal was closed and opened again",
            requires: .reopening, reopenContent),
        Check(
            "reopen-each-change", "each change is durable when its call returns",
            requires: .reopening, reopenEachChange),
        Check(
            "reopen-rules", "texts, facts, order, owners and returns are recognized after the journal was opened again",
            requires: .reopening, reopenRules),
        Check(
            "reopen-claims", "claims stay in force, and their numbers unique, after the journal was opened again",
            requires: .reopening, reopenClaims),
    ]

    private static func reopenContent(_ trial: Trial) async throws {
        try await trial.fresh().reopened().expectEntries([], "of a new journal that was opened again")
        var trial = trial
        var keys: [PurchaseKey] = []
        for stage in JournalStage.allCases {
            for store in SampleStore.allCases {
                let account = store != .googlePlay ? Account.anna : nil
                let sample = PurchaseSample(id: "\(stage) \(store.rawValue)", objection: "objection")
                let delivery = try store.delivery(sample)
                try await trial.advance(delivery, to: stage, for: account)
                keys.append(delivery.key)
            }
        }
        for (number, text) in (UnusualText.all + [UnusualText.long]).enumerated() {
            let signed = trial.store.signed(text: "\(number)\(text)", id: text, productID: text, objection: text)
            try await trial.observe(signed, from: .entitlement, at: number.isMultiple(of: 2) ? .maximum : .minimum)
            try await trial.quarantine(signed.signedText, VerificationFailure.Code(rawValue: text))
        }
        let revoked = try trial.store.delivery(PurchaseSample(id: "revoked", isRefunded: true))
        try await trial.advance(revoked, to: .recorded)
        try await trial.grant(revoked, .revoked)
        keys.append(revoked.key)
        for text in UnusualText.all { try await trial.record(RenewalSample(originalID: "id \(text)", signed: 1)) }
        try await trial.updateMemory { $0 = MemoryRules.unusual }
        let content = try await trial.content(keys)
        for number in 1...2 {
            trial = try await trial.reopened()
            try Trial.compare(
                try await trial.content(keys), content, "the content after the journal was opened again \(number) times"
            )
        }
    }

    private static func reopenEachChange(_ trial: Trial) async throws {
        var trial = trial
        let delivery = try trial.store.delivery(PurchaseSample(objection: "objection"))
        let changes: [(String, (Trial) async throws -> Void)] = [
            ("a delivery", { try await $0.observe(delivery) }),
            ("quarantine", { try await $0.quarantine(delivery.text) }),
            ("verification", { try await $0.verify(delivery) }),
            ("recording", { try await $0.record(delivery) }),
            ("recording with an account", { try await $0.record(delivery, for: Account.anna) }),
            ("granting", { try await $0.grant(delivery) }),
            ("finishing", { try await $0.finish(delivery) }),
            ("another amount", { try await $0.grant(delivery, .granted(productID: "coins", quantity: 2)) }),
            ("another fulfilment", { try await $0.grant(delivery, .revoked) }),
            ("a renewal info", { try await $0.record(RenewalSample()) }),
            ("a later renewal info", { try await $0.record(RenewalSample(signed: 1)) }),
            ("a change of the memory", { try await $0.updateMemory { $0.clock.device = at(1) } }),
            (
                "a later signature",
                {
                    let later = try $0.store.delivery(PurchaseSample(signed: 1))
                    try await $0.observe(later)
                    try await $0.verify(later)
                }
            ),
        ]
        for (situation, change) in changes {
            try await change(trial)
            let content = try await trial.content([delivery.key])
            trial = try await trial.reopened()
            try Trial.compare(
                try await trial.content([delivery.key]), content, "the content opened again after \(situation)")
        }
    }

    private static func reopenRules(_ trial: Trial) async throws {
        var trial = trial
        let bought = try trial.store.delivery(PurchaseSample(signed: 1))
        let refunded = try trial.store.delivery(PurchaseSample(isRefunded: true, signed: 2))
        let replaced = try trial.store.delivery(PurchaseSample(productID: "gems", signed: 3))
        let later = try trial.store.delivery(PurchaseSample(signed: 4))
        try await trial.advance(bought, to: .finished, for: Account.anna)
        trial = try await trial.reopened()
        try trial.expect(
            try await trial.observe(bought.redelivered, from: .history, at: at(9)),
            bought.entry(.finished, account: Account.anna), "the entry of a redelivery after reopening")
        try await trial.advance(refunded, to: .verified)
        trial = try await trial.reopened()
        try trial.expect(
            try await trial.record(refunded, for: Account.bert), .conflict(.belongsToAnotherAccount),
            "recording for another account after reopening")
        try trial.expect(try await trial.record(refunded), .merged, "recording another version after reopening")
        try await trial.advance(replaced, to: .verified)
        trial = try await trial.reopened()
        // In Google Play the token alone identifies a purchase.
        let isConflict = trial.store != .googlePlay
        try trial.expect(
            try await trial.record(replaced), isConflict ? .conflict(.differentPurchase) : .merged,
            "recording for another product after reopening")
        let other = replaced.entry(isConflict ? .verified : .recorded, account: isConflict ? nil : Account.anna)
        try await trial.observe(later.signed, from: .history, at: at(9))
        trial = try await trial.reopened()
        // A later signature of the App Store is a return to the state before the refund. Google Play signs no date.
        let isReturn = trial.store != .googlePlay
        let entry = later.entry(isReturn ? .verified : .finished, account: Account.anna)
        try trial.expect(try await trial.verify(later), entry, "the entry merged after reopening")
        trial = try await trial.reopened()
        let last = try trial.store.delivery(PurchaseSample(id: "2"))
        try await trial.observe(last)
        try await trial.expectEntries(
            [
                entry, refunded.entry(.recorded, account: Account.anna), other,
                last.entry(.observed),
            ], "after the journal was opened again before each step")
    }

    private static func reopenClaims(_ trial: Trial) async throws {
        var trial = trial
        let key = PurchaseKey.transaction(id: "1")
        let first = try trial.expectClaim(try await trial.claim(key, from: at(0), until: at(1)), "the first claim")
        trial = try await trial.reopened()
        try trial.expectNoClaim(
            try await trial.claim(key, from: at(1), until: at(2)), "a claim of a claimed purchase after reopening")
        let second = try trial.expectClaim(
            try await trial.claim(key, from: at(2), until: at(3)), "a claim after the end of the first, after reopening"
        )
        try await trial.release(second)
        trial = try await trial.reopened()
        let third = try trial.expectClaim(
            try await trial.claim(key, from: at(2), until: at(3)), "a claim after a release, after reopening")
        if Set([first.number, second.number, third.number]).count < 3 {
            throw Mismatch(
                "the numbers of claims before and after reopening", expected: "three different numbers",
                found: "\(first.number), \(second.number), \(third.number)")
        }
        try trial.expect(third.followsUnanswered ? 1 : 0, 1, "the memory of the first claim, which was not released")
        for claim in [first, second] { try await trial.release(claim) }
        try trial.expectNoClaim(
            try await trial.claim(key, from: at(3), until: at(4)), "a claim after earlier claims were released")
        try trial.expect(
            try await trial.renew(third, from: at(3), until: at(4)), third.renewed(from: at(3), until: at(4)),
            "the renewal of a claim")
        trial = try await trial.reopened()
        try trial.expectNoClaim(
            try await trial.claim(key, from: at(4), until: at(5)), "a claim during a renewed one after reopening")
        try await trial.release(third)
        trial = try await trial.reopened()
        try trial.expectClaim(
            try await trial.claim(key, from: at(3), until: at(4)), "a claim after a release and reopening")
    }
}
