import PurchaseCore
import ReceiptTypes
import Testing

@testable import Paywall

@Suite("Texts of the paywall")
struct PaywallTextsTests {
    private static let languages = ["en", "ja", "zh-Hans"]

    private static func subscription(
        _ price: Int64, _ display: String, _ currency: String = "USD", period: BillingPeriod? = .year
    ) -> Product {
        Product(
            id: "pro", type: period == nil ? .nonConsumable : .autoRenewableSubscription, displayName: "Pro",
            description: "", price: Milliunits(price), currency: currency, displayPrice: display,
            subscription: period.map { SubscriptionTerms(groupID: "pro", level: 1, period: $0) })
    }

    private static func derived(
        _ price: Int64, _ display: String, _ currency: String, per period: BillingPeriod, language: String = "en"
    ) -> String? {
        PaywallTexts(languages: [language])
            .derivedPrice(of: subscription(price, display, currency), per: period)?.text
    }

    @Test("every text of the screens is there in English, Japanese and Chinese, with the same placeholders")
    func complete() {
        #expect(MessageCatalog.paywall.findings(languages: Self.languages) == [])
        let keys = CustomerMessages.all.map(\.0)
        #expect(Set(keys).count == keys.count && keys.count > 40)
        #expect(CustomerMessages.all.allSatisfy { $0.1.count == 3 })
        #expect(MessageCatalog.paywall.texts["error.network"] == MessageCatalog.standard.texts["error.network"])
    }

    @Test("a day is written in the words of the customer's language, unless the app writes it")
    func days() throws {
        let dates = try ["2026-01-09T23:59:59Z", "2026-11-22T00:00:00Z"].map { try #require(Timestamp(rfc3339: $0)) }
        let written = Self.languages.map { language in dates.map(PaywallTexts(languages: [language]).day) }
        #expect(
            written == [
                ["January 9, 2026", "November 22, 2026"], ["2026年1月9日", "2026年11月22日"],
                ["2026年1月9日", "2026年11月22日"],
            ])
        #expect(PaywallTexts(languages: ["ja"], day: { _ in "today" }).day(of: dates[0]) == "today")
        #expect(PaywallTexts(languages: ["en"]).day(of: .minimum) != "")
    }

    @Test("the price of a product is the store's own text, with the period of a subscription")
    func price() throws {
        let texts = Self.languages.map { PaywallTexts(languages: [$0]) }
        let once = Self.subscription(4_990, "US$ 4.99", period: nil)
        #expect(texts.map { $0.price(of: once) } == ["US$ 4.99", "US$ 4.99", "US$ 4.99"])
        let cases: [(String, [String])] = [
            ("P7D", ["$1 per week", "$1/週", "$1/周"]), ("P1M", ["$1 per month", "$1/月", "$1/月"]),
            ("P12M", ["$1 per year", "$1/年", "$1/年"]), ("P3D", ["$1 every 3 days", "3日ごとに$1", "每 3 天 $1"]),
            ("P2W", ["$1 every 2 weeks", "2週間ごとに$1", "每 2 周 $1"]),
            ("P3M", ["$1 every 3 months", "3か月ごとに$1", "每 3 个月 $1"]),
            ("P2Y", ["$1 every 2 years", "2年ごとに$1", "每 2 年 $1"]),
            ("P1M10D", ["$1 every 1 month 10 days", "1か月10日間ごとに$1", "每 1 个月 10 天 $1"]),
        ]
        for (period, expected) in cases {
            let product = Self.subscription(1_000, "$1", period: BillingPeriod(iso8601: period))
            #expect(texts.map { $0.price(of: product) } == expected, "\(period)")
        }
    }

    @Test(
        "a length is written in days, months and years, with the English plural",
        arguments: [
            ("P1D", 1, ["1 day", "1日間", "1 天"]), ("P1W", 1, ["7 days", "7日間", "7 天"]),
            ("P1W", 2, ["14 days", "14日間", "14 天"]), ("P1M", 1, ["1 month", "1か月", "1 个月"]),
            ("P3M", 1, ["3 months", "3か月", "3 个月"]), ("P6M", 2, ["1 year", "1年", "1 年"]),
            ("P1Y6M", 1, ["1 year 6 months", "1年6か月", "1 年 6 个月"]),
            ("P1Y1M1D", 1, ["1 year 1 month 1 day", "1年1か月1日間", "1 年 1 个月 1 天"]),
            ("P1M", 0, ["1 month", "1か月", "1 个月"]), ("P1M", .max, ["\(Int.max) × 1 month"]),
        ])
    func length(period: String, count: Int, expected: [String]) throws {
        let period = try #require(BillingPeriod(iso8601: period))
        for (language, text) in zip(Self.languages, expected) {
            #expect(PaywallTexts(languages: [language]).length(period, times: count) == text)
        }
    }

