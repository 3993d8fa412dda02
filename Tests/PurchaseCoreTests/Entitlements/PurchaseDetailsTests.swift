import LocalStore
import PurchaseCore
import PurchaseSimulation
import ReceiptTypes
import Testing
import TimerSupport

@Suite("Details of purchases for screens")
struct PurchaseDetailsTests {
    private let projection = EntitlementProjection(catalog: Sample.catalog)

    private func details(
        _ transactions: [Transaction], _ renewals: [JWSRenewalInfoDecodedPayload] = [], at now: Timestamp,
        isStoreReachable: Bool = true
    ) throws -> PurchaseDetails {
        let entitlements = projection.entitlements(
            from: transactions, renewalInfos: renewals.compactMap(RenewalInfo.init), at: now,
            isStoreReachable: isStoreReachable)
        return try #require(entitlements.purchases.first)
    }

    @Test("a subscription shows its next renewal, its period and its first purchase; cancelled, it shows its end")
    func renewal() throws {
        let transaction = try Sample.transaction("2", "pro.monthly", bought: Sample.at(day: 30), original: "1") {
            $0.originalPurchaseDate = Sample.at(0)
        }
        let on = Sample.renewal("1", signed: Sample.at(day: 30)) { $0.renewalDate = Sample.at(day: 61) }
        var shown = try details([transaction], [on], at: Sample.at(day: 31))
        #expect(shown.isGranted && shown.willRenew == true && shown.renewsOn == Sample.at(day: 61))
        #expect(shown.accessEnds == Sample.at(day: 60) && shown.period == .regular)
        #expect(shown.originalPurchaseDate == Sample.at(0) && shown.purchaseDate == Sample.at(day: 30))
        #expect(shown.entitlements == [.pro] && shown.ownership == .purchased && shown.billingIssue == nil)

        let off = Sample.renewal("1", signed: Sample.at(day: 31), renews: false)
        shown = try details([transaction], [on, off], at: Sample.at(day: 32))
        #expect(shown.willRenew == false && shown.renewsOn == nil && shown.accessEnds == Sample.at(day: 60))
        // Without the store's word it is unknown whether it renews.
        shown = try details([transaction], at: Sample.at(day: 32))
        #expect(shown.willRenew == nil && shown.renewsOn == nil && shown.accessEnds == Sample.at(day: 60))
        shown = try details([transaction], [off], at: Sample.at(day: 61))
        #expect(!shown.isGranted && shown.accessEnds == nil && shown.periodEnds == Sample.at(day: 60))
        // A refund ends the renewals, although the last renewal info is of the time before it.
        let refunded = try Sample.transaction(
            "2", "pro.monthly", bought: Sample.at(day: 30), signed: Sample.at(day: 32), original: "1"
        ) { $0.revocationDate = Sample.at(day: 32) }
        shown = try details([transaction, refunded], [on], at: Sample.at(day: 33))
        #expect(!shown.isGranted && shown.willRenew == false && shown.renewsOn == nil)
    }

    @Test(
        "the period is a trial, a paid introduction, another offer, or regular",
        arguments: [
            (OfferType.introductory, OfferDiscountType.freeTrial, Int64(0), PurchaseDetails.Period.trial),
            (.introductory, nil, 0, .trial), (.introductory, .payUpFront, 990, .introductory),
            (.introductory, nil, 990, .introductory), (.promotional, .payAsYouGo, 990, .offer),
            (.promotional, .freeTrial, 0, .trial),
            (.introductory, .freeTrial, 990, .trial), (.winBack, .payUpFront, 990, .offer), (nil, nil, 990, .regular),
            (nil, nil, 0, .regular),
        ] as [(OfferType?, OfferDiscountType?, Int64, PurchaseDetails.Period)])
    func period(
        type: OfferType?, mode: OfferDiscountType?, price: Int64, expected: PurchaseDetails.Period
    ) throws {
        let transaction = try Sample.transaction("1", "pro.monthly") {
            $0.offerType = type
            $0.offerDiscountType = mode
            $0.price = Milliunits(price)
        }
        #expect(try details([transaction], at: Sample.at(1)).period == expected)
    }

