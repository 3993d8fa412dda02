/// The state of a subscription.
public struct SubscriptionStatus: NumberedEnum {
    /// The number as the store sends it.
    public let rawValue: Int32

    /// Takes any number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Active.
    public static let active = Self(rawValue: 1)
    /// Expired.
    public static let expired = Self(rawValue: 2)
    /// In billing retry.
    public static let billingRetry = Self(rawValue: 3)
    /// In its grace period.
    public static let gracePeriod = Self(rawValue: 4)
    /// Revoked.
    public static let revoked = Self(rawValue: 5)

    /// The documented numbers and what they mean.
    public static let meanings: KeyValuePairs<Self, String> = [
        .active: "active",
        .expired: "expired",
        .billingRetry: "in billing retry",
        .gracePeriod: "in its grace period",
        .revoked: "revoked",
    ]
}
