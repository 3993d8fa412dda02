/// Whether a subscription renews by itself.
public struct AutoRenewStatus: NumberedEnum {
    /// The number as the store sends it.
    public let rawValue: Int32

    /// Takes any number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Off.
    public static let off = Self(rawValue: 0)
    /// On.
    public static let on = Self(rawValue: 1)

    /// The documented numbers and what they mean.
    public static let meanings: KeyValuePairs<Self, String> = [
        .off: "off",
        .on: "on",
    ]
}
