/// The payload of a signed app transaction: the customer's purchase of the app itself.
///
/// It is the `JWSAppTransactionDecodedPayload` of Apple's server libraries and the StoreKit 2 `AppTransaction`.
public struct JWSAppTransactionDecodedPayload: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The environment in which the App Store created the payload.
        public let receiptType = Field<StoreEnvironment>("receiptType")
        /// The Apple ID of the app in the App Store; only in production.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The bundle ID of the app.
        public let bundleId = Field<String>("bundleId")
        /// The version of the app that requested the app transaction.
        public let applicationVersion = Field<String>("applicationVersion")
        /// The App Store's ID of that version.
        public let versionExternalIdentifier = Field<Int64>("versionExternalIdentifier")
        /// The time at which the App Store signed the payload, in milliseconds since 1970.
        public let receiptCreationDate = Field<Timestamp>("receiptCreationDate")
        /// The time at which the customer first obtained the app, in milliseconds since 1970.
        public let originalPurchaseDate = Field<Timestamp>("originalPurchaseDate")
        /// The version of the app that the customer first obtained.
        public let originalApplicationVersion = Field<String>("originalApplicationVersion")
        /// A base64 hash that ties the app transaction to a device.
        public let deviceVerification = Field<String>("deviceVerification")
        /// The nonce of `deviceVerification`.
        public let deviceVerificationNonce = Field<UUIDText>("deviceVerificationNonce")
        /// The time at which the customer pre-ordered the app, in milliseconds since 1970.
        public let preorderDate = Field<Timestamp>("preorderDate")
        /// The ID of the customer's download of the app.
        public let appTransactionId = Field<String>("appTransactionId")
        /// The platform on which the customer first obtained the app.
        public let originalPlatform = Field<OriginalPlatform>("originalPlatform")
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

/// The platform on which the customer first obtained the app (`originalPlatform`).
public struct OriginalPlatform: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `iOS`
    public static let iOS = Self(rawValue: "iOS")
    /// `macOS`
    public static let macOS = Self(rawValue: "macOS")
    /// `tvOS`
    public static let tvOS = Self(rawValue: "tvOS")
    /// `visionOS`
    public static let visionOS = Self(rawValue: "visionOS")
    /// `watchOS`
    public static let watchOS = Self(rawValue: "watchOS")
    /// `managed`: an organization assigned the app.
    public static let managed = Self(rawValue: "managed")

    /// The values that this version knows.
    public static let known: [Self] = [
        .iOS, .macOS, .tvOS, .visionOS, .watchOS, .managed,
    ]
}
