/// The event of an App Store server notification (`notificationType`).
///
/// A ``NotificationSubtype`` refines some of the types.
public struct NotificationType: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The other name under which Apple documents `MIGRATION`.
    private static let migrate = "MIGRATE"

    /// The name by which values are compared.
    private var canonicalValue: String { rawValue.isIdentical(to: Self.migrate) ? "MIGRATION" : rawValue }

    /// Returns whether the types have the same name; `MIGRATE` and `MIGRATION` are names of one type.
    public static func == (left: Self, right: Self) -> Bool {
        left.canonicalValue.isIdentical(to: right.canonicalValue)
    }

    /// Feeds the name into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonicalValue) }

    /// `SUBSCRIBED`: the customer subscribed, for the first time or again.
    public static let subscribed = Self(rawValue: "SUBSCRIBED")
    /// `DID_CHANGE_RENEWAL_PREF`: the customer chose another product of the subscription group.
    public static let didChangeRenewalPref = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// `DID_CHANGE_RENEWAL_STATUS`: automatic renewal was turned on or off.
    public static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// `OFFER_REDEEMED`: the customer redeemed an offer.
    public static let offerRedeemed = Self(rawValue: "OFFER_REDEEMED")
    /// `DID_RENEW`: the subscription renewed.
    public static let didRenew = Self(rawValue: "DID_RENEW")
    /// `EXPIRED`: the subscription expired.
    public static let expired = Self(rawValue: "EXPIRED")
    /// `DID_FAIL_TO_RENEW`: billing failed, and the subscription enters billing retry.
    public static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
    /// `GRACE_PERIOD_EXPIRED`: the billing grace period ended without a renewal.
    public static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
    /// `PRICE_INCREASE`: the customer was informed of a price increase, or accepted it.
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// `REFUND`: the App Store refunded a purchase.
    public static let refund = Self(rawValue: "REFUND")
    /// `REFUND_DECLINED`: the App Store declined a refund request.
    public static let refundDeclined = Self(rawValue: "REFUND_DECLINED")
    /// `CONSUMPTION_REQUEST`: the App Store asks how far a purchase was used before it decides on a refund.
    public static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
    /// `RENEWAL_EXTENDED`: the App Store extended the renewal date of one subscription.
    public static let renewalExtended = Self(rawValue: "RENEWAL_EXTENDED")
    /// `REVOKE`: a family-shared purchase is no longer available to the customer.
    public static let revoke = Self(rawValue: "REVOKE")
    /// `TEST`: a test notification that the developer requested.
    public static let test = Self(rawValue: "TEST")
    /// `RENEWAL_EXTENSION`: an extension of the renewal date for all subscribers of a product.
    public static let renewalExtension = Self(rawValue: "RENEWAL_EXTENSION")
    /// `REFUND_REVERSED`: the App Store reversed a refund.
    public static let refundReversed = Self(rawValue: "REFUND_REVERSED")
    /// `EXTERNAL_PURCHASE_TOKEN`: a token for purchases outside the App Store was created.
    public static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// `ONE_TIME_CHARGE`: the customer bought a product that does not renew automatically.
    public static let oneTimeCharge = Self(rawValue: "ONE_TIME_CHARGE")
    /// `RESCIND_CONSENT`: a parent or guardian withdrew consent to the use of the app.
    public static let rescindConsent = Self(rawValue: "RESCIND_CONSENT")
    /// `METADATA_UPDATE`: the metadata of an Advanced Commerce subscription changed.
    public static let metadataUpdate = Self(rawValue: "METADATA_UPDATE")
    /// `MIGRATION`, or `MIGRATE`: a subscription moved to the Advanced Commerce API.
    public static let migration = Self(rawValue: "MIGRATION")
    /// `PRICE_CHANGE`: the price of an Advanced Commerce subscription changed.
    public static let priceChange = Self(rawValue: "PRICE_CHANGE")

    /// The values that this version knows.
    public static let known: [Self] = [
        .subscribed, .didChangeRenewalPref, .didChangeRenewalStatus, .offerRedeemed, .didRenew, .expired,
        .didFailToRenew, .gracePeriodExpired, .priceIncrease, .refund, .refundDeclined, .consumptionRequest,
        .renewalExtended, .revoke, .test, .renewalExtension, .refundReversed, .externalPurchaseToken, .oneTimeCharge,
        .rescindConsent, .metadataUpdate, .migration, .priceChange,
    ]
}

