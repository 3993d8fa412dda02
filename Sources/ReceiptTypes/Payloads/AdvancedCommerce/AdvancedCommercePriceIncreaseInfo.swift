/// A price increase of one item.
public struct AdvancedCommercePriceIncreaseInfo: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The items whose price depends on it.
        public let dependentSKUs = Field<[String]>("dependentSKUs")
        /// The new price in thousandths of the currency.
        public let price = Field<Milliunits>("price")
        /// How far it has come.
        public let status = Field<PriceIncreaseInfoStatus>("status")
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
