/// Why a customer asks for a refund.
public struct ConsumptionRequestReason: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `UNINTENDED_PURCHASE`
    public static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
    /// `FULFILLMENT_ISSUE`
    public static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
    /// `UNSATISFIED_WITH_PURCHASE`
    public static let unsatisfiedWithPurchase = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// `LEGAL`
    public static let legal = Self(rawValue: "LEGAL")
    /// `OTHER`
    public static let other = Self(rawValue: "OTHER")

    /// The documented values.
    public static let known: [Self] = [
        .unintendedPurchase, .fulfillmentIssue, .unsatisfiedWithPurchase, .legal, .other,
    ]
}