    @Test("a failed payment shows the deadline of the grace period, and afterwards that access has ended")
    func billingIssue() throws {
        let transaction = try Sample.transaction("1", "pro.monthly")
        let grace = Sample.renewal("1", signed: Sample.at(day: 30), retry: true, grace: Sample.at(day: 46))
        var shown = try details([transaction], [grace], at: Sample.at(day: 40))
        #expect(shown.billingIssue == .init(since: Sample.at(day: 30), deadline: Sample.at(day: 46)))
        #expect(shown.isGranted && shown.accessEnds == Sample.at(day: 46) && shown.renewsOn == nil)
        shown = try details([transaction], [grace], at: Sample.at(day: 47))
        #expect(shown.billingIssue == .init(since: Sample.at(day: 30), deadline: nil))
        #expect(!shown.isGranted && shown.accessEnds == nil)
        // Recovered: the next period is in force, although the renewal info is still the old one.
        let next = try Sample.transaction("2", "pro.monthly", bought: Sample.at(day: 47), original: "1")
        shown = try details([transaction, next], [grace], at: Sample.at(day: 48))
        #expect(shown.billingIssue == nil && shown.isGranted && shown.transactionID == "2")
    }

    @Test("a price increase shows whether consent is needed, and one of an earlier period is not shown")
    func priceIncrease() throws {
        let transaction = try Sample.transaction("1", "pro.monthly")
        func renewal(_ status: PriceIncreaseStatus?, signed: Timestamp) -> JWSRenewalInfoDecodedPayload {
            Sample.renewal("1", signed: signed) {
                $0.priceIncreaseStatus = status
                $0.renewalPrice = Milliunits(4990)
                $0.currency = "USD"
            }
        }
        var shown = try details([transaction], [renewal(.pending, signed: Sample.at(day: 1))], at: Sample.at(day: 2))
        #expect(shown.priceIncrease == .init(needsConsent: true, price: Milliunits(4990), currency: "USD"))
        shown = try details([transaction], [renewal(.accepted, signed: Sample.at(day: 1))], at: Sample.at(day: 2))
        #expect(shown.priceIncrease?.needsConsent == false)
        shown = try details([transaction], [renewal(nil, signed: Sample.at(day: 1))], at: Sample.at(day: 2))
        #expect(shown.priceIncrease == nil)
        shown = try details([transaction], [renewal(.pending, signed: Sample.at(day: -1))], at: Sample.at(day: 2))
        #expect(shown.priceIncrease == nil)
    }

    @Test("a plan change, a lifetime purchase, a season and a revoked purchase show what is true of them")
    func others() throws {
        let transaction = try Sample.transaction("1", "pro.yearly")
        let change = Sample.renewal("1", signed: Sample.at(day: 1)) { $0.autoRenewProductId = "pro.monthly" }
        let shown = try details([transaction], [change], at: Sample.at(day: 2))
        #expect(
            shown.planChange
                == PlanChange(productID: "pro.yearly", nextProductID: "pro.monthly", date: Sample.at(day: 30)))

