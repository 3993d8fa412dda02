/// The token of a purchase outside the App Store.
public struct ExternalPurchaseToken: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The token's id; it begins with SANDBOX in the sandbox.
        public let externalPurchaseId = Field<String>("externalPurchaseId")
        /// When the token was made, in milliseconds since 1970.
        public let tokenCreationDate = Field<Int64>("tokenCreationDate")
        /// The app's number in the App Store.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The bundle id of the app.
        public let bundleId = Field<String>("bundleId")
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
