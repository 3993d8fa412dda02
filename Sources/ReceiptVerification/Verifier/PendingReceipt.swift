internal import ReceiptTypes

/// A receipt on its way, between the steps before its signature is judged and those after it.
struct PendingReceipt {
    /// What has been found out so far; final where there is no `judgement` to wait for.
    var receipt: CheckedReceipt
    var judgement: Judgement?

    /// What the steps after the signature need.
    struct Judgement {
        let signer: Signer
        let expectedKind: ReceiptKind?
        let isNested: Bool
        /// Where the decoded payload lies in the workspace.
        let payload: Range<Int>
        let signatureByteCount: Int
        /// The signature's number in the workspace's batch.
        let signature: Int
        /// Once the batch has been judged.
        var verdict: Result<PublicKey.SignatureVerdict, CryptoFault>?
    }
}
