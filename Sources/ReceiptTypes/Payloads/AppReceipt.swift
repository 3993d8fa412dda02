/// The content of an app receipt (`appStoreReceiptURL`): the customer's purchase of the app, and the in-app purchases.
///
/// An app receipt is a PKCS#7 container with numbered attributes. The names of the fields are those of an app
/// transaction where both have a field. Texts and dates that the receipt leaves empty are absent.
public struct AppReceipt: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The kind of store that created the receipt; see ``AppReceipt/environment``.
        public let receiptType = Field<AppReceiptType>("receiptType")
        /// The Apple ID of the app in the App Store; 0 in the sandbox.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The bundle ID of the app.
        public let bundleId = Field<String>("bundleId")
        /// The version of the app that the receipt was created for.
        public let applicationVersion = Field<String>("applicationVersion")
        /// The App Store's ID of that version; 0 in the sandbox.
        public let versionExternalIdentifier = Field<Int64>("versionExternalIdentifier")
        /// The App Store's ID of the download; 0 in the sandbox.
        public let downloadId = Field<Int64>("downloadId")
        /// The time at which the App Store created the receipt, in milliseconds since 1970.
        public let receiptCreationDate = Field<Timestamp>("receiptCreationDate")
        /// The time at which the customer first obtained the app, in milliseconds since 1970.
        public let originalPurchaseDate = Field<Timestamp>("originalPurchaseDate")
        /// The version of the app that the customer first obtained; 1.0 in the sandbox.
        public let originalApplicationVersion = Field<String>("originalApplicationVersion")
        /// The time at which the receipt expires, in milliseconds since 1970; only for apps of volume purchases.
        public let expirationDate = Field<Timestamp>("expirationDate")
        /// The version of the operating system: 180302 is 18.3.2.
        public let operatingSystemVersion = Field<Int64>("operatingSystemVersion")
        /// The age rating of the app, such as `4+`.
        public let ageRating = Field<String>("ageRating")
        /// The value that is hashed together with the device ID and the bundle ID, in base64.
        public let opaqueValue = Field<String>("opaqueValue")
        /// The SHA-1 that binds the receipt to a device, in base64.
        public let deviceHash = Field<String>("deviceHash")
        /// The in-app purchases, in the order of the receipt.
        public let inApp = Field<[AppReceiptPurchase]>("inApp")
        /// The attributes that no other field has, in the order of the receipt.
        public let unknownAttributes = Field<[UnknownReceiptAttribute]>("unknownAttributes")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    private enum Content: Sendable {
        case members(JSONObject)
        case deferred(DeferredMembers)
    }

    private var content: Content

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject {
        get {
            switch content {
            case .members(let members): members
            case .deferred(let deferred): deferred.members
            }
        }
        set { content = .members(newValue) }
    }

    /// Creates a payload from JSON members.
    public init(members: JSONObject) {
        content = .members(members)
    }

    /// Creates a payload whose members are made when they are first read.
    package init(_ deferred: DeferredMembers) {
        content = .deferred(deferred)
    }

    /// Returns whether the members are equal.
    public static func == (left: Self, right: Self) -> Bool { left.members == right.members }

    /// Feeds the members into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members)
    }

    /// The environment that the receipt comes from; nil without a receipt type.
    public var environment: StoreEnvironment? { self.receiptType?.environment }
}

