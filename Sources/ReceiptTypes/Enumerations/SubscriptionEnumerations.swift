/// The status of an automatically renewing subscription (`status`).
public struct SubscriptionStatus: NumberedEnum {
    /// The number that the store sends.
    public let rawValue: Int32

    /// Creates a value from any number, known or not.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// 1: the subscription is active.
    public static let active = Self(rawValue: 1)
    /// 2: the subscription has expired.
    public static let expired = Self(rawValue: 2)
    /// 3: billing failed, and the App Store keeps trying.
    public static let billingRetry = Self(rawValue: 3)
    /// 4: billing failed, and the customer keeps access for now.
    public static let gracePeriod = Self(rawValue: 4)
    /// 5: the purchase was refunded or is no longer shared.
    public static let revoked = Self(rawValue: 5)

    /// The numbers that this version knows, and their meanings.
    public static let meanings: KeyValuePairs<Self, String> = [
        .active: "active",
        .expired: "expired",
        .billingRetry: "in billing retry",
        .gracePeriod: "in its grace period",
        .revoked: "revoked",
    ]
}

/// Whether a subscription renews automatically (`autoRenewStatus`).
public struct AutoRenewStatus: NumberedEnum {
    /// The number that the store sends.
    public let rawValue: Int32

    /// Creates a value from any number, known or not.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// 0: the subscription expires at the end of the period.
    public static let off = Self(rawValue: 0)
    /// 1: the subscription renews.
    public static let on = Self(rawValue: 1)

    /// The numbers that this version knows, and their meanings.
    public static let meanings: KeyValuePairs<Self, String> = [
        .off: "off",
        .on: "on",
    ]
}

/// The reason why a subscription expired (`expirationIntent`).
public struct ExpirationIntent: NumberedEnum {
    /// The number that the store sends.
    public let rawValue: Int32

    /// Creates a value from any number, known or not.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// 1: the customer cancelled.
    public static let customerCancelled = Self(rawValue: 1)
    /// 2: billing failed.
    public static let billingError = Self(rawValue: 2)
    /// 3: the customer did not accept a price increase.
    public static let priceIncreaseDeclined = Self(rawValue: 3)
    /// 4: the product was not available for renewal.
    public static let productUnavailable = Self(rawValue: 4)
    /// 5: another reason.
    public static let other = Self(rawValue: 5)

    /// The numbers that this version knows, and their meanings.
    public static let meanings: KeyValuePairs<Self, String> = [
        .customerCancelled: "the customer cancelled",
        .billingError: "billing failed",
        .priceIncreaseDeclined: "the customer did not accept a price increase",
        .productUnavailable: "the product was not available",
        .other: "other",
    ]
}

/// Whether the customer has accepted a price increase (`priceIncreaseStatus`).
public struct PriceIncreaseStatus: NumberedEnum {
    /// The number that the store sends.
    public let rawValue: Int32

    /// Creates a value from any number, known or not.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// 0: the customer has not responded.
    public static let pending = Self(rawValue: 0)
    /// 1: the customer accepted, or no consent was required.
    public static let accepted = Self(rawValue: 1)

    /// The numbers that this version knows, and their meanings.
    public static let meanings: KeyValuePairs<Self, String> = [
        .pending: "not yet accepted",
        .accepted: "accepted",
    ]
}

/// How a subscription with a commitment is billed (`billingPlanType`).
public struct BillingPlanType: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `BILLED_UPFRONT`: once, at the start of the commitment.
    public static let billedUpfront = Self(rawValue: "BILLED_UPFRONT")
    /// `MONTHLY`: every month of the commitment.
    public static let monthly = Self(rawValue: "MONTHLY")

    /// The values that this version knows.
    public static let known: [Self] = [
        .billedUpfront, .monthly,
    ]
}

/// The length of a period as an ISO 8601 duration (`period`).
public struct SubscriptionPeriod: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `P1W`
    public static let oneWeek = Self(rawValue: "P1W")
    /// `P1M`
    public static let oneMonth = Self(rawValue: "P1M")
    /// `P2M`
    public static let twoMonths = Self(rawValue: "P2M")
    /// `P3M`
    public static let threeMonths = Self(rawValue: "P3M")
    /// `P6M`
    public static let sixMonths = Self(rawValue: "P6M")
    /// `P1Y`
    public static let oneYear = Self(rawValue: "P1Y")
    /// `P3D`
    public static let threeDays = Self(rawValue: "P3D")
    /// `P2W`
    public static let twoWeeks = Self(rawValue: "P2W")
    /// `P9M`
    public static let nineMonths = Self(rawValue: "P9M")

    /// The values that this version knows.
    public static let known: [Self] = [
        .oneWeek, .oneMonth, .twoMonths, .threeMonths, .sixMonths, .oneYear, .threeDays, .twoWeeks, .nineMonths,
    ]
}
