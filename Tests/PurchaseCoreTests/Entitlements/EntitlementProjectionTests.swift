import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Entitlement projection")
struct EntitlementProjectionTests {
    private let projection = EntitlementProjection(catalog: Sample.catalog)
    private let template = Entitlement.template(TemplateID(rawValue: "A"))

    private func renewal(_ payload: JWSRenewalInfoDecodedPayload) throws -> RenewalInfo {
        try #require(RenewalInfo(payload))
    }

    @Test("[PSE-12] a subscription is granted up to and including the last instant of its period")
    func period() throws {
        let transaction = try Sample.transaction("1", "pro.monthly", expires: Sample.at(day: 30))
        let end = Sample.at(day: 30)
        #expect(projection.entitlements(from: [transaction], at: end).isPro)
        let after = Sample.at(30 * Sample.day + 1)
        let expired = projection.entitlements(from: [transaction], at: after)
        #expect(!expired.isPro)
        #expect(expired.denials == ["pro.monthly": .expired])
        #expect(projection.entitlements(from: [transaction], at: Sample.at(0)).nextEnd == end)
        #expect(projection.entitlements(from: [transaction], at: Sample.at(0)).grants(.pro, at: end))
        #expect(!projection.entitlements(from: [transaction], at: Sample.at(0)).grants(.pro, at: after))
    }

    @Test("[PSE-12] [defect 7] billing retry is granted only within a grace period")
    func billingRetry() throws {
        let transaction = try Sample.transaction("1", "pro.monthly", expires: Sample.at(day: 30))
        let retry = try renewal(Sample.renewal("1", signed: Sample.at(day: 31), retry: true))
        let denied = projection.entitlements(from: [transaction], renewalInfos: [retry], at: Sample.at(day: 31))
        #expect(!denied.isPro)
        #expect(denied.denials == ["pro.monthly": .billingRetry])
        let grace = try renewal(
            Sample.renewal("1", signed: Sample.at(day: 31), retry: true, grace: Sample.at(day: 46)))
        let granted = projection.entitlements(from: [transaction], renewalInfos: [grace], at: Sample.at(day: 46))
        #expect(granted.grounds[.pro]?.map(\.kind) == [.gracePeriod])
        let over = projection.entitlements(
            from: [transaction], renewalInfos: [grace], at: Sample.at(46 * Sample.day + 1))
        #expect(!over.isPro)
        #expect(over.denials == ["pro.monthly": .billingRetry])
    }

    @Test("[PSE-12] a grace period extends the latest period, and not the periods before it")
    func graceOfLatestPeriod() throws {
        let first = try Sample.transaction("1", "pro.monthly")
        let second = try Sample.transaction("2", "pro.monthly", bought: Sample.at(day: 30), original: "1")
        let grace = try renewal(
            Sample.renewal("1", signed: Sample.at(day: 61), retry: true, grace: Sample.at(day: 66)))
        let entitlements = projection.entitlements(
            from: [first, second], renewalInfos: [grace], at: Sample.at(day: 65))
        #expect(entitlements.grounds[.pro]?.map(\.transactionID) == ["2"])
    }

    @Test("[PSE-12] a revoked or upgraded subscription has no grace period")
    func graceEnds() throws {
        let grace = try renewal(
            Sample.renewal("1", signed: Sample.at(day: 31), retry: true, grace: Sample.at(day: 46)))
        for change in [
            { (payload: inout JWSTransactionDecodedPayload) in payload.revocationDate = Sample.at(day: 5) },
            { (payload: inout JWSTransactionDecodedPayload) in payload.isUpgraded = true },
        ] {
            let transaction = try Sample.transaction(
                "1", "pro.monthly", expires: Sample.at(day: 30), change: change)
            let entitlements = projection.entitlements(
                from: [transaction], renewalInfos: [grace], at: Sample.at(day: 35))
            #expect(!entitlements.isPro)
        }
    }

