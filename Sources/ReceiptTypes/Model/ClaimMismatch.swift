/// A known field whose value has another type than it must have.
public struct ClaimMismatch: Sendable, Hashable {
    /// Where the field is, such as `advancedCommerceInfo.items[2].price`.
    public let path: String
    /// What it has to be, in words.
    public let expected: String
    /// What it is, in words.
    public let actual: String

    /// Describes a mismatch.
    public init(path: String, expected: String, actual: String) {
        self.path = path
        self.expected = expected
        self.actual = actual
    }
}
