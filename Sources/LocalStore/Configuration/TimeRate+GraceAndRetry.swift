internal import PurchaseCore
internal import ReceiptTypes

// The grace period and billing retry of a subscription whose renewal payment fails, at each time rate.
extension TimeRate {
    /// The length of billing retry in days.
    private static let retryDays: Int64 = 60

    /// Returns the length of the grace period in days; it is at most 6 for weekly subscriptions.
    private static func days(of grace: StoreSettings.GracePeriod, for period: BillingPeriod) -> Int64 {
        isWeekly(period) ? min(6, Int64(grace.rawValue)) : Int64(grace.rawValue)
    }

    private static func isWeekly(_ period: BillingPeriod) -> Bool { period.months == 0 && period.days <= 7 }

    /// Returns the end of the grace period of a subscription that was due to renew at `start`.
    ///
    /// At a rate that shortens months, 16 days are half a month and the others in proportion, while a week is a third
    /// of a month. At a fixed renewal rate, each grace period is as long as a period.
    func graceEnd(
        of period: BillingPeriod, _ grace: StoreSettings.GracePeriod = .sixteenDays, from start: Timestamp
    ) -> Timestamp {
        let days = Self.days(of: grace, for: period)
        return switch pace {
        case .calendar: start.adding(milliseconds: days * Self.fullDay)
        case .day(let unit): start.adding(milliseconds: days * unit)
        case .month(let unit):
            start.adding(milliseconds: Self.isWeekly(period) ? (unit * days + 10) / 21 : unit * days / 32)
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