        let shared = try Sample.transaction("2", "pro.lifetime", bought: Sample.at(day: -1)) {
            $0.inAppOwnershipType = .familyShared
        }
        let season = try Sample.transaction("3", "pro.season", bought: Sample.at(day: -2))
        let revoked = try Sample.transaction("4", "template.a", bought: Sample.at(day: -3)) {
            $0.revocationDate = Sample.at(day: -1)
        }
        let coins = try Sample.transaction("5", "coins")
        let all = projection.entitlements(
            from: [transaction, shared, season, revoked, coins], renewalInfos: [change].compactMap(RenewalInfo.init),
            at: Sample.at(day: 2))
        #expect(all.purchases.map(\.transactionID) == ["1", "2", "3", "4"])
        #expect(all.purchases(of: .pro).map(\.transactionID) == ["2", "1", "3"])
        let lifetime = try #require(all.purchases(of: .pro).first)
        #expect(lifetime.ownership == .familyShared && lifetime.accessEnds == nil && lifetime.willRenew == nil)
        #expect(lifetime.period == nil)
        #expect(all.purchases[2].accessEnds == Sample.at(day: -2).adding(.month))
        #expect(!all.purchases[3].isGranted)
        #expect(all.purchases(of: .template(TemplateID(rawValue: "A"))).map(\.isGranted) == [false])
    }

    @Test("of a product's ended purchases only the latest is shown, in any order of the transactions")
    func ended() throws {
        let transactions = try (0..<5).map { number in
            try Sample.transaction("\(number)", "template.a", bought: Sample.at(day: number)) {
                $0.revocationDate = Sample.at(day: 9)
            }
        }
        for order in [transactions, transactions.reversed()] {
            let shown = projection.entitlements(from: order, at: Sample.at(day: 10)).purchases
            #expect(shown.map(\.transactionID) == ["4"])
        }
    }

    @Test(
        "of two periods that begin at one instant, the one that ends later is shown, in any order of the transactions")
    func emptyPeriod() throws {
        let transactions = [
            // Ended by the renewal, so it is signed after it.
            try Sample.transaction(
                "1", "pro.monthly", expires: Sample.at(0), signed: Sample.at(0).adding(milliseconds: 1)),
            try Sample.transaction("2", "pro.monthly", original: "1"),
        ]
        for order in [transactions, transactions.reversed()] {
            let shown = try details(order, [Sample.renewal("1", signed: Sample.at(0))], at: Sample.at(day: 1))
            #expect(shown.transactionID == "2" && shown.isGranted && shown.willRenew == true)
            #expect(shown.renewsOn == Sample.at(day: 30))
        }
    }

    @Test("offline, a subscription in offline grace shows its end and no billing issue")
    func offlineGrace() throws {
        let transaction = try Sample.transaction("1", "pro.monthly")
        let on = Sample.renewal("1", signed: Sample.at(day: 29))
        let shown = try details([transaction], [on], at: Sample.at(day: 31), isStoreReachable: false)
        #expect(shown.isGranted && shown.accessEnds == Sample.at(day: 33) && shown.billingIssue == nil)
        #expect(shown.periodEnds == Sample.at(day: 30) && shown.renewsOn == nil && shown.willRenew == true)
    }

    @Test("over the simulator, trial, price increase, failed payment and grace appear on the screen")
    @MainActor
    func simulated() async throws {
        let platform = try SimulatedPlatform { $0.isGracePeriodEnabled = true }
        let simulator = platform.simulator
        let service = PurchaseService(
            simulator: simulator, ledger: platform.ledger, environment: PurchaseEnvironment(timer: StoppedTimer()))
        let store = EntitlementStore(
            service: service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: simulator.clock))
        func shown() async throws -> PurchaseDetails {
            await store.refresh()
            return try #require(store.entitlements.purchases(of: .pro).first)
        }
        _ = await service.purchase(productID: "pro.monthly")
        var details = try await shown()
        #expect(details.period == .trial && details.willRenew == true)
        #expect(details.renewsOn == Sample.at(day: 7))
        let id = details.transactionID
        try simulator.perform { try $0.requestPriceIncrease(id, to: Milliunits(5990)) }
        details = try await shown()
        #expect(details.priceIncrease?.needsConsent == true && details.priceIncrease?.price == Milliunits(5990))
        try simulator.perform { engine in
            try engine.consentToPriceIncrease(id)
            try engine.setBillingIssue(true, id)
            try engine.advance(byMilliseconds: 8 * Sample.day)
        }
        details = try await shown()
        let issue = try #require(details.billingIssue)
        #expect(details.isGranted && issue.deadline == details.accessEnds && issue.since == Sample.at(day: 7))
        #expect(details.originalPurchaseDate == Sample.at(0))
    }
}
