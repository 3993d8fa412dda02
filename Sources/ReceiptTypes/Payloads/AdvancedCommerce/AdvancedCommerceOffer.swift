/// An offer on one item.
public struct AdvancedCommerceOffer: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The length of the offer.
        public let period = Field<SubscriptionPeriod>("period")
        /// How many such periods there are.
        public let periodCount = Field<Int32>("periodCount")
        /// The price in thousandths of the currency.
        public let price = Field<Milliunits>("price")
        /// Why the offer is made.
        public let reason = Field<AdvancedCommerceOfferReason>("reason")
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