/// An in-app purchase of an app receipt: one purchase or renewal.
public struct AppReceiptPurchase: PayloadModel {
    /// The fields of the purchase.
    public struct Fields: Sendable {
        /// The number of units.
        public let quantity = Field<Int64>("quantity")
        /// The product ID.
        public let productId = Field<String>("productId")
        /// The type of the product.
        public let productType = Field<AppReceiptProductType>("productType")
        /// The ID of the transaction.
        public let transactionId = Field<String>("transactionId")
        /// The ID of the first transaction of a subscription, or of the transaction that was restored.
        public let originalTransactionId = Field<String>("originalTransactionId")
        /// The time of the purchase or renewal, in milliseconds since 1970.
        public let purchaseDate = Field<Timestamp>("purchaseDate")
        /// The time of the first purchase, in milliseconds since 1970.
        public let originalPurchaseDate = Field<Timestamp>("originalPurchaseDate")
        /// The time at which a subscription expires or renews, in milliseconds since 1970.
        public let expiresDate = Field<Timestamp>("expiresDate")
        /// The time at which Apple's customer support refunded the purchase, in milliseconds since 1970.
        public let cancellationDate = Field<Timestamp>("cancellationDate")
        /// The reason for the refund; 1 for an issue with the app.
        public let cancellationReason = Field<Int64>("cancellationReason")
        /// The App Store's ID of the product; 0 in the sandbox.
        public let productAppleId = Field<Int64>("productAppleId")
        /// The ID of the order of a subscription, across devices; 0 for other products.
        public let webOrderLineItemId = Field<Int64>("webOrderLineItemId")
        /// 1 for a subscription in its free trial, otherwise 0.
        public let isTrialPeriod = Field<Int64>("isTrialPeriod")
        /// 1 for a subscription in its introductory offer, otherwise 0.
        public let isInIntroOfferPeriod = Field<Int64>("isInIntroOfferPeriod")
        /// The ID of the promotional offer with which the customer bought the subscription.
        public let promotionalOfferId = Field<String>("promotionalOfferId")
        /// The attributes that no other field has, in the order of the receipt.
        public let unknownAttributes = Field<[UnknownReceiptAttribute]>("unknownAttributes")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates a purchase from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

/// An attribute of an app receipt whose meaning is not published.
public struct UnknownReceiptAttribute: PayloadModel {
    /// The fields of the attribute.
    public struct Fields: Sendable {
        /// The number of the attribute.
        public let type = Field<Int64>("type")
        /// The version of the attribute, 1 or 2 so far.
        public let version = Field<Int64>("version")
        /// The bytes of the value in base64.
        public let value = Field<String>("value")
    }

    /// The field declarations.
    public static let fields = Fields()
    /// The fields as a list that is searchable by name.
    public static let schema = Schema(reflecting: fields)

    /// The JSON members, known and unknown, in their order.
    public var members: JSONObject

    /// Creates an attribute from JSON members.
    public init(members: JSONObject) {
        self.members = members
    }
}

/// The kind of store that created an app receipt (attribute 0).
public struct AppReceiptType: OpenEnum {
    /// The string that the store sends.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `Production`: the App Store.
    public static let production = Self(rawValue: "Production")
    /// `ProductionSandbox`: the sandbox, including TestFlight and App Review.
    public static let sandbox = Self(rawValue: "ProductionSandbox")
    /// `ProductionVPP`: an app of a volume purchase.
    public static let volumePurchase = Self(rawValue: "ProductionVPP")
    /// `ProductionVPPSandbox`: an app of a volume purchase in the sandbox.
    public static let volumePurchaseSandbox = Self(rawValue: "ProductionVPPSandbox")
    /// `Xcode`: StoreKit testing in Xcode.
    public static let xcode = Self(rawValue: "Xcode")

    /// The type of receipts from an environment.
    package init(_ environment: StoreEnvironment) {
        switch environment {
        case .production: self = .production
        case .sandbox: self = .sandbox
        default: self.init(rawValue: environment.rawValue)
        }
    }

    /// The values that this version knows.
    public static let known: [Self] = [
        .production, .sandbox, .volumePurchase, .volumePurchaseSandbox, .xcode,
    ]

    /// The environment of such receipts; an unknown type is an environment of its own.
    public var environment: StoreEnvironment {
        switch self {
        case .production, .volumePurchase: .production
        case .sandbox, .volumePurchaseSandbox: .sandbox
        default: StoreEnvironment(rawValue: rawValue)
        }
    }
}

/// The type of a product in an app receipt (attribute 1707).
public struct AppReceiptProductType: NumberedEnum {
    /// The number that the store sends.
    public let rawValue: Int32

    /// Creates a value from any number, known or not.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// 0: a non-consumable.
    public static let nonConsumable = Self(rawValue: 0)
    /// 1: a consumable.
    public static let consumable = Self(rawValue: 1)
    /// 2: a non-renewing subscription.
    public static let nonRenewingSubscription = Self(rawValue: 2)
    /// 3: an auto-renewable subscription.
    public static let autoRenewableSubscription = Self(rawValue: 3)

    /// The numbers that this version knows, and their meanings.
    public static let meanings: KeyValuePairs<Self, String> = [
        .nonConsumable: "non-consumable",
        .consumable: "consumable",
        .nonRenewingSubscription: "non-renewing subscription",
        .autoRenewableSubscription: "auto-renewable subscription",
    ]
}
