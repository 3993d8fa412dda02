/// Why the store paid a purchase back.
public struct RevocationReason: NumberedEnum {
    /// The number as the store sends it.
    public let rawValue: Int32

    /// Takes any number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Other.
    public static let other = Self(rawValue: 0)
    /// An issue with the app.
    public static let issue = Self(rawValue: 1)

    /// The documented numbers and what they mean.
    public static let meanings: KeyValuePairs<Self, String> = [
        .other: "other",
        .issue: "an issue with the app",
    ]
}
