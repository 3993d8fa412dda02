import CommandLineInterface
import ReceiptTypes
import Testing

@testable import ReceiptVerification
@testable import verify_receipt

/// Checks what the page computes before it shows it.
@Suite("Parts of the page of batch --report")
struct ReportPartTests {
    // MARK: Time

    @Test(
        "time has at most 45 periods, of the shortest kind, without gaps",
        arguments: [
            (["2025-10-01"], TimeBuckets.Unit.day, ["2025-10-01"]),
            (["2025-02-27", "2025-03-02"], .day, ["2025-02-27", "2025-02-28", "2025-03-01", "2025-03-02"]),
            (["2025-01-01", "2025-02-14"], .day, nil),
            (["2025-01-01", "2025-02-15"], .week, nil),
            (["2024-12-29", "2025-02-20"], .week, nil),
            (["2023-01-31", "2023-12-01", "2025-02-01"], .month, nil),
            (["2019-12-31", "2023-09-30"], .quarter, nil),
            (["1990-01-01", "2025-09-30"], .year, nil),
            (["1700-01-01", "2025-09-30"], .decade, nil),
            (["0000-01-01", "9999-12-31"], .century, nil),
        ] as [([String], TimeBuckets.Unit, [String]?)])
    func timeBuckets(days: [String], unit: TimeBuckets.Unit, labels: [String]?) {
        let totals = days.map { CountedResults.Total(value: $0, count: 3, revokedCount: 1) }
        let time = TimeBuckets(totals + [.init(value: nil, count: 7)])
        #expect(time.unit == unit)
        if let labels { #expect(time.buckets.map(\.label) == labels) }
        #expect(time.buckets.count <= 100)
        #expect(time.buckets.reduce(0) { $0 + $1.count } == 3 * days.count)
        #expect(time.buckets.reduce(0) { $0 + $1.revokedCount } == days.count)
        #expect(time.buckets.first?.count ?? 0 > 0 && time.buckets.last?.count ?? 0 > 0)
    }

    @Test("a period is named by its first day, or by its month, quarter, year, decade or century")
    func labels() throws {
        let day = try #require(CivilDate(year: 2024, month: 12, day: 31))
        let names = TimeBuckets.Unit.allCases.map { $0.label(of: $0.index(of: day)) }
        #expect(names == ["2024-12-31", "2024-12-30", "2024-12", "2024 Q4", "2024", "2020s", "2000s"])
        #expect(TimeBuckets([.init(value: nil, count: 7)]).buckets.isEmpty)
    }

    // MARK: Money

    @Test("an amount has the decimals of its currency and its digits in groups")
    func amounts() {
        #expect(Revenue.text(Milliunits(2_000_007_700), "EUR") == "2,000,007.70")
        #expect(
            Revenue.text(Milliunits(3_000_000), "JPY") == "3,000" && Revenue.text(Milliunits(-500), "GBP") == "-0.50")
        #expect(Revenue.text(Milliunits(.max), nil) == "9,223,372,036,854,775.807")
        #expect(Revenue.text(Milliunits(.min), "BHD") == "-9,223,372,036,854,775.808")
        #expect(Revenue.text(nil, "USD") == "too large")
    }

    // MARK: Text

    @Test("a share is never 0% of something and never 100% of not all")
    func shares() {
        #expect(PageText.share(0, of: 0) == "0%")
        #expect(PageText.share(1, of: 3) == "33.3%")
        #expect(PageText.share(0, of: 3) == "0.0%")
        #expect(PageText.share(1, of: 1_000_000) == "<0.1%")
        #expect(PageText.share(999_999, of: 1_000_000) == ">99.9%")
        #expect(PageText.share(7, of: 7) == "100%")
        #expect(PageText.length(1 / 3) == "33.333%")
        #expect(PageText.length(0.00001) == "0.001%")
        #expect(PageText.length(7) == "100.000%")
    }

    @Test("a long label keeps its beginning and its end")
    func labelsAreCut() {
        let label = PageText.label("com.example.application.subscription.monthly")
        #expect(label == "com.example.ap…ption.monthly")
        #expect(PageText.label("short") == "short")
    }
}
