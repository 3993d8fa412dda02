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
