import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Plans and offers")
struct PlanTests {
    @Test("an upgrade takes effect at once and ends the old period")
    func upgrades() throws {
        var engine = SampleStore.engine()
        let old = try engine.purchase("pro.other")
        try engine.advance(days: 10)
        let new = try engine.purchase("pro.plus")
        #expect(new.purchaseDate == engine.state.now)
        #expect(new.originalID == old.id)
        #expect(new.offer == nil, "an introductory offer applied to an upgrade")
        let ended = try #require(engine.state.transaction(old.id))
        #expect(ended.isUpgraded)
        #expect(ended.expiresDate == engine.state.now)
        #expect(ended.signedDate > old.signedDate)
        #expect(!ended.isFinished)
        #expect(engine.entitledProductIDs() == ["pro.plus"])
        #expect(engine.notificationNames.last == "DID_CHANGE_RENEWAL_PREF/UPGRADE")
        try engine.advance(days: 31)
        #expect(try engine.latestTransaction().productID == "pro.plus")
    }

    @Test(
        "a downgrade, or the same level with another period, takes effect with the next renewal",
        arguments: ["pro.weekly", "pro.yearly"])
    func downgrades(_ target: String) throws {
        var engine = SampleStore.engine()
        let old = try engine.purchase("pro.other")
        let answer = try engine.buy(target, for: "anna")
        guard case .planChanged(let present) = answer else {
            Issue.record("the plan changed at once: \(answer)")
            return
        }
        #expect(present.id == old.id)
        #expect(engine.notificationNames.last == "DID_CHANGE_RENEWAL_PREF/DOWNGRADE")
        #expect(try engine.subscription().renewalProductID == target)
        #expect(engine.entitledProductIDs() == ["pro.other"])
        try engine.advance(days: 31)
        #expect(engine.entitledProductIDs() == [target])
        #expect(engine.notificationNames.last == "DID_RENEW")
        #expect(engine.state.transactions.count == 2)
    }

    @Test("a change to the same level and period takes effect at once")
    func crossgrades() throws {
        var engine = SampleStore.engine()
        let old = try engine.purchase("pro.other")
        let new = try engine.purchase("pro.basic")
        #expect(new.offer == nil)
        #expect(engine.state.transaction(old.id)?.isUpgraded == true)
        #expect(engine.notificationNames.last == "DID_CHANGE_RENEWAL_PREF/UPGRADE")
    }

    @Test("a planned change can be cancelled")
    func cancelsPlannedChange() throws {
        var engine = SampleStore.engine()
        let bought = try engine.purchase("pro.other")
        _ = try engine.changePlan(bought.id, to: "pro.weekly")
        _ = try engine.changePlan(bought.id, to: "pro.other")
        #expect(engine.notificationNames.last == "DID_CHANGE_RENEWAL_PREF")
        try engine.advance(days: 31)
        #expect(engine.entitledProductIDs() == ["pro.other"])
        #expect(errorCode { _ = try engine.changePlan(bought.id, to: "coins") } == .invalidAction)
        #expect(errorCode { _ = try engine.changePlan(bought.id, to: "nothing") } == .unknownProduct)
        try engine.expire(bought.id)
        #expect(errorCode { _ = try engine.changePlan(bought.id, to: "pro.plus") } == .invalidAction)
    }

    @Test("buying an active subscription again charges nothing and turns renewal on")
    func buysAgain() throws {
        var engine = SampleStore.engine()
        let bought = try engine.purchase("pro.other")
        let answer = try engine.buy("pro.other", for: "anna")
        guard case .owned(let owned) = answer else {
            Issue.record("the subscription was sold twice: \(answer)")
            return
        }
        #expect(owned == bought)
        try engine.cancelRenewal(bought.id)
        let result = try engine.buy("pro.other", for: "anna")
        guard case .planChanged = result else {
            Issue.record("the subscription was sold twice: \(result)")
            return
        }
        #expect(try engine.subscription().willAutoRenew)
        #expect(engine.state.transactions.count == 1)
    }

    // MARK: Introductory offers

