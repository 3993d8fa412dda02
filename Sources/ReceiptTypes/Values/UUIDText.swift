/// A text that should be a UUID, kept unchanged even if it is not one.
public struct UUIDText: Sendable, Hashable {
    /// The unchanged text.
    public let rawValue: String

    /// Creates a value from any text.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Whether the text has the form of a UUID: 8, 4, 4, 4 and 12 hexadecimal digits (RFC 9562 section 4).
    public var isUUID: Bool {
        let characters = rawValue.utf8
        guard characters.count == 36 else { return false }
        return characters.enumerated().allSatisfy { index, character in
            switch index {
            case 8, 13, 18, 23: character == UInt8(ascii: "-")
            default: Self.isHexadecimal(character)
            }
        }
    }

    private static func isHexadecimal(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

extension UUIDText {
    /// Returns whether both texts have the same bytes, without Unicode normalization.
    ///
    /// A value can be any text that an app passes to a store, and two accounts must never be taken for one.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isIdentical(to: right.rawValue) }

    // Texts of the same bytes have the same hash. Equivalent texts collide, which costs one comparison.
    /// Feeds the text into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension UUIDText {
    /// Returns a version 4 UUID in lower case (RFC 9562 section 5.4).
    package static func random(using generator: inout some RandomNumberGenerator) -> UUIDText {
        let high: UInt64 = generator.next() & ~0xf000 | 0x4000
        let low: UInt64 = generator.next() >> 2 | 0x8000_0000_0000_0000
        let digits = [high, low].map { value in
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(0, 16 - text.count)) + text
        }.joined()
        var rest = digits[...]
        return UUIDText(
            [8, 4, 4, 4, 12].map { length in
                defer { rest = rest.dropFirst(length) }
                return String(rest.prefix(length))
            }.joined(separator: "-")
        )
    }
}

extension UUIDText: CustomStringConvertible {
    /// The unchanged text.
    public var description: String { rawValue }
}

extension UUIDText: Codable {
    /// Decodes any string.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
