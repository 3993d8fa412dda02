extension ReceiptKind {
    /// The fields that a payload of this kind can have.
    public var schema: Schema {
        switch self {
        case .transaction: JWSTransactionDecodedPayload.schema
        case .renewalInfo: JWSRenewalInfoDecodedPayload.schema
        case .notification: ResponseBodyV2DecodedPayload.schema
        case .appTransaction: JWSAppTransactionDecodedPayload.schema
        case .realtimeRequest: DecodedRealtimeRequestBody.schema
        case .playPurchase: PlayPurchase.schema
        }
    }

    /// The field that says when a receipt of this kind was signed; nil where none does.
    public var signingTimeField: String? {
        switch self {
        case .transaction, .renewalInfo, .notification, .realtimeRequest: "signedDate"
        case .appTransaction: "receiptCreationDate"
        case .playPurchase: nil
        }
    }
}
