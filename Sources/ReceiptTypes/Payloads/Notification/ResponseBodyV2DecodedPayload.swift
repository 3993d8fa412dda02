/// A server notification of the App Store, as its signed payload says. One of the four objects is expected.
public struct ResponseBodyV2DecodedPayload: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// What it is about.
        public let notificationType = Field<NotificationType>("notificationType")
        /// What it is about, more closely.
        public let subtype = Field<NotificationSubtype>("subtype")
        /// The id of the notification, the same each time it is sent.
        public let notificationUUID = Field<String>("notificationUUID")
        /// The app and subscription that it concerns.
        public let data = Field<NotificationData>("data")
        /// The version of the format.
        public let version = Field<String>("version")
        /// When the App Store signed this.
        public let signedDate = Field<Timestamp>("signedDate")
        /// The outcome of an extension for many customers.
        public let summary = Field<NotificationSummary>("summary")
        /// The token of an external purchase.
        public let externalPurchaseToken = Field<ExternalPurchaseToken>("externalPurchaseToken")
        /// The app that it concerns.
        public let appData = Field<AppData>("appData")
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
