/// An ID that the store writes as a string or as an integer.
public struct StoreID: Sendable, Hashable {
    /// The ID as text.
    public let rawValue: String

    /// Creates an ID from any text.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Returns whether the IDs have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isIdentical(to: right.rawValue) }

    /// Feeds the ID into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension StoreID: FieldValue {
    /// A JSON string or integer.
    public static var shape: FieldShape { .stringOrInteger }

    /// Creates the value from a JSON string or integer.
    public init?(json: JSONValue) {
        switch json {
        case .string(let text): self.init(text)
        case .integer(let number): self.init(String(number))
        default: return nil
        }
    }

    /// The ID as a JSON string.
    public var json: JSONValue { .string(rawValue) }
}
