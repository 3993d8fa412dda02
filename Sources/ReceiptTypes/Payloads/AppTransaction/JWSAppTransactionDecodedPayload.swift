/// An app's own purchase, as its signed app transaction says.
public struct JWSAppTransactionDecodedPayload: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// Where the receipt was made.
        public let receiptType = Field<StoreEnvironment>("receiptType")
        /// The app's number in the App Store; in production only.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The bundle id of the app.
        public let bundleId = Field<String>("bundleId")
        /// The version of the app that asked.
        public let applicationVersion = Field<String>("applicationVersion")
        /// The App Store's number for that version.
        public let versionExternalIdentifier = Field<Int64>("versionExternalIdentifier")
        /// When the App Store signed this.
        public let receiptCreationDate = Field<Timestamp>("receiptCreationDate")
        /// When the app was bought.
        public let originalPurchaseDate = Field<Timestamp>("originalPurchaseDate")
        /// The version that was bought.
        public let originalApplicationVersion = Field<String>("originalApplicationVersion")
        /// A value by which a device checks that the receipt is its own.
        public let deviceVerification = Field<String>("deviceVerification")
        /// The nonce of that value.
        public let deviceVerificationNonce = Field<UUIDText>("deviceVerificationNonce")
        /// When the app was ordered in advance.
        public let preorderDate = Field<Timestamp>("preorderDate")
        /// The id of the customer's download of the app.
        public let appTransactionId = Field<String>("appTransactionId")
        /// The platform on which the app was bought.
        public let originalPlatform = Field<OriginalPlatform>("originalPlatform")
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
