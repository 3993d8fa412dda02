/// How much money was paid back.
public struct RefundType: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `FULL`
    public static let full = Self(rawValue: "FULL")
    /// `PRORATED`
    public static let prorated = Self(rawValue: "PRORATED")
    /// `CUSTOM`
    public static let custom = Self(rawValue: "CUSTOM")

    /// The documented values.
    public static let known: [Self] = [
        .full, .prorated, .custom,
    ]
}
