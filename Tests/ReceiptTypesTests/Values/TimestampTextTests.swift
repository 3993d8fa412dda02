import ReceiptTypes
import Testing

/// Tests writing and parsing RFC 3339, compared with a calendar that counts day by day.
@Suite("Timestamps in RFC 3339")
struct TimestampTextTests {
    static let millisecondsPerDay: Int64 = 86_400_000

    static func isLeap(_ year: Int64) -> Bool { (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 }

    static func dayCounts(of year: Int64) -> [Int64] {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }

    static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: width - digits.count) + digits
    }

    @Test("the first day of each month of 10,000 years is written and parsed")
    func everyMonth() {
        var day = Timestamp.minimum.millisecondsSince1970 / Self.millisecondsPerDay
        var mistakes: [String] = []
        for year in Int64(0)...9999 {
            for (index, count) in Self.dayCounts(of: year).enumerated() {
                // For speed, all months only in the years around a leap year rule, and two months in the others.
                if index == 0 || index == 2 || year % 100 < 2 {
                    let text = "\(Self.padded(year, 4))-\(Self.padded(Int64(index + 1), 2))-01T00:00:00Z"
                    let instant = Timestamp(milliseconds: day * Self.millisecondsPerDay)
                    if instant?.description != text || Timestamp(rfc3339: text) != instant { mistakes.append(text) }
                }
                day += count
            }
        }
        #expect(mistakes == [])
        #expect(day * Self.millisecondsPerDay - 1 == Timestamp.maximum.millisecondsSince1970)
    }

    @Test(
        "every day of a year is written and parsed",
        arguments: [0, 4, 100, 400, 1900, 1969, 1970, 2000, 2024, 2025, 9999])
    func everyDay(year: Int64) throws {
        let start = try #require(Timestamp(rfc3339: "\(Self.padded(year, 4))-01-01T23:59:59.999Z"))
        var offset: Int64 = 0
        for (index, count) in Self.dayCounts(of: year).enumerated() {
            for day in 1...count {
                let month = Self.padded(Int64(index + 1), 2)
                let text = "\(Self.padded(year, 4))-\(month)-\(Self.padded(day, 2))T23:59:59.999Z"
                let expected = start.millisecondsSince1970 + offset * Self.millisecondsPerDay
                #expect(Timestamp(rfc3339: text)?.millisecondsSince1970 == expected)
                #expect(Timestamp(milliseconds: expected)?.description == text)
                offset += 1
            }
            let month = Self.padded(Int64(index + 1), 2)
            let dayAfter = "\(Self.padded(year, 4))-\(month)-\(Self.padded(count + 1, 2))T00:00:00Z"
            #expect(Timestamp(rfc3339: dayAfter) == nil, "\(dayAfter)")
        }
    }

    @Test(
        "a known timestamp has the known text",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999Z"), (1, "1970-01-01T00:00:00.001Z"),
            (100, "1970-01-01T00:00:00.100Z"), (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_759_302_518_835, "2025-10-01T07:08:38.835Z"), (-62_167_219_200_000, "0000-01-01T00:00:00Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-2_208_988_800_000, "1900-01-01T00:00:00Z"),
        ] as [(Int64, String)]
    )
    func known(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds)?.description == text)
        #expect(Timestamp(rfc3339: text)?.millisecondsSince1970 == milliseconds)
        #expect(Timestamp(milliseconds: milliseconds)?.displayText == text)
        var bytes = Array("at ".utf8)
        Timestamp(milliseconds: milliseconds)?.append(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "at " + text)
    }

    @Test(
        "offsets, fractions and lower-case letters are parsed",
        arguments: [
            ("2025-10-01T09:08:38.835+02:00", 1_759_302_518_835), ("2025-09-30T23:38:38.835-07:30", 1_759_302_518_835),
            ("2025-10-01t07:08:38.835z", 1_759_302_518_835), ("1970-01-01T00:00:00.5Z", 500),
            ("1970-01-01T00:00:00.05Z", 50), ("1970-01-01T00:00:00.0019999999999999999999999999Z", 1),
            ("1970-01-01T00:00:00-00:00", 0), ("1970-01-01T23:59:00+23:59", 0),
            ("0000-01-01T00:00:00-01:00", -62_167_215_600_000),
        ] as [(String, Int64)]
    )
    func variants(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(
        "a text that is not an RFC 3339 date and time is rejected",
        arguments: [
            "", "2025", "2025-10-01", "2025-10-01T07:08:38", "2025-10-01T07:08Z", "2025-10-01 07:08:38Z",
            "2025-10-01T07:08:38.Z", "2025-10-01T07:08:38,5Z", "2025-10-01T07:08:38Z ", " 2025-10-01T07:08:38Z",
            "2025-13-01T00:00:00Z", "2025-00-01T00:00:00Z", "2025-10-00T00:00:00Z", "2025-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z", "2025-10-01T24:00:00Z", "2025-10-01T07:60:00Z", "2025-10-01T07:08:60Z",
            "2025-10-01T07:08:38+24:00", "2025-10-01T07:08:38+02:60", "2025-10-01T07:08:38+0200",
            "2025-10-01T07:08:38+02", "2025-1-01T07:08:38Z", "+2025-10-01T07:08:38Z", "12025-10-01T07:08:38Z",
            "2025-10-01T07:08:38ZZ", "２025-10-01T07:08:38Z", "-001-10-01T07:08:38Z", "0000-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01", "2025-10-01T07:08:38\u{0}Z",
        ]
    )
    func refused(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }
}
