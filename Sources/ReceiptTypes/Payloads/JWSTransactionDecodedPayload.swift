/// The payload of a signed App Store transaction: one purchase, renewal or refund.
///
/// It is the `JWSTransactionDecodedPayload` of the App Store Server API, and the payload of a StoreKit 2 `Transaction`.
public struct JWSTransactionDecodedPayload: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The transaction ID of the original purchase, the same for all renewals of a subscription.
        public let originalTransactionId = Field<String>("originalTransactionId")
        /// The first transaction ID of a subscription before it moved to the Advanced Commerce API.
        public let previousOriginalTransactionId = Field<StoreID>("previousOriginalTransactionId")
        /// The ID of this transaction.
        public let transactionId = Field<String>("transactionId")
        /// The ID of a subscription purchase event, the same on all devices.
        public let webOrderLineItemId = Field<String>("webOrderLineItemId")
        /// The bundle ID of the app.
        public let bundleId = Field<String>("bundleId")
        /// The product ID.
        public let productId = Field<String>("productId")
        /// The ID of the subscription group of the product.
        public let subscriptionGroupIdentifier = Field<String>("subscriptionGroupIdentifier")
        /// The time at which the App Store charged the customer, in milliseconds since 1970.
        public let purchaseDate = Field<Timestamp>("purchaseDate")
        /// The time of the original purchase, in milliseconds since 1970.
        public let originalPurchaseDate = Field<Timestamp>("originalPurchaseDate")
        /// The time at which the subscription expires or renews, in milliseconds since 1970.
        public let expiresDate = Field<Timestamp>("expiresDate")
        /// The number of consumables in the purchase.
        public let quantity = Field<Int32>("quantity")
        /// The type of the product.
        public let type = Field<ProductType>("type")
        /// The UUID with which the app associated the purchase with an account of its own.
        public let appAccountToken = Field<UUIDText>("appAccountToken")
        /// Whether the customer bought the product or a family member shares it.
        public let inAppOwnershipType = Field<InAppOwnershipType>("inAppOwnershipType")
        /// The time at which the App Store signed the payload, in milliseconds since 1970.
        public let signedDate = Field<Timestamp>("signedDate")
        /// The reason for the refund.
        public let revocationReason = Field<RevocationReason>("revocationReason")
        /// The time of the refund or of the removal from family sharing, in milliseconds since 1970.
        public let revocationDate = Field<Timestamp>("revocationDate")
        /// Whether the customer has upgraded to another subscription.
        public let isUpgraded = Field<Bool>("isUpgraded")
        /// The type of the offer that was applied.
        public let offerType = Field<OfferType>("offerType")
        /// The ID of the offer that was applied.
        public let offerIdentifier = Field<String>("offerIdentifier")
        /// The environment in which the App Store created the payload.
        public let environment = Field<StoreEnvironment>("environment")
        /// The country of the App Store storefront, a three-letter ISO 3166-1 code.
        public let storefront = Field<String>("storefront")
        /// The ID of the App Store storefront.
        public let storefrontId = Field<String>("storefrontId")
        /// The cause of the transaction: a purchase or a renewal.
        public let transactionReason = Field<TransactionReason>("transactionReason")
        /// The currency of the price, a three-letter ISO 4217 code.
        public let currency = Field<String>("currency")
        /// The price in milliunits of the currency.
        public let price = Field<Milliunits>("price")
        /// The payment mode of the offer that was applied.
        public let offerDiscountType = Field<OfferDiscountType>("offerDiscountType")
        /// The ID of the customer's download of the app.
        public let appTransactionId = Field<String>("appTransactionId")
        /// The duration of the offer in ISO 8601 format, such as `P1M`.
        public let offerPeriod = Field<String>("offerPeriod")
        /// The kind of the revocation.
        public let revocationType = Field<RevocationType>("revocationType")
        /// The refunded part of the price in thousandths of a percent: 50000 is 50 %.
        public let revocationPercentage = Field<Int32>("revocationPercentage")
        /// The data of a purchase through the Advanced Commerce API.
        public let advancedCommerceInfo = Field<AdvancedCommerceTransactionInfo>("advancedCommerceInfo")
        /// How a subscription with a commitment is billed.
        public let billingPlanType = Field<BillingPlanType>("billingPlanType")
        /// The commitment of the customer.
        public let commitmentInfo = Field<TransactionCommitmentInfo>("commitmentInfo")
        /// A base64 hash that ties the transaction to a device. StoreKit 2 adds it.
        public let deviceVerification = Field<String>("deviceVerification")
        /// The nonce of `deviceVerification`.
        public let deviceVerificationNonce = Field<String>("deviceVerificationNonce")
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

/// The commitment of a subscription that is billed in installments (`commitmentInfo` of a transaction).
public struct TransactionCommitmentInfo: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The number of this billing period in the commitment, from 1.
        public let billingPeriodNumber = Field<Int32>("billingPeriodNumber")
        /// The time at which the commitment ends, in milliseconds since 1970.
        public let commitmentExpiresDate = Field<Timestamp>("commitmentExpiresDate")
        /// The price of the complete commitment in milliunits of the currency.
        public let commitmentPrice = Field<Milliunits>("commitmentPrice")
        /// The number of billing periods in the commitment.
        public let totalBillingPeriods = Field<Int32>("totalBillingPeriods")
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
