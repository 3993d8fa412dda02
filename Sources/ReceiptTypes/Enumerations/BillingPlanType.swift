/// How a subscription with a commitment is billed.
public struct BillingPlanType: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `BILLED_UPFRONT`
    public static let billedUpfront = Self(rawValue: "BILLED_UPFRONT")
    /// `MONTHLY`
    public static let monthly = Self(rawValue: "MONTHLY")

    /// The documented values.
    public static let known: [Self] = [
        .billedUpfront, .monthly,
    ]
}
