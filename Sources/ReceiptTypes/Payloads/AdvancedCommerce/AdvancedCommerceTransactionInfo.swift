/// What the Advanced Commerce API adds to a transaction.
public struct AdvancedCommerceTransactionInfo: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// What the customer was shown.
        public let descriptors = Field<AdvancedCommerceDescriptors>("descriptors")
        /// The estimated tax in thousandths of the currency.
        public let estimatedTax = Field<Milliunits>("estimatedTax")
        /// The items that were bought.
        public let items = Field<[AdvancedCommerceTransactionItem]>("items")
        /// The period of the subscription.
        public let period = Field<SubscriptionPeriod>("period")
        /// The developer's id of the request.
        public let requestReferenceId = Field<String>("requestReferenceId")
        /// The tax category.
        public let taxCode = Field<String>("taxCode")
        /// The price without tax in thousandths of the currency.
        public let taxExclusivePrice = Field<Milliunits>("taxExclusivePrice")
        /// The tax rate as a decimal text.
        public let taxRate = Field<String>("taxRate")
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
