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
    public var description: String { text(decimals: 2) }

    /// Returns the exact decimal with at least a number of decimal places.
    package func text(decimals: Int) -> String {
        var text: [UInt8] = []
        append(decimals: decimals, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the exact decimal with at least a number of decimal places.
    package func append(decimals: Int, to output: inout [UInt8]) {
        let (units, rest) = rawValue.magnitude.quotientAndRemainder(dividingBy: 1000)
        if rawValue < 0 { output.append(UInt8(ascii: "-")) }
        output.append(contentsOf: String(units).utf8)
        let needed = rest == 0 ? 0 : rest % 100 == 0 ? 1 : rest % 10 == 0 ? 2 : 3
        let places = min(max(decimals, needed), 3)
        guard places > 0 else { return }
        output.append(UInt8(ascii: "."))
        var digits = rest
        for _ in 0..<places {
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digits / 100))
            digits = digits % 100 * 10
        }
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
