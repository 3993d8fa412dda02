/// The body of a server notification of the App Store, version 2.
public struct ResponseBodyV2: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The notification as compact JWS.
        public let signedPayload = Field<String>("signedPayload")
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
