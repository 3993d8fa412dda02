/// The kind of a receipt, which determines the model of its payload.
public enum ReceiptKind: String, Sendable, Hashable, CaseIterable {
    /// An App Store transaction: one purchase, renewal or refund.
    case transaction
    /// An App Store renewal info: how a subscription renews next.
    case renewalInfo
    /// An App Store server notification, version 2.
    case notification
    /// An App Store app transaction: the customer's purchase of the app itself.
    case appTransaction
    /// A request of the App Store Retention Messaging API.
    case realtimeRequest
    /// A Google Play purchase.
    case playPurchase
    /// An App Store app receipt: the customer's purchase of the app and the in-app purchases, in PKCS#7.
    case appReceipt

    /// The kind with its article, such as "a transaction".
    public var title: String {
        switch self {
        case .transaction: "a transaction"
        case .renewalInfo: "a renewal info"
        case .notification: "a notification"
        case .appTransaction: "an app transaction"
        case .realtimeRequest: "a realtime request"
        case .playPurchase: "a Google Play purchase"
        case .appReceipt: "an app receipt"
        }
    }

    /// Creates a kind from its raw value or the raw value in kebab case, such as `renewalInfo` or `renewal-info`.
    ///
    /// Letter case and hyphens do not matter.
    public init?(name: String) {
        let wanted = name.lowercased().filter { $0 != "-" }
        guard let kind = Self.allCases.first(where: { $0.rawValue.lowercased() == wanted }) else { return nil }
        self = kind
    }

    /// The fields of the payload of this kind.
    public var schema: Schema {
        switch self {
        case .transaction: JWSTransactionDecodedPayload.schema
        case .renewalInfo: JWSRenewalInfoDecodedPayload.schema
        case .notification: ResponseBodyV2DecodedPayload.schema
        case .appTransaction: JWSAppTransactionDecodedPayload.schema
        case .realtimeRequest: DecodedRealtimeRequestBody.schema
        case .playPurchase: PlayPurchase.schema
        case .appReceipt: AppReceipt.schema
        }
    }

    /// The field that contains the signing time of a receipt of this kind; nil if the kind has no such field.
    public var signingTimeField: String? {
        switch self {
        case .transaction, .renewalInfo, .notification, .realtimeRequest: "signedDate"
        case .appTransaction, .appReceipt: "receiptCreationDate"
        case .playPurchase: nil
        }
    }
}
