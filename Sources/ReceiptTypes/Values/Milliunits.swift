/// An amount of money in thousandths of the currency's main unit; 1.99 is 1990.
///
/// Money is never a floating-point number here: 39.99 has no exact form as one.
public struct Milliunits: Sendable, Hashable, Comparable {
    /// The amount in thousandths.
    public let rawValue: Int64

    /// Takes an amount in thousandths.
    public init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Whether the first amount is the smaller one.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension Milliunits: CustomStringConvertible {
    /// The exact decimal with at least two places: `1.99`, `230.00`, `0.125`.
    public var description: String {
        let (units, rest) = rawValue.magnitude.quotientAndRemainder(dividingBy: 1000)
        var places = String(rest + 1000).dropFirst()
        if places.last == "0" { places = places.dropLast() }
        return "\(rawValue < 0 ? "-" : "")\(units).\(places)"
    }
}

extension Milliunits: FieldValue {
    /// The JSON that the field takes.
    public static var shape: FieldShape { .integer64 }

    /// Reads the field; nil for JSON of another shape.
    public init?(json: JSONValue) {
        guard let value = json.integer else { return nil }
        self.init(value)
    }

    /// The field as JSON.
    public var json: JSONValue { .integer(rawValue) }

    /// The field as a person reads it.
    public var displayText: String { description }
}
