/// The state of a purchase on Google Play.
public struct PlayPurchaseState: NumberedEnum {
    /// The number as the store sends it.
    public let rawValue: Int32

    /// Takes any number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Purchased.
    public static let purchased = Self(rawValue: 0)
    /// Cancelled.
    public static let cancelled = Self(rawValue: 1)
    /// Pending.
    public static let pending = Self(rawValue: 2)

    /// The documented numbers and what they mean.
    public static let meanings: KeyValuePairs<Self, String> = [
        .purchased: "purchased",
        .cancelled: "cancelled",
        .pending: "pending",
    ]
}
