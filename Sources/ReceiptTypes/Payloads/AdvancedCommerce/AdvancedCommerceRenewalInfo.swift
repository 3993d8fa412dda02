/// What the Advanced Commerce API adds to a renewal info.
public struct AdvancedCommerceRenewalInfo: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// A token for following requests.
        public let consistencyToken = Field<String>("consistencyToken")
        /// What the customer was shown.
        public let descriptors = Field<AdvancedCommerceDescriptors>("descriptors")
        /// The items that renew.
        public let items = Field<[AdvancedCommerceRenewalItem]>("items")
        /// The period of the subscription.
        public let period = Field<SubscriptionPeriod>("period")
        /// The developer's id of the request.
        public let requestReferenceId = Field<String>("requestReferenceId")
        /// The tax category.
        public let taxCode = Field<String>("taxCode")
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