    @Test("an introductory offer applies once in a group, and the renewal has the full price")
    func trial() throws {
        var engine = SampleStore.engine()
        #expect(engine.isEligibleForIntroductoryOffer("anna", group: "group"))
        let trial = try engine.purchase("pro.basic")
        #expect(trial.offer?.type == .introductory)
        #expect(trial.offer?.paymentMode == .freeTrial)
        #expect(trial.price == Milliunits(0))
        #expect(trial.expiresDate == SampleStore.start.adding(.week))
        #expect(!engine.isEligibleForIntroductoryOffer("anna", group: "group"))
        try engine.advance(days: 7)
        #expect(try engine.latestTransaction().price == Milliunits(4990))
        #expect(try engine.latestTransaction().offer == nil)
        try engine.expire(trial.id)
        #expect(try engine.purchase("pro.plus").offer == nil)
        #expect(engine.isEligibleForIntroductoryOffer("berta", group: "group"))
    }

    @Test("a former subscriber without a trial is eligible for one, and a current subscriber is not")
    func laterTrial() throws {
        var engine = SampleStore.engine()
        let bought = try engine.purchase("pro.other")
        #expect(!engine.isEligibleForIntroductoryOffer("anna", group: "group"))
        try engine.expire(bought.id)
        #expect(try engine.purchase("pro.basic").offer?.type == .introductory)
    }

    // MARK: Promotional offers

