/// A request of the App Store for a real-time answer, as its signed payload says.
public struct DecodedRealtimeRequestBody: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The transaction id of the first purchase.
        public let originalTransactionId = Field<String>("originalTransactionId")
        /// The app's number in the App Store.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The product that the customer has.
        public let productId = Field<String>("productId")
        /// The customer's language.
        public let userLocale = Field<String>("userLocale")
        /// The request's own id.
        public let requestIdentifier = Field<UUIDText>("requestIdentifier")
        /// When the App Store signed this.
        public let signedDate = Field<Timestamp>("signedDate")
        /// Where the receipt was made.
        public let environment = Field<StoreEnvironment>("environment")
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
