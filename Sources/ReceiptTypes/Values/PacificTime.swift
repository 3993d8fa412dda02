/// The civil time of Los Angeles, in which the responses of the App Store repeat each date.
///
/// A fixed rule replaces the tz database, so that a response is the same on every machine: clocks are one hour ahead
/// from 2:00 on the second Sunday of March to 2:00 on the first Sunday of November, as United States law has required
/// since 2007. No app receipt has earlier dates. If that law changes, so must this rule.
package enum PacificTime {
    private static let hour: Int64 = 3_600_000
    private static let firstYear: Int64 = 2007

    /// Returns the difference from UTC in milliseconds; nil before 2007.
    package static func offset(at time: Timestamp) -> Int64? {
        let milliseconds = time.millisecondsSince1970
        let day = milliseconds.quotientAndRemainderFloored(dividingBy: 24 * hour).quotient
        let year = CivilDate(daysSince1970: day).year
        guard year >= firstYear, let march = firstSunday(of: 3, year), let november = firstSunday(of: 11, year)
        else { return nil }
        // 2:00 is 10:00 in UTC before the clocks are set forward, and 9:00 before they are set back.
        let start = (march + 7) * 24 * hour + 10 * hour
        let end = november * 24 * hour + 9 * hour
        return (start..<end).contains(milliseconds) ? -7 * hour : -8 * hour
    }

    /// Returns the first Sunday of a month, in days since 1970.
    private static func firstSunday(of month: Int64, _ year: Int64) -> Int64? {
        guard let first = CivilDate(year: year, month: month, day: 1)?.daysSince1970 else { return nil }
        // Day 3 since 1970 was a Sunday.
        return first + (3 - first).quotientAndRemainderFloored(dividingBy: 7).remainder
    }
}
