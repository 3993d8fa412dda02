import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Plans and offers of a local store")
struct PlanTests {
    @Test("an upgrade is at once, and the old period ends there")
    func upgrades() throws {
        var engine = Shop.engine()
        let old = try engine.bought("pro.other")
        try engine.pass(days: 10)
        let new = try engine.bought("pro.plus")
        #expect(new.purchaseDate == engine.state.now)
        #expect(new.originalID == old.id)
        #expect(new.offer == nil, "nobody has an introductory offer on an upgrade")
        let ended = try #require(engine.state.transaction(old.id))
        #expect(ended.isUpgraded)
        #expect(ended.expiresDate == engine.state.now)
        #expect(ended.signedDate > old.signedDate)
        #expect(!ended.isFinished)
        #expect(engine.entitled() == ["pro.plus"])
        #expect(engine.told.last == "DID_CHANGE_RENEWAL_PREF/UPGRADE")
        try engine.pass(days: 31)
        #expect(try engine.latest().productID == "pro.plus")
    }

    @Test(
        "a downgrade waits for the renewal, and so does the same level for another time",
        arguments: ["pro.weekly", "pro.yearly"])
    func downgrades(_ target: String) throws {
        var engine = Shop.engine()
        let old = try engine.bought("pro.other")
        guard case .planChanged(let present) = try engine.buy(target, for: "anna") else {
            Issue.record("the plan changed at once")
            return
        }
        #expect(present.id == old.id)
        #expect(engine.told.last == "DID_CHANGE_RENEWAL_PREF/DOWNGRADE")
        #expect(try engine.subscription().renewalProductID == target)
        #expect(engine.entitled() == ["pro.other"])
        try engine.pass(days: 31)
        #expect(engine.entitled() == [target])
        #expect(engine.told.last == "DID_RENEW")
        #expect(engine.state.transactions.count == 2)
    }

    @Test("the same level for the same time is at once")
    func crossgrades() throws {
        var engine = Shop.engine()
        let old = try engine.bought("pro.other")
        let new = try engine.bought("pro.basic")
        #expect(new.offer == nil)
        #expect(engine.state.transaction(old.id)?.isUpgraded == true)
        #expect(engine.told.last == "DID_CHANGE_RENEWAL_PREF/UPGRADE")
    }

    @Test("a change that waits can be taken back")
    func staysAfterAll() throws {
        var engine = Shop.engine()
        let bought = try engine.bought("pro.other")
        _ = try engine.changePlan(bought.id, to: "pro.weekly")
        _ = try engine.changePlan(bought.id, to: "pro.other")
        #expect(engine.told.last == "DID_CHANGE_RENEWAL_PREF")
        try engine.pass(days: 31)
        #expect(engine.entitled() == ["pro.other"])
        #expect(code { _ = try engine.changePlan(bought.id, to: "coins") } == .invalidAction)
        #expect(code { _ = try engine.changePlan(bought.id, to: "nothing") } == .unknownProduct)
        try engine.expire(bought.id)
        #expect(code { _ = try engine.changePlan(bought.id, to: "pro.plus") } == .invalidAction)
    }

    @Test("what is subscribed already is not sold again, and buying it switches renewal on")
    func buysAgain() throws {
        var engine = Shop.engine()
        let bought = try engine.bought("pro.other")
        guard case .owned(let owned) = try engine.buy("pro.other", for: "anna") else {
            Issue.record("sold twice")
            return
        }
        #expect(owned == bought)
        try engine.cancelRenewal(bought.id)
        guard case .planChanged = try engine.buy("pro.other", for: "anna") else {
            Issue.record("sold twice")
            return
        }
        #expect(try engine.subscription().willAutoRenew)
        #expect(engine.state.transactions.count == 1)
    }

    // MARK: Introductory offers

