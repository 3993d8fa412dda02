/// One item of a transaction.
public struct AdvancedCommerceTransactionItem: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The developer's id of the item.
        public let sku = Field<String>("SKU")
        /// What the customer was told.
        public let description = Field<String>("description")
        /// The name that the customer was shown.
        public let displayName = Field<String>("displayName")
        /// The offer that applied.
        public let offer = Field<AdvancedCommerceOffer>("offer")
        /// The price in thousandths of the currency.
        public let price = Field<Milliunits>("price")
        /// What was paid back.
        public let refunds = Field<[AdvancedCommerceRefund]>("refunds")
        /// When the item was taken back.
        public let revocationDate = Field<Timestamp>("revocationDate")
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
