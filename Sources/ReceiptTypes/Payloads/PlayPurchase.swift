/// The signed data of a Google Play purchase (`INAPP_PURCHASE_DATA`, `Purchase.getOriginalJson()`).
///
/// The JSON names are those of the Play Billing Library.
public struct PlayPurchase: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The order ID; absent in test purchases.
        public let orderId = Field<String>("orderId")
        /// The package name of the app.
        public let packageName = Field<String>("packageName")
        /// The product ID.
        public let productId = Field<String>("productId")
        /// The IDs of all products of the purchase.
        public let productIds = Field<[String]>("productIds")
        /// The time of the purchase, in milliseconds since 1970.
        public let purchaseTime = Field<Timestamp>("purchaseTime")
        /// The state of the purchase as the data writes it; ``PlayPurchase/state`` is also right without it.
        public let purchaseState = Field<PlayPurchaseState>("purchaseState")
        /// Another name of `purchaseToken`, which takes precedence.
        public let token = Field<String>("token")
        /// The token as most versions of the store write it; read ``PlayPurchase/purchaseToken``.
        public let purchaseToken = Field<String>("purchaseToken")
        /// The number of products in the purchase.
        public let quantity = Field<Int32>("quantity")
        /// Whether the app has acknowledged the purchase; ``PlayPurchase/isAcknowledged`` is also right without it.
        public let acknowledged = Field<Bool>("acknowledged")
        /// Whether the subscription renews automatically.
        public let autoRenewing = Field<Bool>("autoRenewing")
        /// The string that the app attached to its request.
        public let developerPayload = Field<String>("developerPayload")
        /// The obfuscated ID of the customer's account in the app.
        public let obfuscatedAccountId = Field<String>("obfuscatedAccountId")
        /// The obfuscated ID of the customer's profile in the app.
        public let obfuscatedProfileId = Field<String>("obfuscatedProfileId")
        /// A change of the subscription whose payment is not complete.
        public let pendingPurchaseUpdate = Field<PlayPendingPurchaseUpdate>("pendingPurchaseUpdate")
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

// Google's library reads absent members in this way.
extension PlayPurchase {
    /// The token that identifies the purchase in the Play Developer API: `token`, or else `purchaseToken`.
    public var purchaseToken: String? {
        get { self[dynamicMember: \.token] ?? self[dynamicMember: \.purchaseToken] }
        set {
            self[dynamicMember: \.token] = nil
            self[dynamicMember: \.purchaseToken] = newValue
        }
    }

    /// The state of the purchase, ``PlayPurchaseState/purchased`` without `purchaseState`.
    public var state: PlayPurchaseState { self.purchaseState ?? .purchased }

    /// Whether the app has acknowledged the purchase, true without `acknowledged`.
    public var isAcknowledged: Bool { self.acknowledged ?? true }
}

/// A change of a Google Play subscription whose payment is not complete (`pendingPurchaseUpdate`).
public struct PlayPendingPurchaseUpdate: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The token that the purchase gets when the payment is complete.
        public let purchaseToken = Field<String>("purchaseToken")
        /// The IDs of the products to which the subscription changes.
        public let productIds = Field<[String]>("productIds")
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

/// The state of a Google Play purchase (`purchaseState`).
public struct PlayPurchaseState: NumberedEnum {
    /// The number that the store sends.
    public let rawValue: Int32

    /// Creates a value from any number, known or not.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// 0: the purchase is complete.
    public static let purchased = Self(rawValue: 0)
    /// 1: the purchase was cancelled.
    public static let cancelled = Self(rawValue: 1)
    /// 2: the payment is not complete, as the Play Developer API says it.
    public static let pending = Self(rawValue: 2)
    /// 4: the payment is not complete, as the data that a device receives says it.
    public static let pendingOnDevice = Self(rawValue: 4)

    /// The numbers that this version knows, and their meanings.
    public static let meanings: KeyValuePairs<Self, String> = [
        .purchased: "purchased",
        .cancelled: "cancelled",
        .pending: "pending",
        .pendingOnDevice: "pending, as a device receives it",
    ]
}