    @Test("[OTP-4.5] a trial is had once in a group, and renews at the full price")
    func trial() throws {
        var engine = Shop.engine()
        #expect(engine.isEligibleForIntroductoryOffer("anna", group: "group"))
        let trial = try engine.bought("pro.basic")
        #expect(trial.offer?.type == .introductory)
        #expect(trial.offer?.paymentMode == .freeTrial)
        #expect(trial.price == Milliunits(0))
        #expect(trial.expiresDate == Shop.start.adding(.week))
        #expect(!engine.isEligibleForIntroductoryOffer("anna", group: "group"))
        try engine.pass(days: 7)
        #expect(try engine.latest().price == Milliunits(4990))
        #expect(try engine.latest().offer == nil)
        try engine.expire(trial.id)
        #expect(try engine.bought("pro.plus").offer == nil)
        #expect(engine.isEligibleForIntroductoryOffer("berta", group: "group"))
    }

    @Test("[OTP-4.5] who subscribed without a trial may have one after coming back, and not while subscribing")
    func laterTrial() throws {
        var engine = Shop.engine()
        let bought = try engine.bought("pro.other")
        #expect(!engine.isEligibleForIntroductoryOffer("anna", group: "group"))
        try engine.expire(bought.id)
        #expect(try engine.bought("pro.basic").offer?.type == .introductory)
    }

    // MARK: Promotional offers

