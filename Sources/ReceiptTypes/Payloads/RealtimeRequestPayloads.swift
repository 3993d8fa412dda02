/// The body of a request of the App Store Retention Messaging API (`RealtimeRequestBody`).
public struct RealtimeRequestBody: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The request as a compact JWS, whose payload is a ``DecodedRealtimeRequestBody``.
        public let signedPayload = Field<String>("signedPayload")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

/// The payload of a request of the App Store Retention Messaging API (`DecodedRealtimeRequestBody`).
public struct DecodedRealtimeRequestBody: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The transaction ID of the original purchase.
        public let originalTransactionId = Field<String>("originalTransactionId")
        /// The Apple ID of the app in the App Store.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The ID of the customer's product.
        public let productId = Field<String>("productId")
        /// The locale of the customer's device.
        public let userLocale = Field<String>("userLocale")
        /// The ID of the request.
        public let requestIdentifier = Field<UUIDText>("requestIdentifier")
        /// The time at which the App Store signed the payload, in milliseconds since 1970.
        public let signedDate = Field<Timestamp>("signedDate")
        /// The environment in which the App Store created the payload.
        public let environment = Field<StoreEnvironment>("environment")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}
