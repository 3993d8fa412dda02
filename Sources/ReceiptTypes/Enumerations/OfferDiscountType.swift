/// How an offer is paid.
public struct OfferDiscountType: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `FREE_TRIAL`
    public static let freeTrial = Self(rawValue: "FREE_TRIAL")
    /// `PAY_AS_YOU_GO`
    public static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
    /// `PAY_UP_FRONT`
    public static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
    /// `ONE_TIME`
    public static let oneTime = Self(rawValue: "ONE_TIME")

    /// The documented values.
    public static let known: [Self] = [
        .freeTrial, .payAsYouGo, .payUpFront, .oneTime,
    ]
}
