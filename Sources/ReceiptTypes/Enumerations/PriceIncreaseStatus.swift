/// Whether the customer has accepted a price increase.
public struct PriceIncreaseStatus: NumberedEnum {
    /// The number as the store sends it.
    public let rawValue: Int32

    /// Takes any number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Not yet accepted.
    public static let pending = Self(rawValue: 0)
    /// Accepted.
    public static let accepted = Self(rawValue: 1)

    /// The documented numbers and what they mean.
    public static let meanings: KeyValuePairs<Self, String> = [
        .pending: "not yet accepted",
        .accepted: "accepted",
    ]
}
