import Testing

@testable import ReceiptTypes

@Suite("ISO 8601 durations")
struct ISO8601DurationTests {
    private let start = Timestamp(rfc3339: "2025-01-31T12:00:00Z")

    @Test(
        "a duration adds its calendar part and then its clock part to a time",
        arguments: [
            ("P1M", "2025-02-28T12:00:00Z"), ("P1Y", "2026-01-31T12:00:00Z"), ("P1W", "2025-02-07T12:00:00Z"),
            ("P3DT12H", "2025-02-04T00:00:00Z"), ("PT90S", "2025-01-31T12:01:30Z"),
            ("PT1H1M1S", "2025-01-31T13:01:01Z"), ("P1Y1M1DT1H", "2026-03-01T13:00:00Z"),
            ("P400000D", "3120-04-01T12:00:00Z"), ("PT999999999H", "9999-12-31T23:59:59.999Z"),
        ]
    )
    func addition(text: String, end: String) throws {
        let duration = try #require(ISO8601Duration(text))
        #expect(duration.after(try #require(start)).description == end)
    }

    @Test("a duration before a time subtracts its calendar part and then its clock part")
    func subtraction() throws {
        let end = try #require(Timestamp(rfc3339: "2025-03-31T12:00:00Z"))
        #expect(try #require(ISO8601Duration("P1M")).before(end).description == "2025-02-28T12:00:00Z")
        #expect(try #require(ISO8601Duration("P1DT13H")).before(end).description == "2025-03-29T23:00:00Z")
        #expect(try #require(ISO8601Duration("P9000Y")).before(end) == .minimum)
    }

    @Test(
        "a malformed duration and a duration of zero are rejected",
        arguments: [
            "", "P", "T", "PT", "1M", "P1", "PM", "P1MT", "P-1M", "P1.5M", "PT1", "PT1D", "PT1S1M", "PT1M1M", "P0D",
            "PT0S", "P1M ", " P1M", "p1m", "PT9999999999S", "P1MT1HT1M", "P١M", "P1M\u{0}",
        ]
    )
    func rejection(text: String) {
        #expect(ISO8601Duration(text) == nil)
    }
}
