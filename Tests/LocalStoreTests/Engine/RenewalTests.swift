import PurchaseCore
import ReceiptTypes
import Testing

@testable import LocalStore

@Suite("Renewals")
struct RenewalTests {
    @Test("a subscription renews by the calendar and returns to the end of the month after February")
    func renewsByCalendar() throws {
        var engine = SampleStore.engine()
        try engine.advance(days: 30)
        _ = try engine.purchase("pro.other")
        try engine.advance(days: 150)
        let dates = engine.state.transactions.map { String("\($0.purchaseDate)".prefix(10)) }
        #expect(dates == ["2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31", "2025-06-30"])
        for (earlier, later) in zip(engine.state.transactions, engine.state.transactions.dropFirst()) {
            #expect(earlier.expiresDate == later.purchaseDate)
            #expect(later.reason == .renewal)
            #expect(later.originalID == engine.state.transactions[0].id)
            #expect(later.originalPurchaseDate == earlier.originalPurchaseDate)
        }
        #expect(Set(engine.state.transactions.compactMap(\.webOrderLineItemID)).count == 6)
        #expect(engine.notificationNames == ["SUBSCRIBED/INITIAL_BUY"] + Array(repeating: "DID_RENEW", count: 5))
    }

    @Test(
        "a subscription renews at the period of its time rate",
        arguments: TimeRate.known)
    func renewsAtRate(_ number: Int) throws {
        var engine = SampleStore.engine { $0.timeRate = TimeRate(rawValue: number) }
        let first = try engine.purchase("pro.other")
        let end = try #require(first.expiresDate)
        try engine.advance(to: end)
        #expect(engine.state.transactions.count == 2)
        #expect(engine.state.transactions[1].purchaseDate == end)
        let length = end.millisecondsSince1970 - SampleStore.start.millisecondsSince1970
        let next = try #require(engine.state.transactions[1].expiresDate).millisecondsSince1970
        // January and February have different lengths.
        #expect(next - end.millisecondsSince1970 == (number == 0 ? 28 * SampleStore.day : length))
    }

    @Test("advancing the clock in one step or in many gives the same state")
    func stepsMakeNoDifference() throws {
        var one = SampleStore.engine()
        var many = SampleStore.engine()
        _ = try one.purchase("pro.weekly")
        _ = try many.purchase("pro.weekly")
        try one.advance(days: 100)
        for _ in 0..<100 { try many.advance(days: 1) }
        #expect(one.state == many.state)
    }

