import PurchaseCore
import ReceiptTypes
import Testing

@testable import LocalStore

@Suite("Renewals of a local store")
struct RenewalTests {
    @Test("a subscription renews by the calendar, and comes back to the end of the month after February")
    func renewsByCalendar() throws {
        var engine = Shop.engine()
        try engine.pass(days: 30)
        _ = try engine.bought("pro.other")
        try engine.pass(days: 150)
        let dates = engine.state.transactions.map { String("\($0.purchaseDate)".prefix(10)) }
        #expect(dates == ["2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31", "2025-06-30"])
        for (earlier, later) in zip(engine.state.transactions, engine.state.transactions.dropFirst()) {
            #expect(earlier.expiresDate == later.purchaseDate)
            #expect(later.reason == .renewal)
            #expect(later.originalID == engine.state.transactions[0].id)
            #expect(later.originalPurchaseDate == earlier.originalPurchaseDate)
        }
        #expect(Set(engine.state.transactions.compactMap(\.webOrderLineItemID)).count == 6)
        #expect(engine.told == ["SUBSCRIBED/INITIAL_BUY"] + Array(repeating: "DID_RENEW", count: 5))
    }

    @Test(
        "at each rate that is no real time, a month of virtual time is as long as the table says",
        arguments: TimeRate.known)
    func renewsAtRate(_ number: Int) throws {
        var engine = Shop.engine { $0.timeRate = TimeRate(rawValue: number) }
        let first = try engine.bought("pro.other")
        let end = try #require(first.expiresDate)
        try engine.advance(to: end)
        #expect(engine.state.transactions.count == 2)
        #expect(engine.state.transactions[1].purchaseDate == end)
        let length = end.millisecondsSince1970 - Shop.start.millisecondsSince1970
        let next = try #require(engine.state.transactions[1].expiresDate).millisecondsSince1970
        // A January and a February.
        #expect(next - end.millisecondsSince1970 == (number == 0 ? 28 * Shop.day : length))
    }

    @Test("time passes in one step or in many: the outcome is the same")
    func stepsMakeNoDifference() throws {
        var one = Shop.engine()
        var many = Shop.engine()
        _ = try one.bought("pro.weekly")
        _ = try many.bought("pro.weekly")
        try one.pass(days: 100)
        for _ in 0..<100 { try many.pass(days: 1) }
        #expect(one.state == many.state)
    }

