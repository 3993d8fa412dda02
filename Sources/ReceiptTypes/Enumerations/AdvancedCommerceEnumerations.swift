/// The reason for an Advanced Commerce offer (`reason`).
public struct AdvancedCommerceOfferReason: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `ACQUISITION`: to gain a customer.
    public static let acquisition = Self(rawValue: "ACQUISITION")
    /// `WIN_BACK`: to regain a customer.
    public static let winBack = Self(rawValue: "WIN_BACK")
    /// `RETENTION`: to keep a customer.
    public static let retention = Self(rawValue: "RETENTION")

    /// The values that this version knows.
    public static let known: [Self] = [
        .acquisition, .winBack, .retention,
    ]
}

/// The status of an Advanced Commerce price increase (`status`).
public struct PriceIncreaseInfoStatus: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `SCHEDULED`: the price increase is scheduled.
    public static let scheduled = Self(rawValue: "SCHEDULED")
    /// `PENDING`: the customer has not responded.
    public static let pending = Self(rawValue: "PENDING")
    /// `ACCEPTED`: the customer accepted.
    public static let accepted = Self(rawValue: "ACCEPTED")

    /// The values that this version knows.
    public static let known: [Self] = [
        .scheduled, .pending, .accepted,
    ]
}

/// The reason for an Advanced Commerce refund (`refundReason`).
public struct RefundReason: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `UNINTENDED_PURCHASE`: the purchase was a mistake.
    public static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
    /// `FULFILLMENT_ISSUE`: the product was not delivered or did not work.
    public static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
    /// `UNSATISFIED_WITH_PURCHASE`: the customer was not satisfied.
    public static let unsatisfiedWithPurchase = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// `LEGAL`: a legal reason.
    public static let legal = Self(rawValue: "LEGAL")
    /// `OTHER`: another reason.
    public static let other = Self(rawValue: "OTHER")
    /// `MODIFY_ITEMS_REFUND`: a change of the items of a subscription.
    public static let modifyItemsRefund = Self(rawValue: "MODIFY_ITEMS_REFUND")
    /// `SIMULATE_REFUND_DECLINE`: a sandbox test of a declined refund.
    public static let simulateRefundDecline = Self(rawValue: "SIMULATE_REFUND_DECLINE")

    /// The values that this version knows.
    public static let known: [Self] = [
        .unintendedPurchase, .fulfillmentIssue, .unsatisfiedWithPurchase, .legal, .other, .modifyItemsRefund,
        .simulateRefundDecline,
    ]
}

/// The amount of an Advanced Commerce refund (`refundType`).
public struct RefundType: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `FULL`: the full price.
    public static let full = Self(rawValue: "FULL")
    /// `PRORATED`: a part of the price, in proportion to the remaining time.
    public static let prorated = Self(rawValue: "PRORATED")
    /// `CUSTOM`: an amount that the developer chose.
    public static let custom = Self(rawValue: "CUSTOM")

    /// The values that this version knows.
    public static let known: [Self] = [
        .full, .prorated, .custom,
    ]
}
