/// An instant in milliseconds since 1970-01-01T00:00:00Z, the unit of every date in a payload.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// The milliseconds since 1970, within the years 0 to 9999.
    public let millisecondsSince1970: Int64

    /// 0000-01-01T00:00:00Z. Xcode sends dates just before the year 1 in place of an absent date.
    public static let minimum = Timestamp(unchecked: -62_167_219_200_000)
    /// 9999-12-31T23:59:59.999Z
    public static let maximum = Timestamp(unchecked: 253_402_300_799_999)

    private init(unchecked milliseconds: Int64) {
        millisecondsSince1970 = milliseconds
    }

    /// Creates an instant from milliseconds since 1970; nil outside the years 0 to 9999.
    public init?(milliseconds: Int64) {
        guard (Self.minimum.millisecondsSince1970...Self.maximum.millisecondsSince1970).contains(milliseconds)
        else { return nil }
        millisecondsSince1970 = milliseconds
    }

    /// Creates an instant from milliseconds with a fraction, rounded down; nil for NaN and outside the years 0 to 9999.
    public init?(decimalMilliseconds: Double) {
        let floored = decimalMilliseconds.rounded(.down)
        guard let milliseconds = Int64(exactly: floored) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    /// Returns whether the first instant is earlier than the second.
    public static func < (left: Self, right: Self) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
}

extension Timestamp {
    /// Creates the instant within the years 0 to 9999 that is nearest to a number of milliseconds since 1970.
    package init(clamping milliseconds: Int64) {
        let clamped = min(
            max(milliseconds, Timestamp.minimum.millisecondsSince1970), Timestamp.maximum.millisecondsSince1970)
        self = Timestamp(milliseconds: clamped) ?? .minimum
    }

    /// Returns the instant some milliseconds later, or earlier for a negative number, within the years 0 to 9999.
    package func adding(milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        return Timestamp(clamping: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }
}

extension Timestamp: Codable {
    /// Decodes an integer number of milliseconds since 1970.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let instant = Timestamp(milliseconds: try container.decode(Int64.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not within the years 0 to 9999")
        }
        self = instant
    }

    /// Encodes the instant as an integer number of milliseconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(millisecondsSince1970)
    }
}
