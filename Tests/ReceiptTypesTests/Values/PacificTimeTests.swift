import Foundation
import ReceiptTypes
import Testing

/// Tests the fixed rule for the time of Los Angeles, which must agree with the tz database.
@Suite("Time of Los Angeles")
struct PacificTimeTests {
    private func hours(_ text: String) throws -> Int64? {
        PacificTime.offset(at: try #require(Timestamp(rfc3339: text))).map { $0 / 3_600_000 }
    }

    @Test("clocks change at 2:00 on the second Sunday of March and the first Sunday of November")
    func changes() throws {
        // The last second before a change and the first one after it, from the tz database.
        let changes: [(String, Int64, String, Int64)] = [
            ("2007-03-11T09:59:59Z", -8, "2007-03-11T10:00:00Z", -7),
            ("2007-11-04T08:59:59Z", -7, "2007-11-04T09:00:00Z", -8),
            ("2015-03-08T09:59:59.999Z", -8, "2015-03-08T10:00:00Z", -7),
            ("2015-11-01T08:59:59.999Z", -7, "2015-11-01T09:00:00Z", -8),
            ("2019-03-10T09:59:59Z", -8, "2019-03-10T10:00:00Z", -7),
            ("2024-03-10T09:59:59Z", -8, "2024-03-10T10:00:00Z", -7),
            ("2024-11-03T08:59:59Z", -7, "2024-11-03T09:00:00Z", -8),
            ("2037-11-01T08:59:59Z", -7, "2037-11-01T09:00:00Z", -8),
        ]
        for (before, offset, after, next) in changes {
            #expect(try hours(before) == offset, "\(before)")
            #expect(try hours(after) == next, "\(after)")
        }
        #expect(try hours("2025-12-31T23:59:59Z") == -8)
        #expect(try hours("2026-07-01T00:00:00Z") == -7)
    }

    @Test("there is no offset before 2007, when other rules applied, and there is one up to the year 9999")
    func limits() throws {
        #expect(try hours("2006-12-31T23:59:59Z") == nil)
        #expect(try hours("2007-01-01T00:00:00Z") == -8)
        let limits = [Timestamp.minimum, .maximum].map { PacificTime.offset(at: $0) }
        #expect(limits == [nil, -8 * 3_600_000])
    }

    @Test(
        "the rule agrees with the tz database in each hour of 2007 to 2037",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/America/Los_Angeles"), "needs tzdata"))
    func agreement() throws {
        let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
        let start = try #require(Timestamp(rfc3339: "2007-01-01T00:00:00Z")).millisecondsSince1970
        let end = try #require(Timestamp(rfc3339: "2038-01-01T00:00:00Z")).millisecondsSince1970
        var differences = 0
        for milliseconds in stride(from: start, to: end, by: 3_600_000) {
            let time = try #require(Timestamp(milliseconds: milliseconds))
            let expected = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds / 1000)))
            if PacificTime.offset(at: time) != Int64(expected) * 1000 { differences += 1 }
        }
        #expect(differences == 0)
    }
}