/// The detail of a ``NotificationType`` (`subtype`).
public struct NotificationSubtype: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `INITIAL_BUY`: the first subscription to this subscription group.
    public static let initialBuy = Self(rawValue: "INITIAL_BUY")
    /// `RESUBSCRIBE`: a subscription after an earlier one expired.
    public static let resubscribe = Self(rawValue: "RESUBSCRIBE")
    /// `DOWNGRADE`: a change to a lower level, effective at the next renewal.
    public static let downgrade = Self(rawValue: "DOWNGRADE")
    /// `UPGRADE`: a change to a higher level, effective at once.
    public static let upgrade = Self(rawValue: "UPGRADE")
    /// `AUTO_RENEW_ENABLED`: automatic renewal is on.
    public static let autoRenewEnabled = Self(rawValue: "AUTO_RENEW_ENABLED")
    /// `AUTO_RENEW_DISABLED`: automatic renewal is off.
    public static let autoRenewDisabled = Self(rawValue: "AUTO_RENEW_DISABLED")
    /// `VOLUNTARY`: expired because the customer turned renewal off.
    public static let voluntary = Self(rawValue: "VOLUNTARY")
    /// `BILLING_RETRY`: expired because billing retry ended without a payment.
    public static let billingRetry = Self(rawValue: "BILLING_RETRY")
    /// `PRICE_INCREASE`: expired because the customer did not accept a price increase.
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// `GRACE_PERIOD`: billing failed, and the customer keeps access during the grace period.
    public static let gracePeriod = Self(rawValue: "GRACE_PERIOD")
    /// `PENDING`: the customer has not responded to the price increase.
    public static let pending = Self(rawValue: "PENDING")
    /// `ACCEPTED`: the customer accepted the price increase.
    public static let accepted = Self(rawValue: "ACCEPTED")
    /// `BILLING_RECOVERY`: a renewal after billing had failed.
    public static let billingRecovery = Self(rawValue: "BILLING_RECOVERY")
    /// `PRODUCT_NOT_FOR_SALE`: expired because the product was not for sale.
    public static let productNotForSale = Self(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// `SUMMARY`: the extension for all subscribers has completed.
    public static let summary = Self(rawValue: "SUMMARY")
    /// `FAILURE`: the extension failed for one subscription.
    public static let failure = Self(rawValue: "FAILURE")
    /// `UNREPORTED`: the external purchase token was created, but not reported.
    public static let unreported = Self(rawValue: "UNREPORTED")
    /// `CREATED`: the external purchase token was created.
    public static let created = Self(rawValue: "CREATED")
    /// `ACTIVE_TOKEN_REMINDER`: the external purchase token is still active.
    public static let activeTokenReminder = Self(rawValue: "ACTIVE_TOKEN_REMINDER")

    /// The values that this version knows.
    public static let known: [Self] = [
        .initialBuy, .resubscribe, .downgrade, .upgrade, .autoRenewEnabled, .autoRenewDisabled, .voluntary,
        .billingRetry, .priceIncrease, .gracePeriod, .pending, .accepted, .billingRecovery, .productNotForSale,
        .summary, .failure, .unreported, .created, .activeTokenReminder,
    ]
}

/// The purpose of an external purchase token (`tokenType`).
public struct ExternalPurchaseTokenType: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `ACQUISITION`: the token is for the report of a customer that the app has acquired.
    public static let acquisition = Self(rawValue: "ACQUISITION")
    /// `SERVICES`: the token is for the report of purchases under the terms of store services.
    public static let services = Self(rawValue: "SERVICES")

    /// The values that this version knows.
    public static let known: [Self] = [
        .acquisition, .services,
    ]
}

/// The reason that a customer states for a refund request (`consumptionRequestReason`).
public struct ConsumptionRequestReason: OpenEnum {
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

    /// The values that this version knows.
    public static let known: [Self] = [
        .unintendedPurchase, .fulfillmentIssue, .unsatisfiedWithPurchase, .legal, .other,
    ]
}
