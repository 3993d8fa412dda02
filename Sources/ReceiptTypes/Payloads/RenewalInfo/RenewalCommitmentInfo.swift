/// The commitment that a subscription renews to.
public struct RenewalCommitmentInfo: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The product that the commitment renews to.
        public let commitmentAutoRenewProductId = Field<String>("commitmentAutoRenewProductId")
        /// Whether the commitment renews by itself.
        public let commitmentAutoRenewStatus = Field<AutoRenewStatus>("commitmentAutoRenewStatus")
        /// How the next commitment is billed.
        public let commitmentRenewalBillingPlanType = Field<BillingPlanType>("commitmentRenewalBillingPlanType")
        /// When the commitment renews.
        public let commitmentRenewalDate = Field<Timestamp>("commitmentRenewalDate")
        /// The price of the next commitment in thousandths of the currency.
        public let commitmentRenewalPrice = Field<Milliunits>("commitmentRenewalPrice")
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
