/// An amount of money in thousandths of a currency unit: 1.99 is 1990.
///
/// The amount is an integer, because a floating-point number cannot represent 39.99 exactly.
public struct Milliunits: Sendable, Hashable, Comparable {
    /// The amount in thousandths of a currency unit.
    public let rawValue: Int64

    /// Creates an amount from thousandths of a currency unit.
    public init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Returns whether the first amount is less than the second.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension Milliunits: CustomStringConvertible {
    /// The exact decimal with at least two decimal places: `1.99`, `230.00`, `0.125`.
    public var description: String {
        let (units, rest) = rawValue.magnitude.quotientAndRemainder(dividingBy: 1000)
        var places = String(rest + 1000).dropFirst()
        if places.last == "0" { places = places.dropLast() }
        return "\(rawValue < 0 ? "-" : "")\(units).\(places)"
    }
}

extension Milliunits: Codable {
    /// Decodes an integer number of thousandths.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Encodes the amount as an integer number of thousandths.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
