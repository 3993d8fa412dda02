import ReceiptTypes
import Testing

/// Tests the range of timestamps, and the JSON that they are created from.
@Suite("Timestamps")
struct TimestampTests {
    @Test("a timestamp is within the years 0 to 9999")
    func range() {
        #expect(Timestamp(milliseconds: -62_167_219_200_000) == .minimum)
        #expect(Timestamp(milliseconds: -62_167_219_200_001) == nil)
        #expect(Timestamp(milliseconds: 253_402_300_799_999) == .maximum)
        #expect(Timestamp(milliseconds: 253_402_300_800_000) == nil)
        #expect(Timestamp(milliseconds: .min) == nil)
        #expect(Timestamp(milliseconds: .max) == nil)
        #expect(Timestamp(milliseconds: -62_135_769_600_000)?.description == "0000-12-30T00:00:00Z")
    }

    @Test("decimal milliseconds are rounded down to an integer")
    func decimals() {
        #expect(Timestamp(decimalMilliseconds: 1.999)?.millisecondsSince1970 == 1)
        #expect(Timestamp(decimalMilliseconds: -0.001)?.millisecondsSince1970 == -1)
        #expect(Timestamp(decimalMilliseconds: -0.0)?.millisecondsSince1970 == 0)
        #expect(Timestamp(decimalMilliseconds: 1_759_302_518_835.5)?.millisecondsSince1970 == 1_759_302_518_835)
    }

    @Test(
        "a decimal outside the range, infinity and NaN are rejected without a trap",
        arguments: [
            .nan, .infinity, -.infinity, 1e16, -1e15, 1e300, -1e300, 9.3e18, -62_167_219_200_000.5, 253_402_300_800_000,
            .greatestFiniteMagnitude,
        ] as [Double]
    )
    func invalidDecimals(decimal: Double) {
        #expect(Timestamp(decimalMilliseconds: decimal) == nil)
        #expect(Timestamp(json: .decimal(decimal)) == nil)
    }

    @Test("a timestamp is created from a JSON integer or decimal only")
    func json() {
        #expect(Timestamp(json: .integer(5))?.millisecondsSince1970 == 5)
        #expect(Timestamp(json: .decimal(5.9))?.json == .integer(5))
        for value: JSONValue in [.string("5"), .null, .boolean(true), .array([]), .object([:]), .integer(.max)] {
            #expect(Timestamp(json: value) == nil)
        }
    }

    @Test("timestamps are ordered by time")
    func order() throws {
        let earlier = try #require(Timestamp(milliseconds: -1))
        let later = try #require(Timestamp(milliseconds: 0))
        #expect(earlier < later)
        #expect(!(later < earlier))
        #expect(Timestamp.minimum < earlier && later < .maximum)
    }
}