    @Test("renewal switched off ends with the period, and not before")
    func cancels() throws {
        var engine = Shop.engine()
        let bought = try engine.bought("pro.other")
        try engine.cancelRenewal(bought.id)
        #expect(engine.entitled() == ["pro.other"])
        try engine.pass(days: 30)
        #expect(engine.entitled() == ["pro.other"])
        try engine.pass(days: 1)
        #expect(engine.entitled() == [])
        #expect(try engine.subscription().expirationIntent == .customerCancelled)
        #expect(
            engine.told == [
                "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY",
            ])
        #expect(code { try engine.resumeRenewal(bought.id) } == .invalidAction)
        #expect(code { try engine.cancelRenewal(bought.id) } == .invalidAction)
    }

    @Test("renewal can be switched on again before the end")
    func resumes() throws {
        var engine = Shop.engine()
        let bought = try engine.bought("pro.other")
        try engine.cancelRenewal(bought.id)
        #expect(code { try engine.cancelRenewal(bought.id) } == .invalidAction)
        try engine.resumeRenewal(bought.id)
        #expect(code { try engine.resumeRenewal(bought.id) } == .invalidAction)
        #expect(engine.told.last == "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED")
        try engine.pass(days: 31)
        #expect(engine.told.last == "DID_RENEW")
        #expect(try engine.subscription().expirationIntent == nil)
    }

    @Test("who comes back keeps the original id and begins anew")
    func comesBack() throws {
        var engine = Shop.engine()
        let first = try engine.bought("pro.other")
        try engine.expire(first.id)
        #expect(engine.entitled() == [])
        #expect(code { try engine.expire(first.id) } == .invalidAction)
        #expect(code { try engine.renew(first.id) } == .invalidAction)
        try engine.pass(days: 10)
        let again = try engine.bought("pro.weekly")
        #expect(again.originalID == first.id)
        #expect(again.reason == .purchase)
        #expect(engine.told.last == "SUBSCRIBED/RESUBSCRIBE")
        #expect(engine.entitled() == ["pro.weekly"])
        #expect(try engine.subscription().startDate == engine.state.now)
        #expect(engine.state.subscriptions.count == 1)
    }

    @Test("a renewal can be had at once")
    func renewsNow() throws {
        var engine = Shop.engine()
        let first = try engine.bought("pro.other")
        try engine.pass(days: 3)
        try engine.renew(first.id)
        let latest = try engine.latest()
        #expect(latest.purchaseDate == engine.state.now)
        #expect(engine.state.transactions[0].expiresDate == engine.state.now)
        #expect(engine.told.last == "DID_RENEW")
        #expect(engine.entitled() == ["pro.other"])
        try engine.cancelRenewal(first.id)
        #expect(code { try engine.renew(first.id) } == .invalidAction)
    }

    @Test("a product that is sold no more ends with its period")
    func soldNoMore() throws {
        var engine = Shop.engine()
        _ = try engine.bought("pro.other")
        var configuration = Shop.configuration
        configuration.products.removeAll { $0.id == "pro.other" }
        engine = LocalStoreEngine(configuration: configuration, state: engine.state)
        try engine.pass(days: 31)
        #expect(engine.told.last == "EXPIRED/PRODUCT_NOT_FOR_SALE")
        #expect(try engine.subscription().expirationIntent == .productUnavailable)
    }

    // MARK: Billing

    @Test("a renewal that fails goes to billing retry without a right, and ends after sixty days")
    func retries() throws {
        var engine = Shop.engine { $0.isFailingRenewals = true }
        _ = try engine.bought("pro.other")
        try engine.pass(days: 31)
        #expect(try engine.subscription().standing == .billingRetry)
        #expect(engine.entitled() == [])
        #expect(engine.told.last == "DID_FAIL_TO_RENEW")
        try engine.pass(days: 59)
        #expect(try engine.subscription().standing == .billingRetry)
        try engine.pass(days: 1)
        #expect(try engine.subscription().standing == .expired)
        #expect(try engine.subscription().expirationIntent == .billingError)
        #expect(engine.told.last == "EXPIRED/BILLING_RETRY")
    }

    @Test(
        "with grace the customer goes on for sixteen days, by the week for six",
        arguments: [("pro.other", 31, 16), ("pro.weekly", 7, 6)])
    func grants(_ productID: String, _ period: Int, _ grace: Int) throws {
        var engine = Shop.engine {
            $0.isFailingRenewals = true
            $0.isGracePeriodEnabled = true
        }
        _ = try engine.bought(productID)
        try engine.pass(days: period)
        #expect(try engine.subscription().standing == .gracePeriod)
        #expect(engine.entitled() == [productID])
        #expect(engine.told.last == "DID_FAIL_TO_RENEW/GRACE_PERIOD")
        try engine.pass(days: grace - 1)
        #expect(engine.entitled() == [productID])
        try engine.pass(days: 1)
        #expect(engine.entitled() == [])
        #expect(try engine.subscription().standing == .billingRetry)
        #expect(engine.told.last == "GRACE_PERIOD_EXPIRED")
        try engine.pass(days: 60 - grace)
        #expect(engine.told.last == "EXPIRED/BILLING_RETRY")
    }

    @Test("billing that recovers within grace loses no day, and later begins a new period")
    func recovers() throws {
        for (hasGrace, isSeamless) in [(true, true), (false, false)] {
            var engine = Shop.engine { $0.isGracePeriodEnabled = hasGrace }
            let bought = try engine.bought("pro.other")
            try engine.setBillingIssue(true, bought.id)
            try engine.pass(days: 36)
            #expect(try engine.subscription().isEntitled == hasGrace)
            try engine.setBillingIssue(false, bought.id)
            #expect(engine.told.last == "DID_RENEW/BILLING_RECOVERY")
            #expect(engine.entitled() == ["pro.other"])
            let latest = try engine.latest()
            #expect(latest.purchaseDate == (isSeamless ? bought.expiresDate : engine.state.now))
            #expect(latest.reason == .renewal)
            #expect(try engine.subscription().expirationIntent == nil)
            #expect(try engine.subscription().billingRetryEnd == nil)
        }
    }

    @Test("who buys again while the store tries to bill has a way to pay")
    func buyingRecovers() throws {
        var engine = Shop.engine()
        let bought = try engine.bought("pro.other")
        try engine.setBillingIssue(true, bought.id)
        try engine.pass(days: 40)
        _ = try engine.bought("pro.other")
        #expect(engine.told.last == "DID_RENEW/BILLING_RECOVERY")
        #expect(engine.entitled() == ["pro.other"])
        try engine.setBillingIssue(true, bought.id)
        try engine.pass(days: 40)
        _ = try engine.bought("pro.weekly")
        #expect(engine.told.last == "SUBSCRIBED/RESUBSCRIBE")
        #expect(engine.entitled() == ["pro.weekly"])
    }

    @Test("whoever cancels while the store tries to bill is let go; in grace, at its end")
    func cancelsInRetry() throws {
        var retry = Shop.engine { $0.isFailingRenewals = true }
        let first = try retry.bought("pro.other")
        try retry.pass(days: 31)
        try retry.cancelRenewal(first.id)
        #expect(retry.told.suffix(2) == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY"])

        var grace = Shop.engine {
            $0.isFailingRenewals = true
            $0.isGracePeriodEnabled = true
        }
        let second = try grace.bought("pro.other")
        try grace.pass(days: 31)
        try grace.cancelRenewal(second.id)
        #expect(grace.entitled() == ["pro.other"])
        try grace.pass(days: 16)
        #expect(grace.told.suffix(2) == ["GRACE_PERIOD_EXPIRED", "EXPIRED/VOLUNTARY"])
    }

    @Test("a renewal at once fails where renewals fail")
    func renewalNowFails() throws {
        var engine = Shop.engine { $0.isFailingRenewals = true }
        let bought = try engine.bought("pro.other")
        try engine.pass(days: 2)
        try engine.renew(bought.id)
        #expect(try engine.subscription().standing == .billingRetry)
        #expect(engine.entitled() == [])
        #expect(code { try engine.renew(bought.id) } == .invalidAction)
        engine.updateSettings { $0.isFailingRenewals = false }
        try engine.renew(bought.id)
        #expect(engine.told.last == "DID_RENEW/BILLING_RECOVERY")
    }

    // MARK: The clock

    @Test("the clock never goes backward")
    func clockGoesForward() throws {
        var engine = Shop.engine()
        #expect(code { try engine.advance(by: -1) } == .clockBackward)
        #expect(code { try engine.advance(to: .minimum) } == .clockBackward)
        try engine.advance(by: 0)
        #expect(engine.state.now == Shop.start)
    }

    @Test("what would never end is refused, and a store that runs to the end of time stands")
    func endOfTime() throws {
        var fast = Shop.engine { $0.timeRate = TimeRate(rawValue: 1005) }
        fast.eventLimit = 1000
        _ = try fast.bought("pro.other")
        #expect(code { try fast.advance(to: .maximum) } == .tooManyEvents)

        var slow = Shop.engine()
        let bought = try slow.bought("pro.other")
        try slow.cancelRenewal(bought.id)
        try slow.advance(to: .maximum)
        try slow.advance(by: .max)
        #expect(slow.state.now == .maximum)
        #expect(slow.entitled() == [])
        #expect(code { _ = try slow.bought("pro.other") } == .invalidAction)
    }
}
