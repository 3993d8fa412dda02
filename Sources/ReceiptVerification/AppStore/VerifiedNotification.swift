public import ReceiptTypes

/// A verified server notification with the receipts inside it, each with its own result.
@dynamicMemberLookup
public struct VerifiedNotification: Sendable {
    /// The payload of the notification.
    public let payload: ResponseBodyV2DecodedPayload
    /// The transaction of `data.signedTransactionInfo`; nil if the notification has none.
    public let transaction: VerificationResult<JWSTransactionDecodedPayload>?
    /// The renewal info of `data.signedRenewalInfo`; nil if the notification has none.
    ///
    /// In a verified notification it can fail with `payload-not-an-object`, because the sandbox has sent `null`.
    public let renewalInfo: VerificationResult<JWSRenewalInfoDecodedPayload>?
    /// The app transaction of `appData.signedAppTransactionInfo`; nil if the notification has none.
    public let appTransaction: VerificationResult<JWSAppTransactionDecodedPayload>?

    init(_ receipt: CheckedReceipt) {
        payload = ResponseBodyV2DecodedPayload(members: receipt.payload ?? JSONObject())
        transaction = Self.nested("signedTransactionInfo", receipt.nested)
        renewalInfo = Self.nested("signedRenewalInfo", receipt.nested)
        appTransaction = Self.nested("signedAppTransactionInfo", receipt.nested)
    }

    /// Returns a field of the notification.
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
