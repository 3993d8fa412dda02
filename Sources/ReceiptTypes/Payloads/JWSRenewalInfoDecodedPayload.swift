/// The payload of a signed renewal info: how a subscription renews next.
///
/// It is the `JWSRenewalInfoDecodedPayload` of the App Store Server API. It contains no bundle ID.
public struct JWSRenewalInfoDecodedPayload: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The reason why the subscription expired.
        public let expirationIntent = Field<ExpirationIntent>("expirationIntent")
        /// The transaction ID of the original purchase.
        public let originalTransactionId = Field<String>("originalTransactionId")
        /// The ID of the product that the subscription renews to.
        public let autoRenewProductId = Field<String>("autoRenewProductId")
        /// The ID of the current product.
        public let productId = Field<String>("productId")
        /// Whether the subscription renews automatically.
        public let autoRenewStatus = Field<AutoRenewStatus>("autoRenewStatus")
        /// Whether the App Store keeps trying to bill an expired subscription.
        public let isInBillingRetryPeriod = Field<Bool>("isInBillingRetryPeriod")
        /// Whether the customer has accepted a price increase.
        public let priceIncreaseStatus = Field<PriceIncreaseStatus>("priceIncreaseStatus")
        /// The time at which the billing grace period ends, in milliseconds since 1970.
        public let gracePeriodExpiresDate = Field<Timestamp>("gracePeriodExpiresDate")
        /// The type of the offer that applies at the next renewal.
        public let offerType = Field<OfferType>("offerType")
        /// The ID of the offer that applies at the next renewal.
        public let offerIdentifier = Field<String>("offerIdentifier")
        /// The time at which the App Store signed the payload, in milliseconds since 1970.
        public let signedDate = Field<Timestamp>("signedDate")
        /// The environment in which the App Store created the payload.
        public let environment = Field<StoreEnvironment>("environment")
        /// The start of the current sequence of renewals, in milliseconds since 1970.
        ///
        /// No gap in the sequence is longer than 60 days.
        public let recentSubscriptionStartDate = Field<Timestamp>("recentSubscriptionStartDate")
        /// The time at which the subscription renews, in milliseconds since 1970.
        public let renewalDate = Field<Timestamp>("renewalDate")
        /// The currency of the renewal price, a three-letter ISO 4217 code.
        public let currency = Field<String>("currency")
        /// The price of the next renewal in milliunits of the currency.
        public let renewalPrice = Field<Milliunits>("renewalPrice")
        /// The payment mode of the offer.
        public let offerDiscountType = Field<OfferDiscountType>("offerDiscountType")
        /// The IDs of the win-back offers for which the customer is eligible.
        public let eligibleWinBackOfferIds = Field<[String]>("eligibleWinBackOfferIds")
        /// The UUID with which the app associated the purchase with an account of its own.
        public let appAccountToken = Field<UUIDText>("appAccountToken")
        /// The ID of the customer's download of the app.
        public let appTransactionId = Field<String>("appTransactionId")
        /// The duration of the offer in ISO 8601 format, such as `P1M`.
        public let offerPeriod = Field<String>("offerPeriod")
        /// The data of a subscription through the Advanced Commerce API.
        public let advancedCommerceInfo = Field<AdvancedCommerceRenewalInfo>("advancedCommerceInfo")
        /// The commitment that the subscription renews to.
        public let commitmentInfo = Field<RenewalCommitmentInfo>("commitmentInfo")
        /// How the next commitment is billed.
        public let renewalBillingPlanType = Field<BillingPlanType>("renewalBillingPlanType")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

/// The commitment that a subscription renews to (`commitmentInfo` of a renewal info).
public struct RenewalCommitmentInfo: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The ID of the product that the commitment renews to.
        public let commitmentAutoRenewProductId = Field<String>("commitmentAutoRenewProductId")
        /// Whether the commitment renews automatically.
        public let commitmentAutoRenewStatus = Field<AutoRenewStatus>("commitmentAutoRenewStatus")
        /// How the next commitment is billed.
        public let commitmentRenewalBillingPlanType = Field<BillingPlanType>("commitmentRenewalBillingPlanType")
        /// The time at which the commitment renews, in milliseconds since 1970.
        public let commitmentRenewalDate = Field<Timestamp>("commitmentRenewalDate")
        /// The price of the next commitment in milliunits of the currency.
        public let commitmentRenewalPrice = Field<Milliunits>("commitmentRenewalPrice")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}
