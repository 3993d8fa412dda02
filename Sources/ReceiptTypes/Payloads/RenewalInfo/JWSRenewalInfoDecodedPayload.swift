/// The state of a subscription's renewal, as its signed renewal info says. It names no bundle id.
public struct JWSRenewalInfoDecodedPayload: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// Why the subscription expired.
        public let expirationIntent = Field<ExpirationIntent>("expirationIntent")
        /// The transaction id of the first purchase.
        public let originalTransactionId = Field<String>("originalTransactionId")
        /// The product that the subscription renews to.
        public let autoRenewProductId = Field<String>("autoRenewProductId")
        /// The product of the current period.
        public let productId = Field<String>("productId")
        /// Whether the subscription renews by itself.
        public let autoRenewStatus = Field<AutoRenewStatus>("autoRenewStatus")
        /// Whether the App Store is trying to bill an expired subscription.
        public let isInBillingRetryPeriod = Field<Bool>("isInBillingRetryPeriod")
        /// Whether the customer has accepted a price increase.
        public let priceIncreaseStatus = Field<PriceIncreaseStatus>("priceIncreaseStatus")
        /// When the billing grace period ends.
        public let gracePeriodExpiresDate = Field<Timestamp>("gracePeriodExpiresDate")
        /// The kind of the offer that applies next.
        public let offerType = Field<OfferType>("offerType")
        /// The offer that applies next.
        public let offerIdentifier = Field<String>("offerIdentifier")
        /// When the App Store signed this.
        public let signedDate = Field<Timestamp>("signedDate")
        /// Where the receipt was made.
        public let environment = Field<StoreEnvironment>("environment")
        /// When the current run of renewals without a gap began.
        public let recentSubscriptionStartDate = Field<Timestamp>("recentSubscriptionStartDate")
        /// When the subscription renews.
        public let renewalDate = Field<Timestamp>("renewalDate")
        /// The currency of the renewal price, as ISO 4217 has it.
        public let currency = Field<String>("currency")
        /// The price of the next renewal in thousandths of the currency.
        public let renewalPrice = Field<Milliunits>("renewalPrice")
        /// How the offer is paid.
        public let offerDiscountType = Field<OfferDiscountType>("offerDiscountType")
        /// The win-back offers that the customer may take.
        public let eligibleWinBackOfferIds = Field<[String]>("eligibleWinBackOfferIds")
        /// The UUID by which the app has tied the purchase to an account of its own.
        public let appAccountToken = Field<UUIDText>("appAccountToken")
        /// The id of the customer's download of the app.
        public let appTransactionId = Field<String>("appTransactionId")
        /// The length of the offer, as ISO 8601 has it.
        public let offerPeriod = Field<String>("offerPeriod")
        /// What the Advanced Commerce API adds.
        public let advancedCommerceInfo = Field<AdvancedCommerceRenewalInfo>("advancedCommerceInfo")
        /// The commitment of the next period.
        public let commitmentInfo = Field<RenewalCommitmentInfo>("commitmentInfo")
        /// How the next commitment is billed.
        public let renewalBillingPlanType = Field<BillingPlanType>("renewalBillingPlanType")
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
