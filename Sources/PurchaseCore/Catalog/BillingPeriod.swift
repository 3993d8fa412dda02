/// A length of time in calendar units: months and days, as ISO 8601 writes them.
///
/// A year is twelve months and a week is seven days, exactly, so that `P7D` and `P1W` are the same period. How long a
/// month is, only a calendar can say: months and days are never turned into each other.
public struct BillingPeriod: Sendable, Hashable {
    /// The whole months.
    public let months: Int
    /// The days beside them.
    public let days: Int

    /// The longest that is taken, in either unit: a thousand years.
    private static let limit = 400_000

    /// Takes months and days; nil where one of them is negative or beyond a thousand years, or both are zero.
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

    /// Reads a period such as `P1W`, `P3M` or `P1Y6M`; nil for any other text.
    public init?(iso8601 text: String) {
        var units = text.utf8[...]
        guard units.popFirst() == UInt8(ascii: "P") else { return nil }
        var months = 0
        var days = 0
        // ISO 8601 wants them in this order, and each at most once.
        var designators = [UInt8]("YMWD".utf8)[...]
        while !units.isEmpty {
            let digits = units.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard !digits.isEmpty, digits.count <= 6, let number = Int(String(decoding: digits, as: UTF8.self))
            else { return nil }
            units = units.dropFirst(digits.count)
            guard let unit = units.popFirst(), let place = designators.firstIndex(of: unit) else { return nil }
            designators = designators[(place + 1)...]
            switch unit {
            case UInt8(ascii: "Y"): months += number * 12
            case UInt8(ascii: "M"): months += number
            case UInt8(ascii: "W"): days += number * 7
            default: days += number
            }
        }
        self.init(months: months, days: days)
    }

    /// Seven days.
    public static let week = Self(0, 7)
    /// A calendar month.
    public static let month = Self(1, 0)
    /// Twelve calendar months.
    public static let year = Self(12, 0)
}

extension BillingPeriod: CustomStringConvertible {
    /// The shortest text that ISO 8601 has for it: `P1W`, `P1Y6M`, `P10D`.
    public var description: String {
        var text = "P"
        if months >= 12 { text += "\(months / 12)Y" }
        if months % 12 > 0 { text += "\(months % 12)M" }
        if days > 0 { text += days.isMultiple(of: 7) ? "\(days / 7)W" : "\(days)D" }
        return text
    }
}

extension BillingPeriod: Codable {
    /// Reads the ISO 8601 text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let period = BillingPeriod(iso8601: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no ISO 8601 period")
        }
        self = period
    }

    /// Writes the ISO 8601 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