    @Test("[PSE-12] [defect 11] after an upgrade the old plan grants nothing and the new one does")
    func upgraded() throws {
        let old = try Sample.transaction("1", "pro.yearly", expires: Sample.at(day: 365)) {
            $0.isUpgraded = true
            $0.revocationDate = Sample.at(day: 10)
        }
        let alone = projection.entitlements(from: [old], at: Sample.at(day: 20))
        #expect(!alone.isPro)
        #expect(alone.denials == ["pro.yearly": .revoked])
        let new = try Sample.transaction("2", "pro.monthly", bought: Sample.at(day: 10), original: "1")
        let both = projection.entitlements(from: [old, new], at: Sample.at(day: 20))
        #expect(both.grounds[.pro]?.map(\.transactionID) == ["2"])
        let notRefunded = try Sample.transaction("1", "pro.yearly", expires: Sample.at(day: 365)) {
            $0.isUpgraded = true
        }
        #expect(
            projection.entitlements(from: [notRefunded], at: Sample.at(day: 20)).denials == ["pro.yearly": .upgraded])
    }

    @Test("a subscription that is bought again at the instant of its refund is shown by the new period")
    func boughtAgain() throws {
        let refunded = try Sample.transaction(
            "1", "pro.yearly", expires: Sample.at(day: 365), signed: Sample.at(day: 1)
        ) { $0.revocationDate = Sample.at(0) }
        // The same plan, and a shorter one.
        for end in [365, 30] {
            let again = try Sample.transaction("2", "pro.yearly", expires: Sample.at(day: end), original: "1")
            let renewal = try #require(RenewalInfo(Sample.renewal("1", signed: Sample.at(0))))
            for transactions in [[refunded, again], [again, refunded]] {
                let entitlements = projection.entitlements(
                    from: transactions, renewalInfos: [renewal], at: Sample.at(day: 2))
                #expect(entitlements.purchases.map(\.transactionID) == ["2"])
                #expect(entitlements.purchases.map(\.willRenew) == [true])
            }
        }
    }

    @Test("the last period of a plan that was changed has details, without the renewal of the present plan")
    func formerPlan() throws {
        let upgraded = Sample.at(day: 10)
        let old = try Sample.transaction("1", "pro.monthly") { $0.isUpgraded = true }
        let new = try Sample.transaction(
            "2", "pro.yearly", bought: upgraded, expires: Sample.at(day: 375), original: "1")
        let renewal = try #require(RenewalInfo(Sample.renewal("1", signed: upgraded)))
        let entitlements = projection.entitlements(
            from: [old, new], renewalInfos: [renewal], at: Sample.at(day: 20))
        #expect(entitlements.purchases.map(\.transactionID) == ["2", "1"])
        #expect(entitlements.purchases.map(\.isGranted) == [true, false])
        #expect(entitlements.purchases.map(\.willRenew) == [true, false])
        #expect(entitlements.denials == ["pro.monthly": .upgraded])
        // After a downgrade the plan before it has ended.
        let (yearly, monthly) = (
            try Sample.transaction("1", "pro.yearly", expires: Sample.at(day: 365)),
            try Sample.transaction("2", "pro.monthly", bought: Sample.at(day: 365), original: "1")
        )
        let later = projection.entitlements(
            from: [yearly, monthly], renewalInfos: [renewal], at: Sample.at(day: 370))
        #expect(later.purchases.map(\.transactionID) == ["2", "1"])
        #expect(later.purchases.map(\.periodEnds) == [Sample.at(day: 395), Sample.at(day: 365)])
        #expect(later.denials == ["pro.yearly": .expired])
    }

    @Test("[PSE-12] revoking the family-shared purchase leaves the customer's own, and vice versa")
    func family() throws {
        let own = try Sample.transaction("1", "template.a")
        let shared = try Sample.transaction("2", "template.a") { $0.inAppOwnershipType = .familyShared }
        let both = projection.entitlements(from: [shared, own], at: Sample.at(0))
        #expect(both.grounds[template]?.map(\.kind) == [.lifetime, .familyLifetime])
        for (lost, kept, kind) in [("1", shared, Ground.Kind.familyLifetime), ("2", own, .lifetime)] {
            let revoked = try Sample.transaction(lost, "template.a", signed: Sample.at(day: 1)) {
                $0.revocationDate = Sample.at(day: 1)
            }
            let left = projection.entitlements(from: [own, shared, revoked], at: Sample.at(day: 2))
            #expect(left.grounds[template]?.map(\.kind) == [kind])
            #expect(left.grounds[template]?.map(\.transactionID) == [kept.id])
            #expect(left.denials.isEmpty)
        }
    }

    @Test("[PSE-12] a refund ends a purchase, and the reversal of the refund restores it")
    func refund() throws {
        let bought = try Sample.transaction("1", "template.a")
        let refunded = try Sample.transaction("1", "template.a", signed: Sample.at(day: 1)) {
            $0.revocationDate = Sample.at(day: 1)
        }
        let reversed = try Sample.transaction("1", "template.a", signed: Sample.at(day: 2))
        for versions in [[bought, refunded], [refunded, bought]] {
            let entitlements = projection.entitlements(from: versions, at: Sample.at(day: 3))
            #expect(!entitlements.grants(template))
            #expect(entitlements.denials == ["template.a": .revoked])
        }
        #expect(projection.entitlements(from: [reversed, refunded, bought], at: Sample.at(day: 3)).grants(template))
    }

    @Test("[PSE-12] of two versions with one signing date the revoked one counts, in either order")
    func tie() throws {
        let bought = try Sample.transaction("1", "template.a")
        let refunded = try Sample.transaction("1", "template.a", signed: Sample.at(0)) {
            $0.revocationDate = Sample.at(day: 1)
        }
        #expect(projection.entitlements(from: [bought, refunded], at: Sample.at(0)).grounds.isEmpty)
        #expect(projection.entitlements(from: [refunded, bought], at: Sample.at(0)).grounds.isEmpty)
    }

    @Test("[PSE-12] a non-renewing subscription ends after the catalog's period, and a second one extends it")
    func nonRenewing() throws {
        let start = try #require(Timestamp(rfc3339: "2025-01-31T00:00:00Z"))
        let first = try Sample.transaction("1", "pro.season", bought: start)
        let end = try #require(Timestamp(rfc3339: "2025-02-28T00:00:00Z"))
        #expect(projection.entitlements(from: [first], at: end).isPro)
        let after = try #require(Timestamp(rfc3339: "2025-02-28T00:00:00.001Z"))
        #expect(projection.entitlements(from: [first], at: after).denials == ["pro.season": .expired])
        let second = try Sample.transaction("2", "pro.season", bought: end)
        let later = try #require(Timestamp(rfc3339: "2025-03-28T00:00:00Z"))
        #expect(projection.entitlements(from: [second, first], at: later).grounds[.pro]?.first?.end == later)
        let early = try Sample.transaction("3", "pro.season", bought: start.adding(milliseconds: 10 * Sample.day))
        #expect(projection.entitlements(from: [early, first], at: end).nextEnd == end)
        #expect(projection.entitlements(from: [early, first], at: later).grounds[.pro]?.map(\.end) == [later])
        let refunded = try Sample.transaction("1", "pro.season", bought: start, signed: later) {
            $0.revocationDate = later
        }
        let left = projection.entitlements(from: [second, refunded], at: later)
        #expect(left.grounds[.pro]?.map(\.transactionID) == ["2"])
        let unknown = try Sample.transaction("3", "season.other") { $0.type = .nonRenewingSubscription }
        #expect(projection.entitlements(from: [unknown], at: start).denials == ["season.other": .unknownEnd])
    }

    @Test("the largest quantities overflow neither the end of a subscription nor a balance")
    func quantity() throws {
        let many = try Sample.transaction("1", "pro.season") { $0.quantity = .max }
        #expect(projection.entitlements(from: [many], at: Sample.at(0)).grounds[.pro]?.first?.end == .maximum)
        let coins = try (0..<3).map { try Sample.transaction("\($0)", "coins") { $0.quantity = .max } }
        #expect(projection.entitlements(from: coins, at: Sample.at(0)).balances == ["coins": Int(Int32.max) * 3])
        let none = try Sample.transaction("1", "coins") { $0.quantity = -5 }
        #expect(projection.entitlements(from: [none], at: Sample.at(0)).balances == ["coins": 1])
    }

    @Test("[PSE-5] an unknown product, type or end grants nothing and is reported as unknown")
    func unknown() throws {
        let entitlements = projection.entitlements(
            from: [
                try Sample.transaction("1", "not.in.catalog"),
                try Sample.transaction("2", "pro.lifetime") { $0.type = ProductType(rawValue: "Lottery Ticket") },
                try Sample.transaction("3", "pro.monthly") { $0.expiresDate = nil },
            ], at: Sample.at(0))
        #expect(entitlements.grounds.isEmpty)
        #expect(
            entitlements.denials == [
                "not.in.catalog": .unknownProduct, "pro.lifetime": .unknownType, "pro.monthly": .unknownEnd,
            ])
    }

    @Test("a downgrade is a plan change at the end of the period")
    func planChange() throws {
        let transaction = try Sample.transaction("1", "pro.yearly", expires: Sample.at(day: 365))
        let info = try renewal(
            Sample.renewal("1", signed: Sample.at(day: 3)) { $0.autoRenewProductId = "pro.monthly" })
        let entitlements = projection.entitlements(from: [transaction], renewalInfos: [info], at: Sample.at(day: 4))
        #expect(entitlements.grounds[.pro]?.map(\.productID) == ["pro.yearly"])
        #expect(
            entitlements.planChanges == [
                PlanChange(productID: "pro.yearly", nextProductID: "pro.monthly", date: Sample.at(day: 365))
            ])
    }

    @Test("the grounds of an entitlement are sorted from strongest to weakest")
    func order() throws {
        let entitlements = projection.entitlements(
            from: [
                try Sample.transaction("1", "pro.monthly"),
                try Sample.transaction("2", "pro.lifetime") { $0.inAppOwnershipType = .familyShared },
                try Sample.transaction("3", "pro.lifetime"),
                try Sample.transaction("4", "pro.yearly", expires: Sample.at(day: 365)),
                try Sample.transaction("5", "pro.season"),
            ], at: Sample.at(0))
        #expect(entitlements.grounds[.pro]?.map(\.transactionID) == ["3", "2", "4", "1", "5"])
        #expect(entitlements.grants(.template(TemplateID(rawValue: "B"))), "pro unlocks every template")
        #expect(entitlements.templates.isEmpty)
    }

    @Test("[PSE-9] offline grace requires an unreachable store, auto-renewal, and no later renewal info")
    func offlineGrace() throws {
        let transaction = try Sample.transaction("1", "pro.monthly", expires: Sample.at(day: 30))
        let on = try renewal(Sample.renewal("1", signed: Sample.at(day: 1)))
        let off = try renewal(Sample.renewal("1", signed: Sample.at(day: 1), renews: false))
        let news = try renewal(Sample.renewal("1", signed: Sample.at(day: 31)))
        func isPro(_ info: RenewalInfo?, day: Int, reachable: Bool = false) -> Bool {
            projection.entitlements(
                from: [transaction], renewalInfos: info.map { [$0] } ?? [], at: Sample.at(day: day),
                isStoreReachable: reachable
            ).isPro
        }
        #expect(isPro(on, day: 33))
        #expect(!isPro(on, day: 34))
        #expect(!isPro(on, day: 33, reachable: true))
        #expect(!isPro(off, day: 31))
        #expect(!isPro(news, day: 32))
        #expect(!isPro(nil, day: 31))
        let revoked = try Sample.transaction(
            "1", "pro.monthly", expires: Sample.at(day: 30), signed: Sample.at(day: 2)
        ) { $0.revocationDate = Sample.at(day: 2) }
        let after = projection.entitlements(
            from: [transaction, revoked], renewalInfos: [on], at: Sample.at(day: 31), isStoreReachable: false)
        #expect(!after.isPro)
    }

    @Test("a subscription that the store lists stays in force after its end, until the end of a whole day")
    func listed() throws {
        let transaction = try Sample.transaction("1", "pro.monthly", expires: Sample.at(day: 30))
        let retry = try renewal(
            Sample.renewal("1", signed: Sample.at(day: 31), retry: true, grace: Sample.at(day: 46)))
        func grounds(_ transaction: PurchaseCore.Transaction, _ info: RenewalInfo? = nil, at time: Int64) -> [Ground] {
            projection.entitlements(
                from: [transaction], renewalInfos: info.map { [$0] } ?? [], listedTransactionIDs: ["1"],
                at: Sample.at(time)
            ).grounds[.pro] ?? []
        }
        for (time, end) in [(30, 30), (31, 31), (400, 400)] {
            let found = grounds(transaction, at: Int64(time) * Sample.day)
            #expect(found.map(\.kind) == [.subscription])
            #expect(found.map(\.end) == [Sample.at(day: end)])
        }
        #expect(grounds(transaction, at: 30 * Sample.day + 1).map(\.end) == [Sample.at(day: 31)])
        #expect(grounds(transaction, retry, at: 46 * Sample.day + 1).contains { $0.kind == .gracePeriod })
        #expect(grounds(transaction, at: Timestamp.maximum.millisecondsSince1970 - Sample.start).count == 1)
        for change in [
            { (payload: inout JWSTransactionDecodedPayload) in payload.revocationDate = Sample.at(day: 5) },
            { (payload: inout JWSTransactionDecodedPayload) in payload.isUpgraded = true },
        ] {
            let ended = try Sample.transaction("1", "pro.monthly", expires: Sample.at(day: 30), change: change)
            #expect(grounds(ended, at: 31 * Sample.day).isEmpty, "what the store has signed outranks its list")
        }
    }

    @Test("[OTP-8.3] an unconfirmed absence leaves the grounds, a confirmed one ends all but consumables")
    func absences() throws {
        let transactions = try ["template.a", "pro.monthly", "pro.season", "coins"].map {
            try Sample.transaction($0, $0)
        }
        func entitlements(
            isConfirmed: Bool, since: Timestamp = Sample.at(0), at now: Timestamp = Sample.at(0)
        ) -> Entitlements {
            projection.entitlements(
                from: transactions,
                absences: transactions.map {
                    AbsentPurchase(transactionID: $0.id, since: since, isConfirmed: isConfirmed)
                }, at: now)
        }
        let unconfirmed = entitlements(isConfirmed: false)
        #expect(unconfirmed.grounds.values.joined().map(\.isConfirmed) == [false, false, false])
        #expect(unconfirmed.balances == ["coins": 1])
        let confirmed = entitlements(isConfirmed: true)
        #expect(confirmed.grounds.isEmpty)
        #expect(
            confirmed.denials == [
                "template.a": .notListedByStore, "pro.monthly": .notListedByStore, "pro.season": .notListedByStore,
            ])
        #expect(confirmed.balances == ["coins": 1])
        let ended = entitlements(isConfirmed: true, at: Sample.at(day: 400))
        #expect(ended.denials["pro.season"] == .expired, "it has ended, whether the store lists it or not")
        let signedLater = entitlements(isConfirmed: true, since: Sample.at(-1))
        #expect(signedLater.unconfirmedGrounds.isEmpty && signedLater.isPro, "a later signature is newer evidence")
    }
}
