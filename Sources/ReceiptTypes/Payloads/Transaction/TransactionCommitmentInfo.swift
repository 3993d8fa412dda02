/// The commitment of a subscription that is billed in parts.
public struct TransactionCommitmentInfo: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The number of this billing period, from 1.
        public let billingPeriodNumber = Field<Int32>("billingPeriodNumber")
        /// When the commitment ends.
        public let commitmentExpiresDate = Field<Timestamp>("commitmentExpiresDate")
        /// The price of the whole commitment in thousandths of the currency.
        public let commitmentPrice = Field<Milliunits>("commitmentPrice")
        /// How many billing periods there are.
        public let totalBillingPeriods = Field<Int32>("totalBillingPeriods")
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
