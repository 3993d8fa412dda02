public import ReceiptTypes

/// A verified server notification with the receipts inside it, each with its own verdict.
@dynamicMemberLookup
public struct VerifiedNotification: Sendable {
    /// The notification itself.
    public let payload: ResponseBodyV2DecodedPayload
    /// The transaction of `data.signedTransactionInfo`; nil where there is none.
    public let transaction: VerificationResult<JWSTransactionDecodedPayload>?
    /// The renewal info of `data.signedRenewalInfo`; nil where there is none.
    ///
    /// It can be refused with `payload-not-an-object` in a verified notification: the sandbox has sent `null`.
    public let renewalInfo: VerificationResult<JWSRenewalInfoDecodedPayload>?
    /// The app transaction of `appData.signedAppTransactionInfo`; nil where there is none.
    public let appTransaction: VerificationResult<JWSAppTransactionDecodedPayload>?

    init(_ receipt: CheckedReceipt) {
        payload = ResponseBodyV2DecodedPayload(members: receipt.payload ?? JSONObject())
        transaction = Self.nested("signedTransactionInfo", receipt.nested)
        renewalInfo = Self.nested("signedRenewalInfo", receipt.nested)
        appTransaction = Self.nested("signedAppTransactionInfo", receipt.nested)
    }

    /// A field of the notification.
    public subscript<Value: FieldValue>(
        dynamicMember path: KeyPath<ResponseBodyV2DecodedPayload.Fields, Field<Value>>
    ) -> Value? {
        payload[dynamicMember: path]
    }

    private static func nested<Payload: PayloadModel>(
        _ name: String,
        _ receipts: [NestedReceipt]
    ) -> VerificationResult<Payload>? {
        receipts.first { $0.name == name }.map { VerificationResult($0.receipt) }
    }
}
