/// The outcome of extending a subscription for many customers.
public struct NotificationSummary: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// Where the receipt was made.
        public let environment = Field<StoreEnvironment>("environment")
        /// The app's number in the App Store.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The bundle id of the app.
        public let bundleId = Field<String>("bundleId")
        /// The product that was extended.
        public let productId = Field<String>("productId")
        /// The request's own id.
        public let requestIdentifier = Field<String>("requestIdentifier")
        /// The storefronts, three letters each.
        public let storefrontCountryCodes = Field<[String]>("storefrontCountryCodes")
        /// For how many customers it worked.
        public let succeededCount = Field<Int64>("succeededCount")
        /// For how many customers it did not.
        public let failedCount = Field<Int64>("failedCount")
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
