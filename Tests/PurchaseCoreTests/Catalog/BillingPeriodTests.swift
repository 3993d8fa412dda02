import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Billing periods")
struct BillingPeriodTests {
    @Test(
        "[defect 13] equal periods in different notations are the same period",
        arguments: [
            ("P7D", "P1W"), ("P14D", "P2W"), ("P12M", "P1Y"), ("P1Y6M", "P18M"), ("P1M7D", "P1M1W"),
        ])
    func normalised(one: String, other: String) throws {
        let period = try #require(BillingPeriod(iso8601: one))
        #expect(period == BillingPeriod(iso8601: other))
        #expect(BillingPeriod(iso8601: period.description) == period)
    }

    @Test("[defect 13] a week is exactly seven days, and neither 52 weeks nor 365 days are a year")
    func week() {
        #expect(BillingPeriod(iso8601: "P7D") == .week)
        #expect(BillingPeriod.week.description == "P1W")
        #expect(BillingPeriod(iso8601: "P1Y") != BillingPeriod(iso8601: "P52W"))
        #expect(BillingPeriod(iso8601: "P1Y") != BillingPeriod(iso8601: "P365D"))
    }

    @Test(
        "a string that is not an ISO 8601 period is rejected",
        arguments: [
            "", "P", "1M", "PM", "P1", "P-1M", "P+1M", "P1.5M", "P1D1M", "P1M1M", "PT1H", "P0D", "P1M ", "p1m",
            "P99999999999999999999Y", "P999999D", "P١M",
        ])
    func malformed(text: String) {
        #expect(BillingPeriod(iso8601: text) == nil)
    }

    @Test("a day that the target month lacks becomes the month's last day")
    func calendar() throws {
        let start = try #require(Timestamp(rfc3339: "2024-01-31T10:20:30.400Z"))
        #expect(start.adding(.month) == Timestamp(rfc3339: "2024-02-29T10:20:30.400Z"))
        #expect(start.adding(.month, times: 2) == Timestamp(rfc3339: "2024-03-31T10:20:30.400Z"))
        #expect(start.adding(.month, times: -2) == Timestamp(rfc3339: "2023-11-30T10:20:30.400Z"))
        #expect(start.adding(.year) == Timestamp(rfc3339: "2025-01-31T10:20:30.400Z"))
        #expect(start.adding(.week, times: 3) == Timestamp(rfc3339: "2024-02-21T10:20:30.400Z"))
    }

    @Test("adding any number of periods stays within the calendar")
    func clamped() {
        #expect(Timestamp.maximum.adding(.year) == .maximum)
        #expect(Timestamp.minimum.adding(.week, times: -1) == .minimum)
        for count in [Int.max, Int.min, 1 << 40, -(1 << 40)] {
            let end = Timestamp.minimum.adding(.year, times: count)
            #expect(end == (count < 0 ? .minimum : .maximum))
        }
    }
}
