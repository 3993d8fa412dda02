/// What a customer was shown of a purchase.
public struct AdvancedCommerceDescriptors: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// What the customer was told.
        public let description = Field<String>("description")
        /// The name that the customer was shown.
        public let displayName = Field<String>("displayName")
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
