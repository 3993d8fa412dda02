/// The body of an App Store server notification, version 2 (`responseBodyV2`).
public struct ResponseBodyV2: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The notification as a compact JWS, whose payload is a ``ResponseBodyV2DecodedPayload``.
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

/// The payload of an App Store server notification (`responseBodyV2DecodedPayload`).
///
/// The App Store sends exactly one of `data`, `summary`, `externalPurchaseToken` and `appData`.
public struct ResponseBodyV2DecodedPayload: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The event.
        public let notificationType = Field<NotificationType>("notificationType")
        /// The detail of the event.
        public let subtype = Field<NotificationSubtype>("subtype")
        /// The ID of the notification, the same in every delivery.
        public let notificationUUID = Field<String>("notificationUUID")
        /// The app and the subscription or purchase that the notification is about.
        public let data = Field<NotificationData>("data")
        /// The version of the format, such as `2.0`.
        public let version = Field<String>("version")
        /// The time at which the App Store signed the payload, in milliseconds since 1970.
        public let signedDate = Field<Timestamp>("signedDate")
        /// The result of an extension for all subscribers of a product.
        public let summary = Field<NotificationSummary>("summary")
        /// The token of a purchase outside the App Store.
        public let externalPurchaseToken = Field<ExternalPurchaseToken>("externalPurchaseToken")
        /// The app that the notification is about.
        public let appData = Field<AppData>("appData")
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

/// The app and the subscription or purchase of a notification (`data`).
public struct NotificationData: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The environment in which the App Store created the payload.
        public let environment = Field<StoreEnvironment>("environment")
        /// The Apple ID of the app in the App Store; absent in sandbox tests.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The bundle ID of the app.
        public let bundleId = Field<String>("bundleId")
        /// The build number of the app.
        public let bundleVersion = Field<String>("bundleVersion")
        /// The transaction as a compact JWS, whose payload is a ``JWSTransactionDecodedPayload``.
        public let signedTransactionInfo = Field<String>("signedTransactionInfo")
        /// The renewal info as a compact JWS, whose payload is a ``JWSRenewalInfoDecodedPayload``.
        public let signedRenewalInfo = Field<String>("signedRenewalInfo")
        /// The status of the subscription at the signing time.
        public let status = Field<SubscriptionStatus>("status")
        /// The reason that the customer states for a refund request.
        public let consumptionRequestReason = Field<ConsumptionRequestReason>("consumptionRequestReason")
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

/// The result of an extension of the renewal date for all subscribers of a product (`summary`).
public struct NotificationSummary: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The environment in which the App Store created the payload.
        public let environment = Field<StoreEnvironment>("environment")
        /// The Apple ID of the app in the App Store.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The bundle ID of the app.
        public let bundleId = Field<String>("bundleId")
        /// The ID of the extended product.
        public let productId = Field<String>("productId")
        /// The ID that the developer chose for the request.
        public let requestIdentifier = Field<String>("requestIdentifier")
        /// The countries of the extension, three-letter ISO 3166-1 codes.
        public let storefrontCountryCodes = Field<[String]>("storefrontCountryCodes")
        /// The number of subscriptions that were extended.
        public let succeededCount = Field<Int64>("succeededCount")
        /// The number of subscriptions that could not be extended.
        public let failedCount = Field<Int64>("failedCount")
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

/// The token of a purchase outside the App Store (`externalPurchaseToken`).
public struct ExternalPurchaseToken: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The ID of the token, which begins with `SANDBOX` in the sandbox.
        public let externalPurchaseId = Field<String>("externalPurchaseId")
        /// The time at which the token was created, in milliseconds since 1970.
        public let tokenCreationDate = Field<Int64>("tokenCreationDate")
        /// The purpose of the token; only tokens of custom links have it.
        public let tokenType = Field<ExternalPurchaseTokenType>("tokenType")
        /// The time at which the token expires, in milliseconds since 1970; only tokens of custom links have it.
        public let tokenExpirationDate = Field<Timestamp>("tokenExpirationDate")
        /// The Apple ID of the app in the App Store.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The bundle ID of the app.
        public let bundleId = Field<String>("bundleId")
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

extension ExternalPurchaseToken {
    /// The environment of the token, which only the beginning of its ID tells.
    public var environment: StoreEnvironment { Self.environment(ofID: self.externalPurchaseId) }

    /// Returns the environment of the token with an ID.
    package static func environment(ofID id: String?) -> StoreEnvironment {
        id?.hasPrefix("SANDBOX") == true ? .sandbox : .production
    }
}

/// The app of a notification (`appData`).
public struct AppData: PayloadModel {
    /// The fields of the payload.
    public struct Fields: Sendable {
        /// The Apple ID of the app in the App Store.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The bundle ID of the app.
        public let bundleId = Field<String>("bundleId")
        /// The environment in which the App Store created the payload.
        public let environment = Field<StoreEnvironment>("environment")
        /// The app transaction as a compact JWS, whose payload is a ``JWSAppTransactionDecodedPayload``.
        public let signedAppTransactionInfo = Field<String>("signedAppTransactionInfo")
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
