/// The app that a notification concerns.
public struct AppData: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The app's number in the App Store.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The bundle id of the app.
        public let bundleId = Field<String>("bundleId")
        /// Where the receipt was made.
        public let environment = Field<StoreEnvironment>("environment")
        /// The app transaction as compact JWS.
        public let signedAppTransactionInfo = Field<String>("signedAppTransactionInfo")
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
