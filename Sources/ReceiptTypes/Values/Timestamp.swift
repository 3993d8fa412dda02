/// An instant in milliseconds since 1970-01-01T00:00:00Z, the unit in which the stores give dates.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970, within the years 0 to 9999.
    public let millisecondsSince1970: Int64

    /// 0000-01-01T00:00:00Z. Xcode sends dates just before the year 1 where there is none to tell.
    public static let minimum = Timestamp(unchecked: -62_167_219_200_000)
    /// 9999-12-31T23:59:59.999Z
    public static let maximum = Timestamp(unchecked: 253_402_300_799_999)

    private init(unchecked milliseconds: Int64) {
        millisecondsSince1970 = milliseconds
    }

    /// Takes milliseconds since 1970; nil outside the years 0 to 9999.
    public init?(milliseconds: Int64) {
        guard (Self.minimum.millisecondsSince1970...Self.maximum.millisecondsSince1970).contains(milliseconds)
        else { return nil }
        millisecondsSince1970 = milliseconds
    }

    /// Takes milliseconds with a fraction, rounded down; nil outside the years 0 to 9999 and for what is no number.
    public init?(decimalMilliseconds: Double) {
        let floored = decimalMilliseconds.rounded(.down)
        guard let milliseconds = Int64(exactly: floored) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    /// Whether the first instant is the earlier one.
    public static func < (left: Self, right: Self) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
}

extension Timestamp: FieldValue {
    /// The JSON that the field takes.
    public static var shape: FieldShape { .milliseconds }

    /// Reads the field; nil for JSON of another shape.
    public init?(json: JSONValue) {
        switch json {
        case .integer(let milliseconds): self.init(milliseconds: milliseconds)
        case .decimal(let milliseconds): self.init(decimalMilliseconds: milliseconds)
        default: return nil
        }
    }

    /// The field as JSON.
    public var json: JSONValue { .integer(millisecondsSince1970) }

    /// The field as a person reads it.
    public var displayText: String { description }
}