    @Test("a derived price is rounded down to the digits of its currency, in the store's notation, and marked")
    func derivedPrice() {
        #expect(Self.derived(39_990, "$39.99", "USD", per: .month) == "about $3.33 per month")
        // 0.7669…, and 6.99 must not become 7.00.
        #expect(Self.derived(39_990, "$39.99", "USD", per: .week) == "about $0.76 per week")
        #expect(Self.derived(364_990, "$364.99", "USD", per: .week) == "about $6.99 per week")
        #expect(Self.derived(39_990, "39,99 €", "EUR", per: .month) == "about 3,33 € per month")
        #expect(Self.derived(5_900_000, "¥5,900", "JPY", per: .month) == "about ¥491 per month")
        #expect(Self.derived(5_900_000, "¥5,900", "JPY", per: .month, language: "ja") == "約¥491/月相当")
        #expect(Self.derived(5_900_000, "¥5,900", "JPY", per: .month, language: "zh") == "约合 ¥491/月")
        #expect(Self.derived(12_345, "KWD 12.345", "KWD", per: .month) == "about KWD 1.028 per month")
        #expect(Self.derived(1_234_500, "1.234,50 €", "EUR", per: .month) == "about 102,87 € per month")
        #expect(Self.derived(12_000, "$12.00", "USD", per: .month) == "equals $1.00 per month")
        #expect(Self.derived(12_012, "KWD 12.012", "KWD", per: .month) == "equals KWD 1.001 per month")
    }

    @Test("a price that cannot be paid, and one that would read as zero, is not derived")
    func noDerivedPrice() {
        #expect(Self.derived(39_990, "$39.99", "USD", per: .year) == nil)
        #expect(Self.derived(40_000, "¥40", "JPY", per: .week) == nil, "0.7 yen")
        #expect(Self.derived(0, "$0.00", "USD", per: .month) == nil)
        let texts = PaywallTexts(languages: [])
        let weekly = Self.subscription(9_990, "$9.99", period: .week)
        #expect(texts.derivedPrice(of: weekly, per: .month) == nil, "a weekly plan is not paid by the month")
        #expect(texts.derivedPrice(of: Self.subscription(9_990, "$9.99", period: nil), per: .week) == nil)
    }

    @Test(
        "the notation of a price is read from the store's text and its amount",
        arguments: [
            ("$39.99", 39_990, 3_330, 2, "$3.33"), ("39,99\u{A0}€", 39_990, 3_330, 2, "3,33\u{A0}€"),
            ("US$1,234.50", 1_234_500, 12_345_600, 2, "US$12,345.60"), ("1 234,50 zł", 1_234_500, 5_000, 2, "5,00 zł"),
            ("CHF 1’234.50", 1_234_500, 2_000_000, 2, "CHF 2’000.00"),
            ("₹1,23,456.00", 123_456_000, 9_876_543_210, 2, "₹98,76,543.21"),
            // Three digits after the separator are a fraction of a dinar, and thousands of rupiah.
            ("KWD 1.250", 1_250, 104, 3, "KWD 0.104"), ("Rp 59.000", 59_000_000, 4_916_660, 2, "Rp 4.916,66"),
            ("Rp 59.000", 59_000_000, 49_000_000, 2, "Rp 49.000"), ("¥120", 120_000, 1_000_000, 0, "¥1000"),
            ("٣٩٫٩٩ ر.س", 39_990, 3_330, 2, "٣٫٣٣ ر.س"), ("\u{200F}10.00 ₪", 10_000, 830, 2, "\u{200F}0.83 ₪"),
        ] as [(String, Int64, Int64, Int, String)])
    func notation(text: String, price: Int64, amount: Int64, decimals: Int, expected: String) throws {
        let pattern = try #require(PricePattern(text, of: Milliunits(price)))
        #expect(pattern.text(Milliunits(amount), decimals: decimals) == expected)
        #expect(pattern.text(Milliunits(price), decimals: decimals)?.isEmpty == false)
    }

    @Test(
        "a price text that does not have the amount is not a pattern",
        arguments: [
            "", "free", "$", "$39.90", "$39.99.1", "$39..99", "39-99", "$39.99 / 2 months", "$1,2.3,4", "٣9.99",
            "$3999",
        ])
    func noPattern(text: String) {
        #expect(PricePattern(text, of: Milliunits(39_990)) == nil)
    }

    @Test("without a pattern an amount stands after the code of its currency, never in another notation")
    func codeOfCurrency() {
        #expect(Self.derived(39_990, "thirty-nine", "USD", per: .month) == "about USD 3.33 per month")
        #expect(Self.derived(10_000, "$10", "USD", per: .month) == "about USD 0.83 per month", "no separator is known")
        #expect(Self.derived(5_900_000, "5900 yen", "JPY", per: .month) == "about 491 yen per month")
        #expect(PricePattern("$39.99", of: Milliunits(39_990))?.text(Milliunits(-1), decimals: 2) == nil)
        #expect(PricePattern("$0.00", of: Milliunits(0)) == nil)
    }

    @Test("a language without texts of its own reads English, and an app replaces a text by its key")
    func ownTexts() {
        let own = MessageCatalog(["paywall.price.months.one": ["en": "{price} a month", "fr": "{price} par mois"]])
        let product = Self.subscription(9_990, "$9.99", period: .month)
        #expect(PaywallTexts(languages: ["de"]).price(of: product) == "$9.99 per month")
        #expect(PaywallTexts(languages: ["fr"], catalog: own).price(of: product) == "$9.99 par mois")
        #expect(PaywallTexts(languages: ["fr"], catalog: own).length(.week) == "7 days", "the rest is the package's")
        #expect(PaywallTexts(languages: ["en"], catalog: .paywall.merging(own)).price(of: product) == "$9.99 a month")
        let french = MessageCatalog(["paywall.price.months.one": ["fr": "{price} par mois"]])
        #expect(
            PaywallTexts(languages: ["ja"], catalog: french).price(of: product) == "$9.99/月",
            "a catalog without the customer's language does not hide the package's text")
        let tricky = Self.subscription(9_990, "{count}9.99", period: .month)
        #expect(PaywallTexts(languages: []).price(of: tricky) == "{count}9.99 per month", "a price is not a template")
    }
}
