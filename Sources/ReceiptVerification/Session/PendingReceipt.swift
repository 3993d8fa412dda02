internal import ReceiptTypes

/// A receipt between the checks before its signature is verified and those after it.
struct PendingReceipt {
    /// The outcome of the checks so far; final if there is no pending signature.
    var receipt: CheckedReceipt
    /// The place of the decoded payload in the workspace; nil if there is none, or if it cannot be decoded.
    var payload: Range<Int>?
    var signature: PendingSignature?
}

/// A signature in the workspace's batch, with what the checks after it need.
struct PendingSignature {
    let signer: Signer
    let expectedKind: ReceiptKind?
    let isNested: Bool
    let byteCount: Int
    /// The number of the signature in the workspace's batch.
    let number: Int
    /// Nil until the batch has been verified.
    var verdict: Result<PublicKey.SignatureVerdict, CryptoFault>?
}
