internal import PurchaseCore
internal import ReceiptTypes

// The grace period and billing retry of a subscription whose renewal payment fails, at each time rate.
extension TimeRate {
    /// The length of billing retry in days.
    private static let retryDays: Int64 = 60

    /// Returns the length of the grace period in days: 6 for weekly subscriptions, 16 for all others.
    private static func graceDays(for period: BillingPeriod) -> Int64 { isWeekly(period) ? 6 : 16 }

    private static func isWeekly(_ period: BillingPeriod) -> Bool { period.months == 0 && period.days <= 7 }

    /// Returns the end of the grace period of a subscription that was due to renew at `start`.
    func graceEnd(of period: BillingPeriod, from start: Timestamp) -> Timestamp {
        switch pace {
        case .calendar: start.adding(milliseconds: Self.graceDays(for: period) * Self.fullDay)
        case .day(let unit): start.adding(milliseconds: Self.graceDays(for: period) * unit)
        case .month(let unit): start.adding(milliseconds: Self.isWeekly(period) ? (unit * 2 + 3) / 7 : unit / 2)
        case .renewal(let unit): start.adding(milliseconds: unit)
        }
    }

    /// Returns the end of billing retry of a subscription that was due to renew at `start`.
    func retryEnd(from start: Timestamp) -> Timestamp {
        switch pace {
        case .calendar: start.adding(milliseconds: Self.retryDays * Self.fullDay)
        case .day(let unit): start.adding(milliseconds: Self.retryDays * unit)
        case .month(let unit), .renewal(let unit): start.adding(milliseconds: 2 * unit)
        }
    }
}
