/// A purchase on Google Play, as its signed data says.
public struct PlayPurchase: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// The order's id; absent in test purchases.
        public let orderId = Field<String>("orderId")
        /// The package name of the app.
        public let packageName = Field<String>("packageName")
        /// The id of the product.
        public let productId = Field<String>("productId")
        /// The ids of all products of the purchase.
        public let productIds = Field<[String]>("productIds")
        /// When the customer bought.
        public let purchaseTime = Field<Timestamp>("purchaseTime")
        /// Whether it is a purchase at all.
        public let purchaseState = Field<PlayPurchaseState>("purchaseState")
        /// The token by which the Play Developer API knows the purchase.
        public let purchaseToken = Field<String>("purchaseToken")
        /// How many were bought.
        public let quantity = Field<Int32>("quantity")
        /// Whether the app has acknowledged the purchase.
        public let acknowledged = Field<Bool>("acknowledged")
        /// Whether the subscription renews by itself.
        public let autoRenewing = Field<Bool>("autoRenewing")
        /// What the app attached to its request.
        public let developerPayload = Field<String>("developerPayload")
        /// The app's id of the customer's account, obfuscated.
        public let obfuscatedAccountId = Field<String>("obfuscatedAccountId")
        /// The app's id of the customer's profile, obfuscated.
        public let obfuscatedProfileId = Field<String>("obfuscatedProfileId")
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