    @Test("a subscription without automatic renewal ends with its period and not before")
    func cancels() throws {
        var engine = SampleStore.engine()
        let bought = try engine.purchase("pro.other")
        try engine.cancelRenewal(bought.id)
        #expect(engine.entitledProductIDs() == ["pro.other"])
        try engine.advance(days: 30)
        #expect(engine.entitledProductIDs() == ["pro.other"])
        try engine.advance(days: 1)
        #expect(engine.entitledProductIDs() == [])
        #expect(try engine.subscription().expirationIntent == .customerCancelled)
        #expect(
            engine.notificationNames == [
                "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY",
            ])
        #expect(errorCode { try engine.resumeRenewal(bought.id) } == .invalidAction)
        #expect(errorCode { try engine.cancelRenewal(bought.id) } == .invalidAction)
    }

    @Test("automatic renewal can be turned on again before the period ends")
    func resumes() throws {
        var engine = SampleStore.engine()
        let bought = try engine.purchase("pro.other")
        try engine.cancelRenewal(bought.id)
        #expect(errorCode { try engine.cancelRenewal(bought.id) } == .invalidAction)
        try engine.resumeRenewal(bought.id)
        #expect(errorCode { try engine.resumeRenewal(bought.id) } == .invalidAction)
        #expect(engine.notificationNames.last == "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED")
        try engine.advance(days: 31)
        #expect(engine.notificationNames.last == "DID_RENEW")
        #expect(try engine.subscription().expirationIntent == nil)
    }

    @Test("a customer that resubscribes keeps the original transaction identifier")
    func resubscribes() throws {
        var engine = SampleStore.engine()
        let first = try engine.purchase("pro.other")
        try engine.expire(first.id)
        #expect(engine.entitledProductIDs() == [])
        #expect(errorCode { try engine.expire(first.id) } == .invalidAction)
        #expect(errorCode { try engine.renew(first.id) } == .invalidAction)
        try engine.advance(days: 10)
        let again = try engine.purchase("pro.weekly")
        #expect(again.originalID == first.id)
        #expect(again.reason == .purchase)
        #expect(engine.notificationNames.last == "SUBSCRIBED/RESUBSCRIBE")
        #expect(engine.entitledProductIDs() == ["pro.weekly"])
        #expect(try engine.subscription().startDate == engine.state.now)
        #expect(engine.state.subscriptions.count == 1)
    }

    @Test("a renewal by command starts a new period now")
    func renewsNow() throws {
        var engine = SampleStore.engine()
        let first = try engine.purchase("pro.other")
        try engine.advance(days: 3)
        try engine.renew(first.id)
        let latest = try engine.latestTransaction()
        #expect(latest.purchaseDate == engine.state.now)
        #expect(engine.state.transactions[0].expiresDate == engine.state.now)
        #expect(engine.notificationNames.last == "DID_RENEW")
        #expect(engine.entitledProductIDs() == ["pro.other"])
        try engine.cancelRenewal(first.id)
        #expect(errorCode { try engine.renew(first.id) } == .invalidAction)
    }

    @Test("a subscription to a product that is no longer on sale ends with its period")
    func removedProduct() throws {
        var engine = SampleStore.engine()
        _ = try engine.purchase("pro.other")
        var configuration = SampleStore.configuration
        configuration.products.removeAll { $0.id == "pro.other" }
        engine = SimulatorEngine(configuration: configuration, state: engine.state)
        try engine.advance(days: 31)
        #expect(engine.notificationNames.last == "EXPIRED/PRODUCT_NOT_FOR_SALE")
        #expect(try engine.subscription().expirationIntent == .productUnavailable)
    }

    // MARK: Billing

    @Test("a failed renewal without grace period ends the entitlement, and billing retry lasts 60 days")
    func retriesBilling() throws {
        var engine = SampleStore.engine { $0.isFailingRenewals = true }
        _ = try engine.purchase("pro.other")
        try engine.advance(days: 31)
        #expect(try engine.subscription().standing == .billingRetry)
        #expect(engine.entitledProductIDs() == [])
        #expect(engine.notificationNames.last == "DID_FAIL_TO_RENEW")
        try engine.advance(days: 59)
        #expect(try engine.subscription().standing == .billingRetry)
        try engine.advance(days: 1)
        #expect(try engine.subscription().standing == .expired)
        #expect(try engine.subscription().expirationIntent == .billingError)
        #expect(engine.notificationNames.last == "EXPIRED/BILLING_RETRY")
    }

    @Test(
        "a grace period keeps the entitlement for 16 days, or 6 for weekly subscriptions",
        arguments: [("pro.other", 31, 16), ("pro.weekly", 7, 6)])
    func gracePeriods(_ productID: String, _ period: Int, _ grace: Int) throws {
        var engine = SampleStore.engine {
            $0.isFailingRenewals = true
            $0.isGracePeriodEnabled = true
        }
        _ = try engine.purchase(productID)
        try engine.advance(days: period)
        #expect(try engine.subscription().standing == .gracePeriod)
        #expect(engine.entitledProductIDs() == [productID])
        #expect(engine.notificationNames.last == "DID_FAIL_TO_RENEW/GRACE_PERIOD")
        try engine.advance(days: grace - 1)
        #expect(engine.entitledProductIDs() == [productID])
        try engine.advance(days: 1)
        #expect(engine.entitledProductIDs() == [])
        #expect(try engine.subscription().standing == .billingRetry)
        #expect(engine.notificationNames.last == "GRACE_PERIOD_EXPIRED")
        try engine.advance(days: 60 - grace)
        #expect(engine.notificationNames.last == "EXPIRED/BILLING_RETRY")
    }

    @Test("billing that recovers continues the old period in the grace period and starts a new one later")
    func recovers() throws {
        for (hasGrace, isSeamless) in [(true, true), (false, false)] {
            var engine = SampleStore.engine { $0.isGracePeriodEnabled = hasGrace }
            let bought = try engine.purchase("pro.other")
            try engine.setBillingIssue(true, bought.id)
            try engine.advance(days: 36)
            #expect(try engine.subscription().isEntitled == hasGrace)
            try engine.setBillingIssue(false, bought.id)
            #expect(engine.notificationNames.last == "DID_RENEW/BILLING_RECOVERY")
            #expect(engine.entitledProductIDs() == ["pro.other"])
            let latest = try engine.latestTransaction()
            #expect(latest.purchaseDate == (isSeamless ? bought.expiresDate : engine.state.now))
            #expect(latest.reason == .renewal)
            #expect(try engine.subscription().expirationIntent == nil)
            #expect(try engine.subscription().billingRetryEnd == nil)
        }
    }

    @Test("buying again during billing retry resolves the billing issue")
    func buyingRecovers() throws {
        var engine = SampleStore.engine()
        let bought = try engine.purchase("pro.other")
        try engine.setBillingIssue(true, bought.id)
        try engine.advance(days: 40)
        _ = try engine.purchase("pro.other")
        #expect(engine.notificationNames.last == "DID_RENEW/BILLING_RECOVERY")
        #expect(engine.entitledProductIDs() == ["pro.other"])
        try engine.setBillingIssue(true, bought.id)
        try engine.advance(days: 40)
        _ = try engine.purchase("pro.weekly")
        #expect(engine.notificationNames.last == "SUBSCRIBED/RESUBSCRIBE")
        #expect(engine.entitledProductIDs() == ["pro.weekly"])
    }

    @Test("cancelling ends a subscription at once in billing retry, and at the end of a grace period")
    func cancelsInRetry() throws {
        var retry = SampleStore.engine { $0.isFailingRenewals = true }
        let first = try retry.purchase("pro.other")
        try retry.advance(days: 31)
        try retry.cancelRenewal(first.id)
        #expect(
            retry.notificationNames.suffix(2) == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY"])

        var grace = SampleStore.engine {
            $0.isFailingRenewals = true
            $0.isGracePeriodEnabled = true
        }
        let second = try grace.purchase("pro.other")
        try grace.advance(days: 31)
        try grace.cancelRenewal(second.id)
        #expect(grace.entitledProductIDs() == ["pro.other"])
        try grace.advance(days: 16)
        #expect(grace.notificationNames.suffix(2) == ["GRACE_PERIOD_EXPIRED", "EXPIRED/VOLUNTARY"])
    }

    @Test("a renewal by command fails where renewals fail")
    func renewalNowFails() throws {
        var engine = SampleStore.engine { $0.isFailingRenewals = true }
        let bought = try engine.purchase("pro.other")
        try engine.advance(days: 2)
        try engine.renew(bought.id)
        #expect(try engine.subscription().standing == .billingRetry)
        #expect(engine.entitledProductIDs() == [])
        #expect(errorCode { try engine.renew(bought.id) } == .invalidAction)
        engine.updateSettings { $0.isFailingRenewals = false }
        try engine.renew(bought.id)
        #expect(engine.notificationNames.last == "DID_RENEW/BILLING_RECOVERY")
    }

    @Test("an upgrade during a grace period ends the billing issue, so the new plan renews")
    func upgradeRecovers() throws {
        var engine = SampleStore.engine { $0.isGracePeriodEnabled = true }
        let bought = try engine.purchase("pro.other")
        try engine.setBillingIssue(true, bought.id)
        try engine.advance(days: 32)
        #expect(try engine.subscription().standing == .gracePeriod)
        let upgraded = try engine.purchase("pro.plus")
        #expect(try !engine.subscription().hasBillingIssue)
        #expect(try engine.subscription().standing == .active)
        #expect(engine.payload(of: try engine.subscription()).gracePeriodExpiresDate == nil)
        try engine.advance(to: try #require(upgraded.expiresDate))
        #expect(engine.notificationNames.last == "DID_RENEW")
        #expect(engine.entitledProductIDs() == ["pro.plus"])
    }

    @Test("a price increase that waits for consent survives the recovery of billing, at the old price")
    func increaseSurvivesRecovery() throws {
        for answer in [true, false] {
            var engine = SampleStore.engine { $0.isGracePeriodEnabled = true }
            let bought = try engine.purchase("pro.other")
            try engine.setBillingIssue(true, bought.id)
            try engine.advance(days: 36)
            try engine.requestPriceIncrease(bought.id, to: Milliunits(7990))
            try engine.setBillingIssue(false, bought.id)
            #expect(try engine.subscription().priceIncrease?.isAccepted == false)
            #expect(try engine.latestTransaction().price == Milliunits(5990))
            #expect(engine.payload(of: try engine.subscription()).priceIncreaseStatus == .pending)
            if answer { try engine.consentToPriceIncrease(bought.id) }
            try engine.advance(days: 31)
            #expect(engine.notificationNames.last == (answer ? "DID_RENEW" : "EXPIRED/PRICE_INCREASE"))
            if answer { #expect(try engine.latestTransaction().price == Milliunits(7990)) }
            #expect(try engine.subscription().priceIncrease == nil)
        }
    }

    @Test("a declined price increase ends the subscription for that reason, also when its billing recovers first")
    func declinedIncreaseSurvivesRecovery() throws {
        for recovers in [true, false] {
            var engine = SampleStore.engine { $0.isGracePeriodEnabled = true }
            let bought = try engine.purchase("pro.other")
            try engine.setBillingIssue(true, bought.id)
            try engine.advance(days: 36)
            try engine.requestPriceIncrease(bought.id, to: Milliunits(7990))
            try engine.declinePriceIncrease(bought.id)
            if recovers { try engine.setBillingIssue(false, bought.id) }
            #expect(try !engine.subscription().willAutoRenew)
            try engine.advance(days: 31)
            #expect(engine.notificationNames.last == "EXPIRED/PRICE_INCREASE")
            #expect(try engine.subscription().expirationIntent == .priceIncreaseDeclined)
        }
    }

    @Test("at once after an expiration by command, an app with the store's clock grants nothing", arguments: [0, 10])
    func expiresAtOnce(_ days: Int) throws {
        var engine = SampleStore.engine(accounts: ["anna", "ben"])
        try engine.setFamily("home", of: "anna")
        try engine.setFamily("home", of: "ben")
        let bought = try engine.purchase("pro.plus")
        try engine.advance(days: days)
        try engine.expire(bought.id)
        let projection = EntitlementProjection(catalog: SampleStore.catalog)
        for account in ["anna", "ben"] {
            let history = engine.history(of: account)
            #expect(!history.isEmpty)
            let entitlements = projection.entitlements(
                from: history.compactMap { Transaction(engine.payload(of: $0)) },
                renewalInfos: engine.subscriptions(of: account).compactMap { RenewalInfo(engine.payload(of: $0)) },
                at: engine.state.now)
            #expect(entitlements.grounds.isEmpty)
        }
    }

    @Test("a grace period lasts for the days that the settings name, and at most 6 for weekly subscriptions")
    func graceLengths() throws {
        let lengths: [(StoreSettings.GracePeriod, String, Int)] = [
            (.threeDays, "pro.other", 3), (.threeDays, "pro.weekly", 3), (.sixteenDays, "pro.other", 16),
            (.sixteenDays, "pro.weekly", 6), (.twentyEightDays, "pro.other", 28), (.twentyEightDays, "pro.weekly", 6),
        ]
        for (grace, product, days) in lengths {
            var engine = SampleStore.engine {
                $0.isFailingRenewals = true
                $0.isGracePeriodEnabled = true
                $0.gracePeriod = grace
            }
            let bought = try engine.purchase(product)
            let end = try #require(bought.expiresDate)
            try engine.advance(to: end)
            let expected = end.adding(milliseconds: Int64(days) * SampleStore.day)
            #expect(try engine.subscription().gracePeriodEnd == expected, "\(product), \(grace)")
        }
    }

    // MARK: The clock

    @Test("the next event is the next renewal, failed payment, end of a grace period or expiration")
    func nextEvents() throws {
        var engine = SampleStore.engine { $0.isGracePeriodEnabled = true }
        #expect(engine.nextEventDate == nil)
        let bought = try engine.purchase("pro.other")
        #expect(engine.nextEventDate == bought.expiresDate)
        try engine.setBillingIssue(true, bought.id)
        var names: [String] = []
        while let next = engine.nextEventDate, names.count < 10 {
            try engine.advance(to: next)
            names.append(try #require(engine.notificationNames.last))
        }
        #expect(names == ["DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED", "EXPIRED/BILLING_RETRY"])
    }

    @Test("the clock cannot be set back")
    func clockGoesForward() throws {
        var engine = SampleStore.engine()
        #expect(errorCode { try engine.advance(byMilliseconds: -1) } == .clockBackward)
        #expect(errorCode { try engine.advance(to: .minimum) } == .clockBackward)
        try engine.advance(byMilliseconds: 0)
        #expect(engine.state.now == SampleStore.start)
    }

    @Test("too many renewals in one command fail, and the clock stops at its maximum")
    func endOfTime() throws {
        var fast = SampleStore.engine { $0.timeRate = TimeRate(rawValue: 1005) }
        fast.eventLimit = 1000
        _ = try fast.purchase("pro.other")
        #expect(errorCode { try fast.advance(to: .maximum) } == .tooManyEvents)

        var slow = SampleStore.engine()
        let bought = try slow.purchase("pro.other")
        try slow.cancelRenewal(bought.id)
        try slow.advance(to: .maximum)
        try slow.advance(byMilliseconds: .max)
        #expect(slow.state.now == .maximum)
        #expect(slow.entitledProductIDs() == [])
        #expect(errorCode { _ = try slow.purchase("pro.other") } == .invalidAction)
    }
}
