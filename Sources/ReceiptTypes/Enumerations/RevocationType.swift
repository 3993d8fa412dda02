/// How a purchase was revoked.
public struct RevocationType: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `REFUND_FULL`
    public static let refundFull = Self(rawValue: "REFUND_FULL")
    /// `REFUND_PRORATED`
    public static let refundProrated = Self(rawValue: "REFUND_PRORATED")
    /// `FAMILY_REVOKE`
    public static let familyRevoke = Self(rawValue: "FAMILY_REVOKE")

    /// The documented values.
    public static let known: [Self] = [
        .refundFull, .refundProrated, .familyRevoke,
    ]
}
