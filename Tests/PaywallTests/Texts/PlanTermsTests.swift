import ReceiptTypes
import Testing

@testable import Paywall
@testable import PurchaseCore

@Suite("Terms and product cards")
struct PlanTermsTests {
    private let texts = PaywallTexts(languages: ["en"])
    private var legal: LegalLinks {
        LegalLinks(termsURL: "https://example.com/terms", privacyURL: "https://example.com/privacy", texts: texts)
    }

    private func product(_ type: ProductType, period: BillingPeriod? = nil, id: String = "pro") -> Product {
        Product(
            id: id, type: type, displayName: "Notes Pro", description: "Everything", price: Milliunits(9_990),
            currency: "USD", displayPrice: "$9.99",
            subscription: period.map { SubscriptionTerms(groupID: "pro", level: 1, period: $0) })
    }

    private func offer(
        _ mode: OfferDiscountType, _ period: BillingPeriod, count: Int = 1, price: Int64 = 0
    ) -> TrialEligibility {
        .eligible(
            ProductOffer(
                type: .introductory, paymentMode: mode, period: period, periodCount: count, price: Milliunits(price)))
    }

    @Test("[OTP-5.2] the terms of a subscription have price, period, renewal, the end of a trial, and the links")
    func subscription() {
        let monthly = product(.autoRenewableSubscription, period: .month)
        let terms = PlanTerms(
            monthly, trial: offer(.freeTrial, .week), comparison: .week, legal: legal, texts: texts)
        #expect(terms.price == "$9.99 per month" && terms.period == "1 month")
        #expect(terms.introduction == "7 days free, then $9.99 per month")
        #expect(terms.introductionStart == "Nothing is charged now.")
        #expect(
            terms.introductionEnd == """
                The free trial ends after 7 days. You are then charged $9.99 per month, \
                unless you cancel at least 24 hours before.
                """)
        #expect(terms.renewal.hasPrefix("Renews automatically for $9.99 per month until you cancel."))
        #expect(terms.derivedPrice?.text == "about $2.29 per week" && terms.derivedPrice?.isExact == false)
        #expect(terms.legal.terms == .init(label: "Terms of use", url: "https://example.com/terms"))
        #expect(terms.legal.privacy.label == "Privacy policy" && terms.legal.restore == "Restore purchases")
    }

    @Test("a trial is promised only to a customer that is certainly eligible")
    func eligibility() {
        let monthly = product(.autoRenewableSubscription, period: .month)
        for trial in [TrialEligibility.unknown, .ineligible(.alreadyUsed), .ineligible(.noOffer)] {
            let terms = PlanTerms(monthly, trial: trial, legal: legal, texts: texts)
            #expect(terms.introduction == nil && terms.introductionStart == nil && terms.introductionEnd == nil)
            #expect(terms.derivedPrice == nil)
        }
        let once = PlanTerms(product(.nonConsumable), trial: offer(.freeTrial, .week), legal: legal, texts: texts)
        #expect(once.introduction == nil, "a one-time product has no trial")
    }

    @Test("an offer says what each payment is, how long it lasts and what follows")
    func offers() {
        let monthly = product(.autoRenewableSubscription, period: .month)
        func introduction(_ trial: TrialEligibility) -> String? {
            PlanTerms(monthly, trial: trial, legal: legal, texts: texts).introduction
        }
        #expect(
            introduction(offer(.payAsYouGo, .month, count: 3, price: 990))
                == "$0.99 per month for 3 months, then $9.99 per month")
        #expect(
            introduction(offer(.payUpFront, .month, count: 1, price: 1_990))
                == "$1.99 for 1 month, then $9.99 per month")
        #expect(introduction(offer(.freeTrial, .week, count: 2)) == "14 days free, then $9.99 per month")
        #expect(introduction(offer(.freeTrial, .month)) == "1 month free, then $9.99 per month")
        let japanese = PlanTerms(
            monthly, trial: offer(.freeTrial, .week), legal: legal, texts: PaywallTexts(languages: ["ja"]))
        #expect(japanese.introduction == "7日間無料、その後は$9.99/月")
        let chinese = PlanTerms(
            monthly, trial: offer(.freeTrial, .week), legal: legal, texts: PaywallTexts(languages: ["zh-CN"]))
        #expect(chinese.introduction == "免费试用 7 天，之后 $9.99/月")
    }

    @Test("a product that does not renew says so, and a limited one says how long it lasts")
    func once() {
        let terms = PlanTerms(product(.nonConsumable), comparison: .month, legal: legal, texts: texts)
        #expect(terms.price == "$9.99" && terms.period == nil && terms.derivedPrice == nil)
        #expect(terms.renewal == "You pay once. Nothing renews.")
        let limited = PlanTerms(
            product(.nonRenewingSubscription), duration: BillingPeriod(months: 3), legal: legal, texts: texts)
        #expect(limited.period == "3 months" && limited.renewal == "You pay once for 3 months. Nothing renews.")
        let open = PlanTerms(product(.nonRenewingSubscription), legal: legal, texts: texts)
        #expect(open.renewal == "You pay once. Access ends by itself, and nothing renews.")
    }

    // MARK: A trial that runs

    private func trial(
        willRenew: Bool?, change: PlanChange? = nil, increase: PurchaseDetails.PriceIncrease? = nil,
        period: PurchaseDetails.Period = .trial, isGranted: Bool = true
    ) throws -> PurchaseDetails {
        let end = try #require(Timestamp(rfc3339: "2026-11-25T12:00:00Z"))
        return PurchaseDetails(
            productID: "pro", transactionID: "1", type: .autoRenewableSubscription, entitlements: [.pro],
            isGranted: isGranted, purchaseDate: .minimum, period: period, willRenew: willRenew,
            renewsOn: willRenew == true ? end : nil, accessEnds: end, planChange: change, priceIncrease: increase)
    }

    @Test("a trial that runs says how many days are left and what follows")
    func remainingTrial() throws {
        let monthly = product(.autoRenewableSubscription, period: .month)
        #expect(
            texts.remainingTrial(of: try trial(willRenew: true), days: 3, next: monthly)
                == "3 days left in the free trial. On November 25, 2026 it renews for $9.99 per month.")
        #expect(
            texts.remainingTrial(of: try trial(willRenew: false), days: 1, next: monthly)
                == "1 day left in the free trial. It does not renew. Access ends on November 25, 2026.")
        #expect(
            texts.remainingTrial(of: try trial(willRenew: nil), days: 2, next: monthly)
                == "2 days left in the free trial.")
        #expect(
            texts.remainingTrial(of: try trial(willRenew: true), days: 2, next: nil)
                == "2 days left in the free trial. On November 25, 2026 it renews at the regular price.")
        let japanese = PaywallTexts(languages: ["ja"], day: { _ in "11月25日" })
        #expect(
            japanese.remainingTrial(of: try trial(willRenew: true), days: 3, next: monthly)
                == "無料トライアルは残り3日です。11月25日に$9.99/月で更新されます。")
        #expect(texts.remainingTrial(of: try trial(willRenew: true, period: .regular), days: 3, next: nil) == nil)
        #expect(texts.remainingTrial(of: try trial(willRenew: true, isGranted: false), days: 3, next: nil) == nil)
    }

    @Test("what follows a trial is the price of the product that it renews to, with an announced increase")
    func followingPrice() throws {
        let monthly = product(.autoRenewableSubscription, period: .month)
        let change = PlanChange(productID: "pro", nextProductID: "pro.year", date: nil)
        #expect(
            texts.remainingTrial(of: try trial(willRenew: true, change: change), days: 3, next: monthly)?
                .hasSuffix("it renews at the regular price.") == true, "the price of another product is not shown")
        let increase = PurchaseDetails.PriceIncrease(needsConsent: false, price: Milliunits(12_990), currency: "USD")
        #expect(
            texts.remainingTrial(of: try trial(willRenew: true, increase: increase), days: 3, next: monthly)?
                .hasSuffix("it renews for $12.99 per month.") == true)
        let other = PurchaseDetails.PriceIncrease(needsConsent: true, price: Milliunits(12_990), currency: "EUR")
        #expect(
            texts.remainingTrial(of: try trial(willRenew: true, increase: other), days: 3, next: monthly)?
                .hasSuffix("it renews for EUR 12.99 per month, but only if you have agreed to this price.") == true)
    }

    @Test(
        "an increased price is in its own currency, and says that it needs consent where it does",
        arguments: [
            (true, 12_990, "USD", "it renews for $12.99 per month, but only if you have agreed to this price."),
            (false, 12_990, "EUR", "it renews for EUR 12.99 per month."),
            (true, nil, nil, "it renews only if you have agreed to the higher price."),
            (false, nil, nil, "it renews at a higher price."),
        ] as [(Bool, Int64?, String?, String)])
    func increase(needsConsent: Bool, price: Int64?, currency: String?, end: String) throws {
        let increase = PurchaseDetails.PriceIncrease(
            needsConsent: needsConsent, price: price.map { Milliunits($0) }, currency: currency)
        let text = texts.remainingTrial(
            of: try trial(willRenew: true, increase: increase), days: 3,
            next: product(.autoRenewableSubscription, period: .month))
        #expect(text?.hasSuffix(end) == true, "\(text ?? "")")
    }

    // MARK: Cards

    private func catalog() throws -> TemplatePriceCatalog {
        TemplatePriceCatalog(
            version: 1, proProductIDs: ["pro"],
            features: try FeatureCatalog([
                FeatureDefinition(id: "notes", name: "Notes", level: .free),
                FeatureDefinition(
                    id: "export", name: "feature.export", description: "As PDF", level: .premium,
                    productIDs: ["export"]),
                FeatureDefinition(id: "print", name: "Print", level: .premium, productIDs: ["print"]),
            ]))
    }

    @Test("[OTP-5.2] [OTP-5.3] a card has the name, the price, the kind, the features and the button")
    func card() throws {
        let own = MessageCatalog.paywall.merging(MessageCatalog(["feature.export": ["en": "Export", "ja": "書き出し"]]))
        func card(
            _ product: Product, _ language: String = "en", _ trial: TrialEligibility = .unknown
        ) throws
            -> ProductCard
        {
            let texts = PaywallTexts(languages: [language], catalog: own)
            return ProductCard(
                product, catalog: try catalog(), trial: trial, state: .available, legal: legal, texts: texts)
        }
        let export = try card(product(.nonConsumable, id: "export"))
        #expect(export.name == "Notes Pro" && export.price == "$9.99" && export.kind == "One-time purchase")
        #expect(export.features.map(\.name) == ["Export"] && export.features.map(\.description) == ["As PDF"])
        #expect(export.button.label == "Buy for $9.99" && export.button.isEnabled)
        #expect(export.terms.renewal == "You pay once. Nothing renews.")

        let pro = product(.autoRenewableSubscription, period: .month)
        #expect(try card(pro).features.map(\.id) == ["export", "print"], "everything but what is free")
        #expect(try card(pro).button.label == "Subscribe for $9.99 per month")
        #expect(try card(pro, "en", offer(.freeTrial, .week)).button.label == "Try 7 days for free")
        #expect(try card(pro, "ja").features.first?.name == "書き出し")
        #expect(try card(product(.consumable, id: "coins")).features.isEmpty)
    }

    @Test("the button says that a product is owned, pending, being bought or not sold")
    func button() throws {
        let once = product(.nonConsumable)
        let owned = Entitlements(purchases: [
            PurchaseDetails(
                productID: "pro", transactionID: "1", type: .nonConsumable, entitlements: [.pro], isGranted: true,
                purchaseDate: .minimum)
        ])
        #expect(PurchaseButtonState(of: once, entitlements: .empty) == .available)
        #expect(PurchaseButtonState(of: once, entitlements: owned, isSold: false) == .owned)
        #expect(
            PurchaseButtonState(of: once, entitlements: .empty, pending: ["pro"], isSold: false) == .awaitingApproval)
        #expect(PurchaseButtonState(of: once, entitlements: .empty, isSold: false) == .unavailable)
        #expect(PurchaseButtonState(of: product(.consumable), entitlements: owned) == .available)
        var activity = OneTimeActivity()
        activity.isRestoring = true
        #expect(PurchaseButtonState(of: once, entitlements: .empty, activity: activity) == .busy)
        activity.purchase = .init(productID: "coins", step: .purchasing)
        #expect(PurchaseButtonState(of: once, entitlements: .empty, activity: activity) == .busy)
        activity.purchase = .init(productID: "pro", step: .confirming)
        #expect(PurchaseButtonState(of: once, entitlements: .empty, activity: activity) == .buying)
        let changing = Entitlements(purchases: [
            try trial(willRenew: true, change: PlanChange(productID: "pro", nextProductID: "other", date: nil))
        ])
        let monthly = product(.autoRenewableSubscription, period: .month)
        #expect(PurchaseButtonState(of: monthly, entitlements: changing) == .available, "it cancels the change")
        let labels = try PurchaseButtonState.allCases.map {
            ProductCard(once, catalog: try catalog(), state: $0, legal: legal, texts: texts).button.label
        }
        #expect(
            labels == [
                "Buy for $9.99", "Purchasing…", "Buy for $9.99", "Waiting for approval", "Purchased", "Not available",
            ])
    }
}
