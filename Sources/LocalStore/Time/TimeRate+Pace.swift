internal import PurchaseCore
internal import ReceiptTypes

// What the numbers mean, as one table: StoreKitTest's header names them, and `.storekit` files that bear an old and a new
// number side by side agree with it.
extension TimeRate {
    /// How time passes for subscriptions.
    enum Pace: Hashable, Sendable {
        /// As in the real store, by the calendar.
        case calendar
        /// A day lasts so many milliseconds.
        case day(Int64)
        /// A month lasts so many milliseconds, a week a third of it.
        case month(Int64)
        /// Each renewal comes after so many milliseconds, whatever the period.
        case renewal(Int64)
    }

    private static let second: Int64 = 1000
    private static let minute: Int64 = 60 * second
    private static let hour: Int64 = 60 * minute
    private static let fullDay: Int64 = 24 * hour

    /// The meaning of each number that has one.
    static let table: KeyValuePairs<Int, Pace> = [
        0: .calendar,
        1: .day(hour), 2: .day(30 * minute), 3: .day(5 * minute), 4: .day(minute), 5: .day(30 * second),
        6: .day(second),
        10: .month(hour), 11: .month(30 * minute), 12: .month(15 * minute), 13: .month(5 * minute),
        15: .month(30 * second),
        1000: .renewal(15 * minute), 1001: .renewal(5 * minute), 1002: .renewal(minute), 1003: .renewal(30 * second),
        1004: .renewal(10 * second), 1005: .renewal(2 * second),
    ]

    /// What this number means; an unknown one is real time.
    var pace: Pace { Self.table.first { $0.key == rawValue }?.value ?? .calendar }

    /// The days of billing retry.
    private static let retryDays: Int64 = 60

    /// The days of grace: six for a subscription by the week, sixteen for others.
    private static func graceDays(for period: BillingPeriod) -> Int64 { isWeekly(period) ? 6 : 16 }

    private static func isWeekly(_ period: BillingPeriod) -> Bool { period.months == 0 && period.days <= 7 }

    /// How long a period lasts in days, where a day is a unit: a month 30 of them, and twelve months 365.
    private static func nominalDays(_ period: BillingPeriod) -> Int64 {
        let (years, months) = period.months.quotientAndRemainder(dividingBy: 12)
        return Int64(years) * 365 + Int64(months) * 30 + Int64(period.days)
    }

    /// The milliseconds of a period; nil where a calendar has to say.
    private func milliseconds(_ period: BillingPeriod) -> Int64? {
        switch pace {
        case .calendar: nil
        // No period has more than 12 million days, and no unit more than a day of milliseconds: far from any overflow.
        case .day(let unit): Self.nominalDays(period) * unit
        case .month(let unit): Int64(period.months) * unit + (Int64(period.days) * unit + 20) / 21
        case .renewal(let unit): unit
        }
    }
}

extension TimeRate {
    /// When some periods end that begin at an instant.
    func end(of period: BillingPeriod, times count: Int = 1, from start: Timestamp) -> Timestamp {
        guard let length = milliseconds(period) else { return start.adding(period, times: count) }
        // At a fixed rate one renewal is one renewal, also when it pays for several periods.
        if case .renewal = pace { return start.adding(milliseconds: length) }
        let (total, overflow) = length.multipliedReportingOverflow(by: Int64(count))
        return start.adding(milliseconds: overflow ? .max : max(1, total))
    }

    /// When the grace period ends of a subscription that should have renewed at an instant.
    func graceEnd(of period: BillingPeriod, from start: Timestamp) -> Timestamp {
        switch pace {
        case .calendar: start.adding(milliseconds: Self.graceDays(for: period) * Self.fullDay)
        case .day(let unit): start.adding(milliseconds: Self.graceDays(for: period) * unit)
        case .month(let unit): start.adding(milliseconds: Self.isWeekly(period) ? (unit * 2 + 3) / 7 : unit / 2)
        case .renewal(let unit): start.adding(milliseconds: unit)
        }
    }

    /// When the store gives up to bill a subscription that should have renewed at an instant.
    func retryEnd(from start: Timestamp) -> Timestamp {
        switch pace {
        case .calendar: start.adding(milliseconds: Self.retryDays * Self.fullDay)
        case .day(let unit): start.adding(milliseconds: Self.retryDays * unit)
        case .month(let unit), .renewal(let unit): start.adding(milliseconds: 2 * unit)
        }
    }
}
