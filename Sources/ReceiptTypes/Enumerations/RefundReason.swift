/// Why money was paid back.
public struct RefundReason: OpenEnum {
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
    /// `MODIFY_ITEMS_REFUND`
    public static let modifyItemsRefund = Self(rawValue: "MODIFY_ITEMS_REFUND")
    /// `SIMULATE_REFUND_DECLINE`
    public static let simulateRefundDecline = Self(rawValue: "SIMULATE_REFUND_DECLINE")

    /// The documented values.
    public static let known: [Self] = [
        .unintendedPurchase, .fulfillmentIssue, .unsatisfiedWithPurchase, .legal, .other, .modifyItemsRefund,
        .simulateRefundDecline,
    ]
}