    @Test("a promotional offer is for those who subscribe or did, for as many periods as it says")
    func promotional() throws {
        var engine = Shop.engine()
        #expect(
            code { _ = try engine.bought("pro.basic", for: "anna", .promotional(id: "half")) } == .ineligibleForOffer)
        #expect(code { _ = try engine.bought("pro.basic", for: "anna", .promotional(id: "none")) } == .unknownOffer)
        #expect(code { _ = try engine.bought("coins", for: "anna", .promotional(id: "half")) } == .unknownOffer)
        let first = try engine.bought("pro.other")
        try engine.expire(first.id)
        let offered = try engine.bought("pro.basic", for: "anna", .promotional(id: "half"))
        #expect(offered.offer?.type == .promotional)
        #expect(offered.offer?.id == "half")
        #expect(offered.price == Milliunits(2490))
        try engine.pass(days: 100)
        let prices = engine.state.transactions.filter { $0.productID == "pro.basic" }.map(\.price)
        #expect(prices == [2490, 2490, 4990, 4990].map { Milliunits($0) })
    }

    @Test("who subscribes already has the offer from the next renewal on")
    func promotionalAtRenewal() throws {
        var engine = Shop.engine()
        _ = try engine.bought("pro.basic")
        guard
            case .planChanged = try engine.buy("pro.basic", for: "anna", PurchaseOrder(offer: .promotional(id: "half")))
        else {
            Issue.record("paid at once")
            return
        }
        #expect(engine.told.last == "OFFER_REDEEMED")
        try engine.pass(days: 7 + 31 + 28 + 1)
        #expect(engine.state.transactions.map(\.price) == [0, 2490, 2490, 4990].map { Milliunits($0) })
    }

    @Test("an upgrade with an offer is paid with it at once, and a downgrade with the renewal")
    func offersWithPlans() throws {
        var engine = Shop.engine()
        _ = try engine.bought("pro.other")
        let upgraded = try engine.bought("pro.plus", for: "anna", .promotional(id: "plus"))
        #expect(upgraded.price == Milliunits(5000))
        #expect(engine.told.last == "OFFER_REDEEMED/UPGRADE")
        _ = try engine.buy("pro.basic", for: "anna", PurchaseOrder(offer: .promotional(id: "half")))
        #expect(engine.told.last == "OFFER_REDEEMED/DOWNGRADE")
        try engine.pass(days: 31)
        #expect(try engine.latest().price == Milliunits(2490))
    }

    // MARK: Codes

    @Test("a code is for whom it is made, once, and takes the place of a trial")
    func codes() throws {
        var engine = Shop.engine()
        #expect(code { _ = try engine.bought("pro.basic", for: "anna", .code(name: "RETURN")) } == .ineligibleForOffer)
        let redeemed = try engine.bought("pro.basic", for: "anna", .code(name: "WELCOME"))
        #expect(redeemed.offer?.type == .code)
        #expect(redeemed.offer?.id == "WELCOME")
        #expect(redeemed.expiresDate == Shop.start.adding(.month))
        #expect(!engine.isEligibleForIntroductoryOffer("anna", group: "group"))
        try engine.expire(redeemed.id)
        #expect(code { _ = try engine.bought("pro.basic", for: "anna", .code(name: "WELCOME")) } == .ineligibleForOffer)
        #expect(code { _ = try engine.bought("pro.basic", for: "anna", .code(name: "welcome")) } == .unknownOffer)
        let returned = try engine.bought("pro.basic", for: "anna", .code(name: "RETURN"))
        #expect(returned.offer?.id == "RETURN")
        try engine.expire(returned.id)
        #expect(code { _ = try engine.bought("pro.basic", for: "anna", .code(name: "RETURN")) } == .ineligibleForOffer)
    }

    @Test("a code that stacks comes after the trial")
    func stackedCode() throws {
        var engine = Shop.engine()
        let trial = try engine.bought("pro.basic", for: "anna", .code(name: "STACK"))
        #expect(trial.offer?.type == .introductory)
        #expect(code { _ = try engine.bought("pro.basic", for: "anna", .code(name: "STACK")) } == .ineligibleForOffer)
        try engine.pass(days: 7)
        let paid = try engine.latest()
        #expect(paid.offer?.id == "STACK")
        #expect(paid.price == Milliunits(9000))
        #expect(paid.expiresDate == paid.purchaseDate.adding(.month, times: 3))
        try engine.advance(to: try #require(paid.expiresDate))
        #expect(try engine.latest().price == Milliunits(4990))
    }

    // MARK: Win-back

    @Test("a win-back offer is for those who subscribed once and do no more")
    func winBack() throws {
        var engine = Shop.engine()
        #expect(code { _ = try engine.bought("pro.basic", for: "anna", .winBack(id: "back")) } == .ineligibleForOffer)
        let first = try engine.bought("pro.basic")
        #expect(code { _ = try engine.bought("pro.basic", for: "anna", .winBack(id: "back")) } == .ineligibleForOffer)
        try engine.expire(first.id)
        let back = try engine.bought("pro.basic", for: "anna", .winBack(id: "back"))
        #expect(back.offer?.type == .winBack)
        #expect(back.price == Milliunits(1000))
        #expect(engine.told.last == "SUBSCRIBED/RESUBSCRIBE")
    }

    // MARK: Prices

    @Test("a higher price needs consent, and without it the subscription ends with its period")
    func priceIncreases() throws {
        var engine = Shop.engine(accounts: ["anna", "berta", "carla", "dora"])
        let ids = try ["anna", "berta", "carla", "dora"].map { try engine.bought("pro.other", for: $0).id }
        for id in ids.prefix(3) { try engine.requestPriceIncrease(id, to: Milliunits(7990)) }
        try engine.requestPriceIncrease(ids[3], to: Milliunits(6490), needsConsent: false)
        #expect(engine.told.suffix(2) == ["PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED"])
        try engine.consentToPriceIncrease(ids[0])
        #expect(engine.told.last == "PRICE_INCREASE/ACCEPTED")
        #expect(code { try engine.consentToPriceIncrease(ids[0]) } == .invalidAction)
        try engine.declinePriceIncrease(ids[1])
        let before = engine.told.count
        try engine.pass(days: 31)
        #expect(
            engine.told(after: before).sorted() == [
                "DID_RENEW", "DID_RENEW", "EXPIRED/PRICE_INCREASE", "EXPIRED/PRICE_INCREASE",
            ])
        #expect(try engine.latest(of: "anna").price == Milliunits(7990))
        #expect(try engine.latest(of: "dora").price == Milliunits(6490))
        #expect(try engine.subscription(of: "berta").expirationIntent == .priceIncreaseDeclined)
        #expect(try engine.subscription(of: "carla").expirationIntent == .priceIncreaseDeclined)
        try engine.pass(days: 28)
        #expect(try engine.latest(of: "anna").price == Milliunits(7990))
        #expect(code { try engine.requestPriceIncrease(ids[0], to: Milliunits(7990)) } == .invalidAction)
        #expect(code { try engine.requestPriceIncrease(ids[1], to: Milliunits(9990)) } == .invalidAction)
    }
}
