/// What a notification is about.
public struct NotificationType: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `SUBSCRIBED`
    public static let subscribed = Self(rawValue: "SUBSCRIBED")
    /// `DID_CHANGE_RENEWAL_PREF`
    public static let didChangeRenewalPref = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// `DID_CHANGE_RENEWAL_STATUS`
    public static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// `OFFER_REDEEMED`
    public static let offerRedeemed = Self(rawValue: "OFFER_REDEEMED")
    /// `DID_RENEW`
    public static let didRenew = Self(rawValue: "DID_RENEW")
    /// `EXPIRED`
    public static let expired = Self(rawValue: "EXPIRED")
    /// `DID_FAIL_TO_RENEW`
    public static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
    /// `GRACE_PERIOD_EXPIRED`
    public static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
    /// `PRICE_INCREASE`
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// `REFUND`
    public static let refund = Self(rawValue: "REFUND")
    /// `REFUND_DECLINED`
    public static let refundDeclined = Self(rawValue: "REFUND_DECLINED")
    /// `CONSUMPTION_REQUEST`
    public static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
    /// `RENEWAL_EXTENDED`
    public static let renewalExtended = Self(rawValue: "RENEWAL_EXTENDED")
    /// `REVOKE`
    public static let revoke = Self(rawValue: "REVOKE")
    /// `TEST`
    public static let test = Self(rawValue: "TEST")
    /// `RENEWAL_EXTENSION`
    public static let renewalExtension = Self(rawValue: "RENEWAL_EXTENSION")
    /// `REFUND_REVERSED`
    public static let refundReversed = Self(rawValue: "REFUND_REVERSED")
    /// `EXTERNAL_PURCHASE_TOKEN`
    public static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// `ONE_TIME_CHARGE`
    public static let oneTimeCharge = Self(rawValue: "ONE_TIME_CHARGE")
    /// `RESCIND_CONSENT`
    public static let rescindConsent = Self(rawValue: "RESCIND_CONSENT")
    /// `METADATA_UPDATE`
    public static let metadataUpdate = Self(rawValue: "METADATA_UPDATE")
    /// `MIGRATION`
    public static let migration = Self(rawValue: "MIGRATION")
    /// `PRICE_CHANGE`
    public static let priceChange = Self(rawValue: "PRICE_CHANGE")

    /// The documented values.
    public static let known: [Self] = [
        .subscribed, .didChangeRenewalPref, .didChangeRenewalStatus, .offerRedeemed, .didRenew, .expired,
        .didFailToRenew, .gracePeriodExpired, .priceIncrease, .refund, .refundDeclined, .consumptionRequest,
        .renewalExtended, .revoke, .test, .renewalExtension, .refundReversed, .externalPurchaseToken, .oneTimeCharge,
        .rescindConsent, .metadataUpdate, .migration, .priceChange,
    ]
}
