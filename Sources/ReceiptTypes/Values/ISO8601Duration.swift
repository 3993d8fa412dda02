/// An ISO 8601 duration, such as `P1M`, `P3DT12H` or `PT90S`.
///
/// Months and days are never converted into each other, because the length of a month depends on the calendar.
package struct ISO8601Duration: Sendable, Hashable {
    /// The number of calendar months; a year has twelve.
    package let months: Int64
    /// The number of days in addition to the months; a week has seven.
    package let days: Int64
    /// The clock part.
    package let milliseconds: Int64

    /// The largest accepted number of months or days, about a thousand years of days.
    package static let limit: Int64 = 400_000

    private static let calendarUnits: [Unit] = [
        Unit("Y", months: 12), Unit("M", months: 1), Unit("W", days: 7), Unit("D", days: 1),
    ]
    private static let clockUnits: [Unit] = [
        Unit("H", milliseconds: 3_600_000), Unit("M", milliseconds: 60_000), Unit("S", milliseconds: 1000),
    ]

    /// Parses a duration; nil if the text is malformed, its length is zero, or its months or days are above 400,000.
    package init?(_ text: String) {
        var rest = text.utf8[...]
        guard rest.popFirst() == UInt8(ascii: "P") else { return nil }
        let parts = rest.split(separator: UInt8(ascii: "T"), maxSplits: 1, omittingEmptySubsequences: false)
        // Six digits of years and nine digits of hours cannot overflow a sum.
        guard let calendar = Unit.sum(of: parts[0], in: Self.calendarUnits, maximumDigits: 6),
            let clock = parts.count == 2 ? Unit.sum(of: parts[1], in: Self.clockUnits, maximumDigits: 9) : .zero,
            parts.count == 1 || !parts[1].isEmpty, calendar.months <= Self.limit, calendar.days <= Self.limit,
            calendar != .zero || clock != .zero
        else { return nil }
        months = calendar.months
        days = calendar.days
        milliseconds = clock.milliseconds
    }

    /// Returns the time that is this duration after another one: the calendar part is added first.
    package func after(_ start: Timestamp) -> Timestamp {
        start.adding(months: months, days: days).adding(milliseconds: milliseconds)
    }

    /// Returns the time that is this duration before another one: the calendar part is subtracted first.
    package func before(_ end: Timestamp) -> Timestamp {
        end.adding(months: -months, days: -days).adding(milliseconds: -milliseconds)
    }
}

/// The letter of a unit and its length, or a sum of such lengths.
private struct Unit: Equatable {
    var letter: UInt8 = 0
    var months: Int64 = 0
    var days: Int64 = 0
    var milliseconds: Int64 = 0

    static let zero = Unit()

    private init() {}

    init(_ letter: Unicode.Scalar, months: Int64 = 0, days: Int64 = 0, milliseconds: Int64 = 0) {
        self.letter = UInt8(ascii: letter)
        self.months = months
        self.days = days
        self.milliseconds = milliseconds
    }

    /// Parses numbers with the letters of units, which ISO 8601 requires in this order and each at most once.
    static func sum(of text: Substring.UTF8View, in units: [Unit], maximumDigits: Int) -> Unit? {
        var (rest, units, sum) = (text, units[...], Unit.zero)
        while !rest.isEmpty {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard !digits.isEmpty, digits.count <= maximumDigits,
                let number = Int64(String(decoding: digits, as: UTF8.self))
            else { return nil }
            rest = rest.dropFirst(digits.count)
            guard let letter = rest.popFirst(), let place = units.firstIndex(where: { $0.letter == letter })
            else { return nil }
            sum.months += number * units[place].months
            sum.days += number * units[place].days
            sum.milliseconds += number * units[place].milliseconds
            units = units[(place + 1)...]
        }
        return sum
    }
}

extension Timestamp {
    /// The milliseconds of a day of 24 hours.
    package static let millisecondsPerDay: Int64 = 86_400_000

    /// Returns the instant some calendar months and days later in UTC, or earlier for negative numbers, within the
    /// years 0 to 9999.
    ///
    /// A day that the target month lacks becomes the month's last day: one month after 31 January is the end of
    /// February.
    package func adding(months: Int64, days: Int64) -> Timestamp {
        // A hundred thousand years: beyond every limit, and far below any overflow.
        guard months.magnitude < 1_200_000, days.magnitude < 36_500_000
        else { return months < 0 || days < 0 ? .minimum : .maximum }
        let (day, time) = millisecondsSince1970.quotientAndRemainderFloored(dividingBy: Self.millisecondsPerDay)
        let start = CivilDate(daysSince1970: day)
        let (years, month) = (start.month - 1 + months).quotientAndRemainderFloored(dividingBy: 12)
        let year = start.year + years
        guard (0...9999).contains(year) else { return year < 0 ? .minimum : .maximum }
        let last = CivilDate.days(inMonth: month + 1, of: year)
        guard let date = CivilDate(year: year, month: month + 1, day: min(start.day, last)) else { return .maximum }
        return Timestamp(clamping: (date.daysSince1970 + days) * Self.millisecondsPerDay + time)
    }
}
