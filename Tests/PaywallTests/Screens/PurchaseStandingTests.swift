import ReceiptTypes
import Testing

@testable import Paywall
@testable import PurchaseCore

/// The rows of the history for every standing of a purchase.
@Suite("Standing of a purchase")
struct PurchaseStandingTests {
    private static func at(_ day: Int) -> Timestamp { Timestamp(rfc3339: "2026-11-\(day)T00:00:00Z") ?? .minimum }

    private static func purchase(
        _ id: String = "1", _ productID: String = "pro", _ type: ProductType = .autoRenewableSubscription,
        day: Int = 10, quantity: Int = 1, remaining: Int? = nil, refunded: Int32? = nil,
        ownership: InAppOwnershipType = .purchased, revoked: Timestamp? = nil, isRevoked: Bool = false,
        verification: Purchase.Verification = .verified(key: nil), origin: Purchase.Origin = .appStore
    ) throws -> Purchase {
        try #require(
            Purchase(
                id: .init(transactionID: id, origin: origin, environment: .production), user: nil,
                productID: productID, type: type, purchasedAt: at(day), quantity: quantity,
                remainingQuantity: remaining ?? quantity, refundedShare: refunded, ownership: ownership,
                price: Milliunits(9_990), currency: "EUR", isRevoked: isRevoked || revoked != nil,
                revocationDate: revoked, verification: verification, synchronization: .unsynced))
    }

    private static func details(
        _ id: String = "1", _ productID: String = "pro", _ type: ProductType = .autoRenewableSubscription,
        day: Int = 10, isGranted: Bool = true, willRenew: Bool? = nil, renewsOn: Timestamp? = nil,
        accessEnds: Timestamp? = nil, periodEnds: Timestamp? = nil, issue: PurchaseDetails.BillingIssue? = nil,
        change: PlanChange? = nil, period: PurchaseDetails.Period = .regular
    ) -> PurchaseDetails {
        PurchaseDetails(
            productID: productID, transactionID: id, type: type, entitlements: [.pro], isGranted: isGranted,
            purchaseDate: at(day), period: period, willRenew: willRenew, renewsOn: renewsOn,
            accessEnds: accessEnds, periodEnds: periodEnds, billingIssue: issue, planChange: change)
    }

    private static func items(
        _ purchases: [Purchase], _ entitlements: Entitlements, sold: [String] = [], language: String = "en"
    ) -> [PurchaseHistory.SectionKind: [PurchaseItem]] {
        let products = sold.map { id in
            KnownProduct(
                product: Product(
                    id: id, type: .nonConsumable, displayName: id.uppercased(), description: "",
                    price: Milliunits(9_990), currency: "EUR", displayPrice: "9,99 €"), isSold: true)
        }
        let known = Dictionary(uniqueKeysWithValues: products.map { (ExactString($0.product.id), $0) })
        let builder = PurchaseHistoryBuilder(entitlements, known, PaywallTexts(languages: [language]))
        let history = builder.history(of: purchases)
        return Dictionary(uniqueKeysWithValues: history.sections.map { ($0.id, $0.items) })
    }

    @Test("a subscription in force says when it renews, changes or ends, and when a payment has failed")
    func inForce() throws {
        let cases: [(PurchaseDetails, PurchaseStanding, String)] = [
            (
                Self.details(willRenew: true, renewsOn: Self.at(20)), .renews(on: Self.at(20)),
                "Renews on November 20, 2026"
            ),
            (Self.details(willRenew: true), .renews(on: nil), "Active, renews automatically"),
            (
                Self.details(willRenew: false, accessEnds: Self.at(20)), .inForce(until: Self.at(20)),
                "Active until November 20, 2026"
            ),
            (Self.details(), .inForce(until: nil), "Active"),
            (
                Self.details(willRenew: true, issue: .init(since: Self.at(12), deadline: Self.at(25))),
                .paymentFailed(deadline: Self.at(25)),
                "The payment failed. Update the payment method by November 25, 2026 to keep access."
            ),
            (
                Self.details(
                    willRenew: true,
                    change: PlanChange(productID: "pro", nextProductID: "basic", date: Self.at(20))),
                .changes(productID: "basic", on: Self.at(20)), "Changes to BASIC on November 20, 2026"
            ),
            (
                Self.details(
                    willRenew: true, change: PlanChange(productID: "pro", nextProductID: "other", date: nil)),
                .changes(productID: "other", on: nil), "Changes to other at the next renewal"
            ),
        ]
        for (details, standing, words) in cases {
            let items = Self.items([try Self.purchase()], Entitlements(purchases: [details]), sold: ["basic", "pro"])
            let item = try #require(items[.active]?.first)
            #expect(items.count == 1 && item.standing == standing && item.state == words && !item.offersPurchase)
        }
    }

    @Test("a trial whose payment has failed says so, and counts no trial days into its grace period [OTP-4.5]")
    func trialInGrace() throws {
        func words(_ details: PurchaseDetails, day: Int) throws -> String? {
            let entitlements = Entitlements(purchases: [details], asOf: Self.at(day))
            return Self.items([try Self.purchase()], entitlements)[.active]?.first?.state
        }
        let trial = Self.details(
            willRenew: true, renewsOn: Self.at(17), accessEnds: Self.at(17), periodEnds: Self.at(17), period: .trial)
        #expect(try words(trial, day: 15)?.hasPrefix("2 days left in the free trial.") == true)
        let failed = Self.details(
            willRenew: true, accessEnds: Self.at(25), periodEnds: Self.at(17),
            issue: .init(since: Self.at(17), deadline: Self.at(25)), period: .trial)
        #expect(
            try words(failed, day: 18)
                == "The payment failed. Update the payment method by November 25, 2026 to keep access.")
        #expect(PaywallTexts(languages: ["en"]).remainingTrial(of: failed, days: 7, next: nil) == nil)
        // Offline, access goes on after the end of the trial.
        let offline = Self.details(
            willRenew: true, renewsOn: Self.at(17), accessEnds: Self.at(20), periodEnds: Self.at(17), period: .trial)
        #expect(try words(offline, day: 18)?.contains("free trial") == false)
    }

    @Test("a purchase that the store does not list at the moment is in force, and says what to do")
    func unconfirmed() throws {
        let ground = Ground(kind: .lifetime, productID: "pro", transactionID: "1", end: nil, isConfirmed: false)
        let entitlements = Entitlements(
            grounds: [.pro: [ground]], purchases: [Self.details("1", "pro", .nonConsumable)])
        let item = try #require(
            Self.items([try Self.purchase("1", "pro", .nonConsumable)], entitlements)[.active]?.first)
        #expect(item.standing == .unconfirmed && item.state.contains("restore purchases"))
    }

    @Test("a subscription that is over says why, and is offered again unless a payment can still save it")
    func over() throws {
        let ended = Self.details(isGranted: false, periodEnds: Self.at(15))
        let retried = Self.details(isGranted: false, issue: .init(since: Self.at(12), deadline: nil))
        let cases: [(PurchaseDetails, DenialReason, PurchaseStanding, isOffered: Bool)] = [
            (ended, .expired, .ended(on: Self.at(15)), true), (ended, .upgraded, .replaced, true),
            (ended, .notListedByStore, .notListed, false), (ended, .unknownEnd, .notChecked, false),
            (ended, .unconfirmed, .needsStore, false),
            (retried, .billingRetry, .paymentFailed(deadline: nil), false),
        ]
        for (details, reason, standing, isOffered) in cases {
            let entitlements = Entitlements(denials: ["pro": reason], purchases: [details])
            let items = Self.items([try Self.purchase()], entitlements, sold: ["pro"])
            let item = try #require(items[.inactive]?.first)
            #expect(item.standing == standing && item.offersPurchase == isOffered, "\(reason)")
        }
        let revoked = Entitlements(denials: ["pro": .revoked], purchases: [ended])
        let refunded = Self.items([try Self.purchase()], revoked, sold: ["pro"])[.refunded]?.first
        #expect(refunded?.state == "Refunded or cancelled", "the entitlements know it before the record does")
    }

    @Test("a product that the catalog does not know is owned all the same")
    func unknownProduct() throws {
        let details = Self.details("1", "old", .nonConsumable, isGranted: false)
        let entitlements = Entitlements(denials: ["old": .unknownProduct], purchases: [details])
        let items = Self.items([try Self.purchase("1", "old", .nonConsumable)], entitlements)
        #expect(items[.active]?.map(\.name) == ["old"] && items[.active]?.map(\.price) == ["EUR 9.99"])
    }

    @Test("a record that the entitlements do not have is an earlier purchase, or one that they have not heard of")
    func withoutDetails() throws {
        let known = Entitlements(purchases: [
            Self.details("2", day: 20, willRenew: true), Self.details("4", "export", .nonConsumable, day: 20),
        ])
        func standing(_ purchase: Purchase) -> PurchaseStanding? {
            Self.items([purchase], known).values.first?.first?.standing
        }
        #expect(standing(try Self.purchase("1", day: 10)) == .earlierPeriod)
        #expect(standing(try Self.purchase("3", day: 25)) == .notChecked)
        #expect(standing(try Self.purchase("3", "export", .nonConsumable, day: 10)) == .notListed)
        #expect(standing(try Self.purchase("3", "export", .nonConsumable, day: 25)) == .inForce(until: nil))
        #expect(standing(try Self.purchase("3", "other", .nonConsumable)) == .inForce(until: nil))
        #expect(standing(try Self.purchase("3", "other", .nonRenewingSubscription)) == .notChecked)
    }

    @Test("the plan before an upgrade was replaced, and the one before a downgrade has ended")
    func formerPlan() throws {
        func transaction(
            _ id: String, _ product: String, days: ClosedRange<Int>, isUpgraded: Bool = false
        ) throws -> Transaction {
            var payload = JWSTransactionDecodedPayload()
            payload.transactionId = id
            payload.originalTransactionId = "1"
            payload.productId = product
            payload.type = .autoRenewableSubscription
            payload.purchaseDate = Self.at(days.lowerBound)
            payload.signedDate = Self.at(days.lowerBound)
            payload.expiresDate = Self.at(days.upperBound)
            payload.isUpgraded = isUpgraded
            return try #require(Transaction(payload))
        }
        let catalog = TemplatePriceCatalog(version: 1, proProductIDs: ["monthly", "yearly"])
        for (isUpgraded, expected) in [(true, PurchaseStanding.replaced), (false, .ended(on: Self.at(15)))] {
            let entitlements = EntitlementProjection(catalog: catalog).entitlements(
                from: [
                    try transaction("1", "monthly", days: 10...15, isUpgraded: isUpgraded),
                    try transaction("2", "yearly", days: 15...25),
                ], at: Self.at(20))
            let items = Self.items(
                [try Self.purchase("1", "monthly", day: 10), try Self.purchase("2", "yearly", day: 15)], entitlements)
            #expect(items[.active]?.map(\.productID) == ["yearly"])
            #expect(items[.inactive]?.map(\.standing) == [expected])
        }
    }

    @Test("what is refunded, no longer shared or not verified is told apart, also if the entitlements are older")
    func records() throws {
        let granted = Entitlements(purchases: [Self.details(willRenew: true)])
        let refunded = Self.items([try Self.purchase(revoked: Self.at(12))], granted)
        #expect(refunded[.refunded]?.map(\.state) == ["Refunded on November 12, 2026"] && refunded.count == 1)
        let play = Self.items([try Self.purchase(isRevoked: true, origin: .googlePlay)], granted)
        #expect(play[.refunded]?.map(\.state) == ["Refunded or cancelled"])
        let shared = Self.items([try Self.purchase(ownership: .familyShared, revoked: Self.at(12))], granted)
        #expect(shared[.inactive]?.map(\.standing) == [.notShared(since: Self.at(12))])
        let unverified = Self.items([try Self.purchase(verification: .unverified(nil))], granted, sold: ["pro"])
        #expect(unverified[.inactive]?.map(\.offersSupport) == [true])
        #expect(unverified[.inactive]?.map(\.offersPurchase) == [false])
    }

    @Test("a consumable is a past purchase that says how much of it was refunded, and is offered again")
    func consumable() throws {
        let coins = try [
            Self.purchase("1", "coins", .consumable, quantity: 5),
            Self.purchase("2", "coins", .consumable, quantity: 5, remaining: 3, refunded: 40_000),
        ]
        let items = try #require(Self.items(coins, .empty, sold: ["coins"])[.inactive])
        #expect(items.map(\.state) == ["Purchased", "Refunded in part: 3 of 5 left"])
        #expect(items.map(\.offersPurchase) == [true, true] && items.map(\.price) == ["9,99 €", "9,99 €"])
        let japanese = Self.items(coins, .empty, language: "ja")[.inactive]
        #expect(japanese?.map(\.state) == ["購入済み", "一部返金済み（5個中3個が残っています）"])
    }

    @Test(
        "a partly refunded consumable names the items that are left only if complete items were refunded",
        arguments: [
            (3, 2, 33_333, "Refunded in part: 2 of 3 left"), (3, 1, 66_667, "Refunded in part: 1 of 3 left"),
            (3, 2, 50_000, "Refunded in part"), (3, 3, 30_000, "Refunded in part"), (1, 1, 50_000, "Refunded in part"),
        ])
    func partOfItem(quantity: Int, remaining: Int, share: Int32, state: String) throws {
        let coins = try Self.purchase(
            "1", "coins", .consumable, quantity: quantity, remaining: remaining, refunded: share)
        let items = try #require(Self.items([coins], .empty)[.inactive])
        #expect(items.map(\.state) == [state])
    }

    @Test("an ended purchase is not offered again while another one of its product is in force")
    func ownedElsewhere() throws {
        let entitlements = Entitlements(purchases: [Self.details("2", "export", .nonConsumable, day: 20)])
        let items = Self.items(
            [
                try Self.purchase("2", "export", .nonConsumable, day: 20),
                try Self.purchase("1", "export", .nonConsumable, revoked: Self.at(12)),
            ], entitlements, sold: ["export"])
        #expect(items[.active]?.count == 1 && items[.refunded]?.map(\.offersPurchase) == [false])
    }

    @Test("[OTP-7.2] a purchase in Google Play is found by its order, and its token is not shown")
    func googlePlay() throws {
        let purchase = try Self.purchase("secret-token-of-the-purchase", "export", .nonConsumable, origin: .googlePlay)
        let item = try #require(Self.items([purchase], .empty)[.active]?.first)
        let data = #"{"orderId":"GPA.3345-6789-0123-45678","purchaseToken":"secret-token-of-the-purchase"}"#
        let content = RecordedContent(.play(SignedPlayPurchase(data: data, signature: "")))
        let detail = PurchaseDetail(purchase, item, content, PaywallTexts(languages: ["en"]))
        #expect(detail.reference == "GPA.3345-6789-0123-45678" && detail.shortReference == "GPA.…-45678")
        #expect(detail.value(.order) == "GPA.3345-6789-0123-45678" && detail.value(.store) == "Google Play")
        #expect(!detail.fields.contains { $0.value.contains("secret") })
        let unreadable = PurchaseDetail(
            purchase, item, RecordedContent(.play(SignedPlayPurchase(data: "{", signature: ""))),
            PaywallTexts(languages: ["en"]))
        #expect(unreadable.reference == nil && unreadable.shortReference == nil)
    }
}
