import PurchaseCore
import ReceiptTypes
import Testing

@testable import LocalStore

@Suite("Time rates")
struct TimeRateTests {
    /// The meaning of a number, in seconds. The documentation rounds scaled rates to whole seconds.
    struct Row: Sendable, CustomTestStringConvertible {
        let number: Int
        let week: Double
        let month: Double
        let year: Double
        let weeklyGrace: Double
        let grace: Double
        let retry: Double

        init(_ number: Int, _ week: Double, _ month: Double, _ year: Double, _ grace: (Double, Double), _ retry: Double)
        {
            self.number = number
            self.week = week
            self.month = month
            self.year = year
            weeklyGrace = grace.0
            self.grace = grace.1
            self.retry = retry
        }

        var testDescription: String { "rate \(number)" }
    }

    static let day = 86_400.0
    static let rows = [
        // January has 31 days.
        Row(0, 7 * day, 31 * day, 365 * day, (6 * day, 16 * day), 60 * day),
        Row(1, 7 * 3600, 30 * 3600, 365 * 3600, (6 * 3600, 16 * 3600), 60 * 3600),
        Row(2, 7 * 1800, 30 * 1800, 365 * 1800, (6 * 1800, 16 * 1800), 60 * 1800),
        Row(3, 7 * 300, 30 * 300, 365 * 300, (6 * 300, 16 * 300), 60 * 300),
        Row(4, 7 * 60, 30 * 60, 365 * 60, (6 * 60, 16 * 60), 60 * 60),
        Row(5, 7 * 30, 30 * 30, 365 * 30, (6 * 30, 16 * 30), 60 * 30),
        Row(6, 7, 30, 365, (6, 16), 60),
        Row(10, 1200, 3600, 12 * 3600, (1029, 1800), 7200),
        Row(11, 600, 1800, 6 * 3600, (8 * 60 + 34, 900), 3600),
        Row(12, 300, 900, 3 * 3600, (257, 450), 1800),
        Row(13, 100, 300, 3600, (86, 150), 600),
        Row(15, 10, 30, 360, (9, 15), 60),
        Row(1000, 900, 900, 900, (900, 900), 1800),
        Row(1001, 300, 300, 300, (300, 300), 600),
        Row(1002, 60, 60, 60, (60, 60), 120),
        Row(1003, 30, 30, 30, (30, 30), 60),
        Row(1004, 10, 10, 10, (10, 10), 20),
        Row(1005, 2, 2, 2, (2, 2), 4),
    ]

    private func seconds(until end: Timestamp) -> Double {
        Double(end.millisecondsSince1970 - SampleStore.start.millisecondsSince1970) / 1000
    }

    @Test("each rate has its documented periods, grace periods and billing retry", arguments: rows)
    func lengths(_ row: Row) {
        let rate = TimeRate(rawValue: row.number)
        let start = SampleStore.start
        let isScaled = 10...15 ~= row.number
        let tolerance = isScaled ? 0.5 : 0
        func expect(_ end: Timestamp, _ expected: Double) {
            #expect(abs(seconds(until: end) - expected) <= tolerance, "\(seconds(until: end)) and not \(expected)")
        }
        expect(rate.end(of: .week, from: start), row.week)
        expect(rate.end(of: .month, from: start), row.month)
        expect(rate.end(of: .year, from: start), row.year)
        expect(rate.graceEnd(of: .week, from: start), row.weeklyGrace)
        expect(rate.graceEnd(of: .month, from: start), row.grace)
        expect(rate.graceEnd(of: .year, from: start), row.grace)
        expect(rate.retryEnd(from: start), row.retry)
    }

    @Test("a grace period of 3 or 28 days is shortened in proportion")
    func otherGracePeriods() {
        let start = SampleStore.start
        func length(_ number: Int, _ period: BillingPeriod, _ grace: StoreSettings.GracePeriod) -> Double {
            seconds(until: TimeRate(rawValue: number).graceEnd(of: period, grace, from: start))
        }
        #expect(length(6, .month, .threeDays) == 3)
        #expect(length(6, .month, .twentyEightDays) == 28)
        #expect(length(6, .week, .twentyEightDays) == 6)
        #expect(length(10, .month, .threeDays) == 337.5)
        #expect(length(10, .month, .twentyEightDays) == 3150)
        #expect(abs(length(10, .week, .threeDays) - 3600.0 / 7) < 0.5)
        #expect(length(1000, .month, .threeDays) == 900)
    }

    @Test("the table contains exactly the known numbers")
    func numbers() {
        #expect(TimeRate.table.map(\.key) == TimeRate.known)
        #expect(Self.rows.map(\.number) == TimeRate.known)
    }

    @Test("every period of the documented half-hour rate is exact")
    func documentedRate() throws {
        let rate = TimeRate(rawValue: 11)
        let lengths = [("P2M", 3600.0), ("P3M", 5400), ("P6M", 10_800)]
        for (text, expected) in lengths {
            let period = try #require(BillingPeriod(iso8601: text))
            #expect(seconds(until: rate.end(of: period, from: SampleStore.start)) == expected)
        }
    }

    @Test("an unknown number means real time", arguments: [-1, 7, 14, 16, 999, 1006, .max, .min])
    func unknownNumbers(_ number: Int) {
        let rate = TimeRate(rawValue: number)
        #expect(rate.pace == .calendar)
        #expect(
            rate.end(of: .week, from: SampleStore.start) == TimeRate.realTime.end(of: .week, from: SampleStore.start))
    }

    @Test("the longest periods end at the maximum time", arguments: TimeRate.known)
    func longestPeriods(_ number: Int) throws {
        let rate = TimeRate(rawValue: number)
        let period = try #require(BillingPeriod(months: 400_000, days: 400_000))
        for count in [1, 1000, .max] {
            #expect(rate.end(of: period, times: count, from: SampleStore.start) > SampleStore.start)
            #expect(rate.end(of: period, times: count, from: .maximum) == .maximum)
        }
        #expect(rate.graceEnd(of: period, from: .maximum) == .maximum)
        #expect(rate.retryEnd(from: .maximum) == .maximum)
    }

    @Test("several periods follow each other without a gap", arguments: TimeRate.known.filter { $0 < 1000 && $0 > 0 })
    func severalPeriods(_ number: Int) {
        let rate = TimeRate(rawValue: number)
        let two = rate.end(of: .month, from: rate.end(of: .month, from: SampleStore.start))
        #expect(rate.end(of: .month, times: 2, from: SampleStore.start) == two)
    }
}
