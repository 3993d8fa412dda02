public import ReceiptTypes

/// A length of time in calendar months and days, as ISO 8601 writes it.
///
/// A year is exactly twelve months and a week exactly seven days, so `P7D` and `P1W` are the same period. Months and
/// days are never converted into each other, because the length of a month depends on the calendar.
public struct BillingPeriod: Sendable, Hashable {
    /// The number of months.
    public let months: Int
    /// The number of days in addition to the months.
    public let days: Int

    /// The largest accepted number of months or days, about a thousand years of days.
    private static let limit = Int(ISO8601Duration.limit)

    /// Creates a period; nil if a number is negative or above 400,000, or if both are zero.
    public init?(months: Int = 0, days: Int = 0) {
        guard (0...Self.limit).contains(months), (0...Self.limit).contains(days), months > 0 || days > 0
        else { return nil }
        self.months = months
        self.days = days
    }

    private init(_ months: Int, _ days: Int) {
        self.months = months
        self.days = days
    }

    /// Parses an ISO 8601 period such as `P1W`, `P3M` or `P1Y6M`; nil for any other string.
    public init?(iso8601 text: String) {
        // A period has no clock part, not even one of zero.
        guard !text.utf8.contains(UInt8(ascii: "T")), let duration = ISO8601Duration(text) else { return nil }
        self.init(months: Int(duration.months), days: Int(duration.days))
    }

    /// Seven days.
    public static let week = Self(0, 7)
    /// One calendar month.
    public static let month = Self(1, 0)
    /// Twelve calendar months.
    public static let year = Self(12, 0)
}

extension BillingPeriod: CustomStringConvertible {
    /// The shortest ISO 8601 form: `P1W`, `P1Y6M`, `P10D`.
    public var description: String {
        var text = "P"
        if months >= 12 { text += "\(months / 12)Y" }
        if months % 12 > 0 { text += "\(months % 12)M" }
        if days > 0 { text += days.isMultiple(of: 7) ? "\(days / 7)W" : "\(days)D" }
        return text
    }
}

extension BillingPeriod: Codable {
    /// Decodes an ISO 8601 string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let period = BillingPeriod(iso8601: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an ISO 8601 period")
        }
        self = period
    }

    /// Encodes the ISO 8601 string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Timestamp {
    /// Returns the instant a number of periods later in the UTC calendar, clamped to the years 0 to 9999.
    ///
    /// A day that the target month lacks becomes the month's last day: one month after 31 January is the end of
    /// February. All periods are added at once, because adding them one by one would drift: two months after 31 January
    /// is 31 March.
    public func adding(_ period: BillingPeriod, times count: Int = 1) -> Timestamp {
        let (months, manyMonths) = Int64(period.months).multipliedReportingOverflow(by: Int64(count))
        let (days, manyDays) = Int64(period.days).multipliedReportingOverflow(by: Int64(count))
        guard !manyMonths, !manyDays else { return count < 0 ? .minimum : .maximum }
        return adding(months: months, days: days)
    }
}
