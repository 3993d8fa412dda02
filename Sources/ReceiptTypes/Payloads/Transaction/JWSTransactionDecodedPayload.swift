/// One purchase, renewal or refund in the App Store, as its signed transaction says.
public struct JWSTransactionDecodedPayload: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The transaction id of the first purchase in a row of renewals.
        public let originalTransactionId = Field<String>("originalTransactionId")
        /// The id of this transaction.
        public let transactionId = Field<String>("transactionId")
        /// The id of the subscription's billing event across devices.
        public let webOrderLineItemId = Field<String>("webOrderLineItemId")
        /// The bundle id of the app.
        public let bundleId = Field<String>("bundleId")
        /// The id of the product.
        public let productId = Field<String>("productId")
        /// The subscription group of the product.
        public let subscriptionGroupIdentifier = Field<String>("subscriptionGroupIdentifier")
        /// When the customer was charged.
        public let purchaseDate = Field<Timestamp>("purchaseDate")
        /// When the customer was first charged.
        public let originalPurchaseDate = Field<Timestamp>("originalPurchaseDate")
        /// When the subscription expires or renews.
        public let expiresDate = Field<Timestamp>("expiresDate")
        /// How many consumables were bought.
        public let quantity = Field<Int32>("quantity")
        /// The kind of the product.
        public let type = Field<ProductType>("type")
        /// The UUID by which the app has tied the purchase to an account of its own.
        public let appAccountToken = Field<UUIDText>("appAccountToken")
        /// Whether the purchase is the customer's own.
        public let inAppOwnershipType = Field<InAppOwnershipType>("inAppOwnershipType")
        /// When the App Store signed this.
        public let signedDate = Field<Timestamp>("signedDate")
        /// Why the store paid the purchase back.
        public let revocationReason = Field<RevocationReason>("revocationReason")
        /// When the purchase was paid back or taken from the family.
        public let revocationDate = Field<Timestamp>("revocationDate")
        /// Whether the customer has upgraded to another subscription.
        public let isUpgraded = Field<Bool>("isUpgraded")
        /// The kind of the offer that applied.
        public let offerType = Field<OfferType>("offerType")
        /// The offer that applied.
        public let offerIdentifier = Field<String>("offerIdentifier")
        /// Where the receipt was made.
        public let environment = Field<StoreEnvironment>("environment")
        /// The storefront's country, three letters.
        public let storefront = Field<String>("storefront")
        /// The storefront's number.
        public let storefrontId = Field<String>("storefrontId")
        /// Why there is a transaction.
        public let transactionReason = Field<TransactionReason>("transactionReason")
        /// The currency of the price, as ISO 4217 has it.
        public let currency = Field<String>("currency")
        /// The price in thousandths of the currency.
        public let price = Field<Milliunits>("price")
        /// How the offer is paid.
        public let offerDiscountType = Field<OfferDiscountType>("offerDiscountType")
        /// The id of the customer's download of the app.
        public let appTransactionId = Field<String>("appTransactionId")
        /// The length of the offer, as ISO 8601 has it.
        public let offerPeriod = Field<String>("offerPeriod")
        /// How the purchase was revoked.
        public let revocationType = Field<RevocationType>("revocationType")
        /// How much was paid back, in thousandths of a percent.
        public let revocationPercentage = Field<Int32>("revocationPercentage")
        /// What the Advanced Commerce API adds.
        public let advancedCommerceInfo = Field<AdvancedCommerceTransactionInfo>("advancedCommerceInfo")
        /// How a subscription with a commitment is billed.
        public let billingPlanType = Field<BillingPlanType>("billingPlanType")
        /// The commitment that the customer has made.
        public let commitmentInfo = Field<TransactionCommitmentInfo>("commitmentInfo")
        /// A value by which a device checks that the transaction is its own.
        public let deviceVerification = Field<String>("deviceVerification")
        /// The nonce of that value.
        public let deviceVerificationNonce = Field<String>("deviceVerificationNonce")
    }

    /// The fields by name.
    public static let fields = Fields()
    /// The fields as a list.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown.
    public var members: JSONObject

    /// Takes JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

extension JWSTransactionDecodedPayload {
    /// Whether the store has paid the purchase back or taken it from the family.
    public var isRevoked: Bool { self.revocationDate != nil }
}
