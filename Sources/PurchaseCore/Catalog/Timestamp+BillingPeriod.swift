public import ReceiptTypes

extension Timestamp {
    /// The instant some periods later in the calendar of UTC, clamped at the year 9999.
    ///
    /// A day that the month does not have becomes its last one: a month after 31 January is the end of February. Several
    /// periods are added at once, because one after the other would drift: two months after 31 January is 31 March.
    public func adding(_ period: BillingPeriod, times count: Int = 1) -> Timestamp {
        let (months, manyMonths) = Int64(period.months).multipliedReportingOverflow(by: Int64(count))
        let (days, manyDays) = Int64(period.days).multipliedReportingOverflow(by: Int64(count))
        // A hundred thousand years are beyond every clamp, and far from every overflow.
        guard !manyMonths, !manyDays, months.magnitude < 1_200_000, days.magnitude < 36_500_000
        else { return count < 0 ? .minimum : .maximum }
        let (day, time) = millisecondsSince1970.quotientAndRemainderFloored(dividingBy: Self.millisecondsPerDay)
        let start = CivilDate(daysSince1970: day)
        let (years, month) = (start.month - 1 + months).quotientAndRemainderFloored(dividingBy: 12)
        let year = start.year + years
        guard (0...9999).contains(year) else { return year < 0 ? .minimum : .maximum }
        let last = CivilDate.days(inMonth: month + 1, of: year)
        guard let date = CivilDate(year: year, month: month + 1, day: min(start.day, last)) else { return .maximum }
        return Timestamp(clamping: (date.daysSince1970 + days) * Self.millisecondsPerDay + time)
    }

    /// A day of 24 hours.
    static let millisecondsPerDay: Int64 = 86_400_000
}
