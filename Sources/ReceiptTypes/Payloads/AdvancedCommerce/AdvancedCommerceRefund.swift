/// A payment back for one item.
public struct AdvancedCommerceRefund: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The amount in thousandths of the currency.
        public let refundAmount = Field<Milliunits>("refundAmount")
        /// When it was paid back.
        public let refundDate = Field<Timestamp>("refundDate")
        /// Why it was paid back.
        public let refundReason = Field<RefundReason>("refundReason")
        /// How much was paid back.
        public let refundType = Field<RefundType>("refundType")
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
