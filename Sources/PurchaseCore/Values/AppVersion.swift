/// A version of an app, such as `2.10`: numbers between dots, which are compared one after the other.
///
/// `2.10` is later than `2.9`, and `3` is the same as `3.0`.
public struct AppVersion: Sendable {
    /// The decimal digits of each component without leading zeros, and without components of zero at the end.
    private let components: [String]

    /// The largest number of components and of digits in one; no store has more.
    private static let limit = 40

    /// Reads a version; nil if a component is not a decimal number.
    public init?(_ text: String) {
        var components: [String] = []
        for component in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            let isNumber = component.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard isNumber, !component.isEmpty, component.count <= Self.limit, components.count < Self.limit
            else { return nil }
            let digits = component.drop { $0 == UInt8(ascii: "0") }
            components.append(digits.isEmpty ? "0" : String(decoding: digits, as: UTF8.self))
        }
        self.init(components: components)
    }

    /// Creates a version from its numbers: `AppVersion(2, 10)` is `2.10`.
    public init(_ first: UInt, _ others: UInt...) {
        self.init(components: ([first] + others).map { "\($0)" })
    }

    private init(components: [String]) {
        var components = components
        while components.count > 1, components.last == "0" { components.removeLast() }
        self.components = components
    }
}

extension AppVersion: Comparable, Hashable, CustomStringConvertible {
    /// Returns whether the first version is earlier.
    public static func < (left: Self, right: Self) -> Bool {
        for index in 0..<max(left.components.count, right.components.count) {
            let (number, other) = (left.component(index), right.component(index))
            if number == other { continue }
            return number.utf8.count == other.utf8.count ? number.precedes(other) : number.utf8.count < other.utf8.count
        }
        return false
    }

    private func component(_ index: Int) -> String { index < components.count ? components[index] : "0" }

    /// The version without zeros that say nothing, such as `3` for `3.0`.
    public var description: String { components.joined(separator: ".") }
}

extension AppVersion: Codable {
    /// Decodes a version from a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let version = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a version is numbers between dots, such as 2.10, and not \(text)")
        }
        self = version
    }

    /// Encodes the version as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
