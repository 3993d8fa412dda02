/// The app and subscription that a notification concerns.
public struct NotificationData: PayloadModel {
    /// The fields that the payload can have.
    public struct Fields: Sendable {
        /// Where the receipt was made.
        public let environment = Field<StoreEnvironment>("environment")
        /// The app's number in the App Store; absent in sandbox tests.
        public let appAppleId = Field<Int64>("appAppleId")
        /// The bundle id of the app.
        public let bundleId = Field<String>("bundleId")
        /// The build number of the app.
        public let bundleVersion = Field<String>("bundleVersion")
        /// The transaction as compact JWS.
        public let signedTransactionInfo = Field<String>("signedTransactionInfo")
        /// The renewal info as compact JWS.
        public let signedRenewalInfo = Field<String>("signedRenewalInfo")
        /// The state of the subscription.
        public let status = Field<SubscriptionStatus>("status")
        /// Why the customer asks for a refund.
        public let consumptionRequestReason = Field<ConsumptionRequestReason>("consumptionRequestReason")
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
