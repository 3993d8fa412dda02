internal import PurchaseCore
internal import ReceiptTypes

/// The speed at which subscriptions renew: the `_timeRate` number of a `.storekit` file.
public struct TimeRate: RawRepresentable, Sendable, Hashable, Codable {
    /// The number in the file.
    public let rawValue: Int

    /// Creates a rate from any number; an unknown number means real time.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Subscriptions renew by the calendar, as in the App Store.
    public static let realTime = Self(rawValue: 0)

    /// The numbers that have a meaning.
    public static let known: [Int] = Array(0...6) + Array(10...13) + [15] + Array(1000...1005)
}

// The meaning of each number. The StoreKitTest header names them, and `.storekit` files that carry an old and a new
// number side by side (`_timeRate` and `_compatibilityTimeRate`) agree with it.
extension TimeRate {
    /// The unit by which a rate shortens periods.
    enum Pace: Hashable, Sendable {
        /// Calendar months and days, as in the App Store.
        case calendar
        /// A day lasts the given number of milliseconds.
        case day(Int64)
        /// A month lasts the given number of milliseconds, and a week a third of it.
        case month(Int64)
        /// Every period lasts the given number of milliseconds, independent of its length.
        case renewal(Int64)
    }

    private static let second: Int64 = 1000
    private static let minute: Int64 = 60 * second
    private static let hour: Int64 = 60 * minute
    static let fullDay: Int64 = 24 * hour

    /// The pace of each known number.
    static let table: KeyValuePairs<Int, Pace> = [
        0: .calendar,
        1: .day(hour), 2: .day(30 * minute), 3: .day(5 * minute), 4: .day(minute), 5: .day(30 * second),
        6: .day(second),
        10: .month(hour), 11: .month(30 * minute), 12: .month(15 * minute), 13: .month(5 * minute),
        15: .month(30 * second),
        1000: .renewal(15 * minute), 1001: .renewal(5 * minute), 1002: .renewal(minute), 1003: .renewal(30 * second),
        1004: .renewal(10 * second), 1005: .renewal(2 * second),
    ]

    /// The pace of this rate; that of real time for an unknown number.
    var pace: Pace { Self.table.first { $0.key == rawValue }?.value ?? .calendar }

    /// Returns the length of a period in nominal days: 30 for a month, 365 for twelve months.
    private static func nominalDays(_ period: BillingPeriod) -> Int64 {
        let (years, months) = period.months.quotientAndRemainder(dividingBy: 12)
        return Int64(years) * 365 + Int64(months) * 30 + Int64(period.days)
    }

    /// Returns the length of a period in milliseconds, or nil where it depends on the calendar.
    private func milliseconds(_ period: BillingPeriod) -> Int64? {
        switch pace {
        case .calendar: nil
        // Cannot overflow: no period has more than 12 million days, and no unit is longer than a day.
        case .day(let unit): Self.nominalDays(period) * unit
        case .month(let unit): Int64(period.months) * unit + (Int64(period.days) * unit + 20) / 21
        case .renewal(let unit): unit
        }
    }
}

extension TimeRate {
    /// Returns the end of `count` consecutive periods that begin at `start`.
    func end(of period: BillingPeriod, times count: Int = 1, from start: Timestamp) -> Timestamp {
        guard let length = milliseconds(period) else { return start.adding(period, times: count) }
        // At a fixed renewal rate, a transaction that covers several periods lasts as long as one period.
        if case .renewal = pace { return start.adding(milliseconds: length) }
        let (total, overflow) = length.multipliedReportingOverflow(by: Int64(count))
        return start.adding(milliseconds: overflow ? .max : max(1, total))
    }
}
