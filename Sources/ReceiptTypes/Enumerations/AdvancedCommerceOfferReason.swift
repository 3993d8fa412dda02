/// Why an offer is made.
public struct AdvancedCommerceOfferReason: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `ACQUISITION`
    public static let acquisition = Self(rawValue: "ACQUISITION")
    /// `WIN_BACK`
    public static let winBack = Self(rawValue: "WIN_BACK")
    /// `RETENTION`
    public static let retention = Self(rawValue: "RETENTION")

    /// The documented values.
    public static let known: [Self] = [
        .acquisition, .winBack, .retention,
    ]
}
