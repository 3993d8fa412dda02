/// How far a price increase has come.
public struct PriceIncreaseInfoStatus: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `SCHEDULED`
    public static let scheduled = Self(rawValue: "SCHEDULED")
    /// `PENDING`
    public static let pending = Self(rawValue: "PENDING")
    /// `ACCEPTED`
    public static let accepted = Self(rawValue: "ACCEPTED")

    /// The documented values.
    public static let known: [Self] = [
        .scheduled, .pending, .accepted,
    ]
}
