import CommandLineInterface
import ReceiptTypes
import Testing

@testable import ReceiptVerification
@testable import verify_receipt

/// Checks what the page computes before it shows it.
@Suite("Parts of the page of batch --report")
struct ReportPartTests {
    private func results(_ grouping: ReportGrouping, _ groups: [(values: String, count: Int)]) throws -> CountedResults
    {
        var overview = BatchOverview(try ReportGrouping.allCases.map { try ResultFields($0.names) })
        var output = BatchOutput()
        output.groups = ReportGrouping.allCases.map { _ in [:] }
        for (values, count) in groups {
            output.groups[grouping.rawValue][GroupKey(bytes: [UInt8](",\(values)".utf8))] = count
        }
        overview.add(output)
        return CountedResults(overview, grouping)
    }

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

    @Test("revenue is exact: price times quantity, in thousandths, without revoked, shared and repeated purchases")
    func revenue() throws {
        func values(
            _ price: String, _ quantity: String = "1", currency: String = "\"EUR\"", kind: String = "transaction",
            ownership: String = "PURCHASED", verdict: String = "verified", revoked: String = "null"
        ) -> String {
            "\(currency),\(price),\(quantity),\"Production\",\"\(kind)\",\"\(ownership)\",\"\(verdict)\",\(revoked)"
        }
        let revenue = Revenue(
            try results(
                .prices,
                [
                    (values("0.1"), 3), (values("0.205", "2"), 1), (values("1999999.99"), 1), (values("7", "null"), 1),
                    (values("5", revoked: "true"), 2), (values("5", ownership: "FAMILY_SHARED"), 11),
                    (values("5", kind: "notification"), 12), (values("5", verdict: "unverified"), 13),
                    (values("null"), 14), (values("1.2345"), 15), (values("1", "1.5"), 16), (values("1e3"), 17),
                    (values("9223372036854775.807", "3", currency: "\"USD\""), 1),
                    (values("1500", currency: "\"JPY\""), 2), (values("-0.5", currency: "\"GBP\""), 1),
                    (values("4", currency: "null"), 1),
                ]))
        let shown = revenue.rows.map {
            "\($0.currency ?? "-") \($0.kept.text($0.currency)) \($0.revoked.text($0.currency))"
        }
        #expect(
            shown == [
                "EUR 2,000,007.70 10.00", "JPY 3,000 0", "- 4.00 0.00", "GBP -0.50 0.00", "USD too large 0.00",
            ])
        #expect(revenue.rows.first?.count == 8)
        #expect((revenue.notificationCount, revenue.familyCount, revenue.unreadableCount) == (12, 11, 48))
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
