/// The type of an App Store product (`type`).
public struct ProductType: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `Auto-Renewable Subscription`
    public static let autoRenewableSubscription = Self(rawValue: "Auto-Renewable Subscription")
    /// `Non-Consumable`
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    /// `Consumable`
    public static let consumable = Self(rawValue: "Consumable")
    /// `Non-Renewing Subscription`
    public static let nonRenewingSubscription = Self(rawValue: "Non-Renewing Subscription")

    /// The values that this version knows.
    public static let known: [Self] = [
        .autoRenewableSubscription, .nonConsumable, .consumable, .nonRenewingSubscription,
    ]
}

/// Whether the customer bought a product or a family member shares it (`inAppOwnershipType`).
public struct InAppOwnershipType: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `FAMILY_SHARED`: a family-shared purchase.
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
    /// `PURCHASED`: the customer's own purchase.
    public static let purchased = Self(rawValue: "PURCHASED")
    /// `ASSIGNED`: the customer has the purchase through an organization.
    public static let assigned = Self(rawValue: "ASSIGNED")

    /// The values that this version knows.
    public static let known: [Self] = [
        .familyShared, .purchased, .assigned,
    ]
}

/// The cause of a transaction (`transactionReason`).
public struct TransactionReason: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `PURCHASE`: the customer bought the product.
    public static let purchase = Self(rawValue: "PURCHASE")
    /// `RENEWAL`: the App Store renewed the subscription.
    public static let renewal = Self(rawValue: "RENEWAL")

    /// The values that this version knows.
    public static let known: [Self] = [
        .purchase, .renewal,
    ]
}

/// The reason for a refund (`revocationReason`).
public struct RevocationReason: NumberedEnum {
    /// The number that the store sends.
    public let rawValue: Int32

    /// Creates a value from any number, known or not.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// 0: another reason, such as an unintended purchase.
    public static let other = Self(rawValue: 0)
    /// 1: an actual or perceived issue with the app.
    public static let issue = Self(rawValue: 1)

    /// The numbers that this version knows, and their meanings.
    public static let meanings: KeyValuePairs<Self, String> = [
        .other: "other",
        .issue: "an issue with the app",
    ]
}

/// The kind of a revocation (`revocationType`).
public struct RevocationType: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `REFUND_FULL`: a refund of the full price.
    public static let refundFull = Self(rawValue: "REFUND_FULL")
    /// `REFUND_PRORATED`: a refund of a part of the price.
    public static let refundProrated = Self(rawValue: "REFUND_PRORATED")
    /// `FAMILY_REVOKE`: the purchase is no longer family-shared with the customer.
    public static let familyRevoke = Self(rawValue: "FAMILY_REVOKE")

    /// The values that this version knows.
    public static let known: [Self] = [
        .refundFull, .refundProrated, .familyRevoke,
    ]
}

/// The type of a subscription offer (`offerType`).
public struct OfferType: NumberedEnum {
    /// The number that the store sends.
    public let rawValue: Int32

    /// Creates a value from any number, known or not.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// 1: an introductory offer.
    public static let introductory = Self(rawValue: 1)
    /// 2: a promotional offer.
    public static let promotional = Self(rawValue: 2)
    /// 3: an offer with an offer code.
    public static let code = Self(rawValue: 3)
    /// 4: a win-back offer.
    public static let winBack = Self(rawValue: 4)

    /// The numbers that this version knows, and their meanings.
    public static let meanings: KeyValuePairs<Self, String> = [
        .introductory: "introductory offer",
        .promotional: "promotional offer",
        .code: "offer code",
        .winBack: "win-back offer",
    ]
}

/// The payment mode of an offer (`offerDiscountType`).
public struct OfferDiscountType: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `FREE_TRIAL`: the offer is free.
    public static let freeTrial = Self(rawValue: "FREE_TRIAL")
    /// `PAY_AS_YOU_GO`: a reduced price for each period of the offer.
    public static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
    /// `PAY_UP_FRONT`: one payment for all periods of the offer.
    public static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
    /// `ONE_TIME`: one discounted payment.
    public static let oneTime = Self(rawValue: "ONE_TIME")

    /// The values that this version knows.
    public static let known: [Self] = [
        .freeTrial, .payAsYouGo, .payUpFront, .oneTime,
    ]
}