    @Test("a promotional offer is for current and former subscribers, and lasts for its periods")
    func promotional() throws {
        var engine = SampleStore.engine()
        #expect(
            errorCode { _ = try engine.purchase("pro.basic", for: "anna", .promotional(id: "half")) }
                == .ineligibleForOffer)
        #expect(
            errorCode { _ = try engine.purchase("pro.basic", for: "anna", .promotional(id: "none")) } == .unknownOffer)
        #expect(errorCode { _ = try engine.purchase("coins", for: "anna", .promotional(id: "half")) } == .unknownOffer)
        let first = try engine.purchase("pro.other")
        try engine.expire(first.id)
        let offered = try engine.purchase("pro.basic", for: "anna", .promotional(id: "half"))
        #expect(offered.offer?.type == .promotional)
        #expect(offered.offer?.id == "half")
        #expect(offered.price == Milliunits(2490))
        try engine.advance(days: 100)
        let prices = engine.state.transactions.filter { $0.productID == "pro.basic" }.map(\.price)
        #expect(prices == [2490, 2490, 4990, 4990].map { Milliunits($0) })
    }

    @Test("a promotional offer for a running subscription starts with the next renewal")
    func promotionalAtRenewal() throws {
        var engine = SampleStore.engine()
        _ = try engine.purchase("pro.basic")
        let answer = try engine.buy("pro.basic", for: "anna", PurchaseOrder(offer: .promotional(id: "half")))
        guard case .planChanged = answer else {
            Issue.record("the offer was charged at once: \(answer)")
            return
        }
        #expect(engine.notificationNames.last == "OFFER_REDEEMED")
        try engine.advance(days: 7 + 31 + 28 + 1)
        #expect(engine.state.transactions.map(\.price) == [0, 2490, 2490, 4990].map { Milliunits($0) })
    }

    @Test("an offer applies to an upgrade at once and to a downgrade with the renewal")
    func offersWithPlans() throws {
        var engine = SampleStore.engine()
        _ = try engine.purchase("pro.other")
        let upgraded = try engine.purchase("pro.plus", for: "anna", .promotional(id: "plus"))
        #expect(upgraded.price == Milliunits(5000))
        #expect(engine.notificationNames.last == "OFFER_REDEEMED/UPGRADE")
        _ = try engine.buy("pro.basic", for: "anna", PurchaseOrder(offer: .promotional(id: "half")))
        #expect(engine.notificationNames.last == "OFFER_REDEEMED/DOWNGRADE")
        try engine.advance(days: 31)
        #expect(try engine.latestTransaction().price == Milliunits(2490))
    }

    // MARK: Codes

    @Test("an offer code is for eligible customers, can be redeemed once, and replaces the trial")
    func codes() throws {
        var engine = SampleStore.engine()
        #expect(
            errorCode { _ = try engine.purchase("pro.basic", for: "anna", .code(name: "RETURN")) }
                == .ineligibleForOffer)
        let redeemed = try engine.purchase("pro.basic", for: "anna", .code(name: "WELCOME"))
        #expect(redeemed.offer?.type == .code)
        #expect(redeemed.offer?.id == "WELCOME")
        #expect(redeemed.expiresDate == SampleStore.start.adding(.month))
        #expect(!engine.isEligibleForIntroductoryOffer("anna", group: "group"))
        try engine.expire(redeemed.id)
        #expect(!engine.isEligibleForIntroductoryOffer("anna", group: "group"), "the code has replaced the trial")
        #expect(
            errorCode { _ = try engine.purchase("pro.basic", for: "anna", .code(name: "WELCOME")) }
                == .ineligibleForOffer)
        #expect(
            errorCode { _ = try engine.purchase("pro.basic", for: "anna", .code(name: "welcome")) } == .unknownOffer)
        let returned = try engine.purchase("pro.basic", for: "anna", .code(name: "RETURN"))
        #expect(returned.offer?.id == "RETURN")
        try engine.expire(returned.id)
        #expect(
            errorCode { _ = try engine.purchase("pro.basic", for: "anna", .code(name: "RETURN")) }
                == .ineligibleForOffer)
    }

    @Test("a stackable code follows the trial")
    func stackedCode() throws {
        var engine = SampleStore.engine()
        let trial = try engine.purchase("pro.basic", for: "anna", .code(name: "STACK"))
        #expect(trial.offer?.type == .introductory)
        #expect(
            errorCode { _ = try engine.purchase("pro.basic", for: "anna", .code(name: "STACK")) } == .ineligibleForOffer
        )
        try engine.advance(days: 7)
        let paid = try engine.latestTransaction()
        #expect(paid.offer?.id == "STACK")
        #expect(paid.price == Milliunits(9000))
        #expect(paid.expiresDate == paid.purchaseDate.adding(.month, times: 3))
        try engine.advance(to: try #require(paid.expiresDate))
        #expect(try engine.latestTransaction().price == Milliunits(4990))
    }

    // MARK: Win-back

    @Test("a win-back offer is for former subscribers only")
    func winBack() throws {
        var engine = SampleStore.engine()
        #expect(
            errorCode { _ = try engine.purchase("pro.basic", for: "anna", .winBack(id: "back")) } == .ineligibleForOffer
        )
        let first = try engine.purchase("pro.basic")
        #expect(
            errorCode { _ = try engine.purchase("pro.basic", for: "anna", .winBack(id: "back")) } == .ineligibleForOffer
        )
        try engine.expire(first.id)
        let back = try engine.purchase("pro.basic", for: "anna", .winBack(id: "back"))
        #expect(back.offer?.type == .winBack)
        #expect(back.price == Milliunits(1000))
        #expect(engine.notificationNames.last == "SUBSCRIBED/RESUBSCRIBE")
    }

    // MARK: Prices

    @Test("a price increase needs consent, and without it the subscription ends with its period")
    func priceIncreases() throws {
        var engine = SampleStore.engine(accounts: ["anna", "berta", "carla", "dora"])
        let ids = try ["anna", "berta", "carla", "dora"].map { try engine.purchase("pro.other", for: $0).id }
        for id in ids.prefix(3) { try engine.requestPriceIncrease(id, to: Milliunits(7990)) }
        try engine.requestPriceIncrease(ids[3], to: Milliunits(6490), needsConsent: false)
        #expect(engine.notificationNames.suffix(2) == ["PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED"])
        try engine.consentToPriceIncrease(ids[0])
        #expect(engine.notificationNames.last == "PRICE_INCREASE/ACCEPTED")
        #expect(errorCode { try engine.consentToPriceIncrease(ids[0]) } == .invalidAction)
        try engine.declinePriceIncrease(ids[1])
        let before = engine.notificationNames.count
        try engine.advance(days: 31)
        #expect(
            engine.notificationNames(after: before).sorted() == [
                "DID_RENEW", "DID_RENEW", "EXPIRED/PRICE_INCREASE", "EXPIRED/PRICE_INCREASE",
            ])
        #expect(try engine.latestTransaction(of: "anna").price == Milliunits(7990))
        #expect(try engine.latestTransaction(of: "dora").price == Milliunits(6490))
        #expect(try engine.subscription(of: "berta").expirationIntent == .priceIncreaseDeclined)
        #expect(try engine.subscription(of: "carla").expirationIntent == .priceIncreaseDeclined)
        try engine.advance(days: 28)
        #expect(try engine.latestTransaction(of: "anna").price == Milliunits(7990))
        #expect(errorCode { try engine.requestPriceIncrease(ids[0], to: Milliunits(7990)) } == .invalidAction)
        #expect(errorCode { try engine.requestPriceIncrease(ids[1], to: Milliunits(9990)) } == .invalidAction)
    }
}
