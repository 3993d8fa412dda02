/// A receipt as found in the input, before verification.
public enum ReceiptInput: Sendable, Hashable {
    /// A JWS in compact serialization.
    case jws([UInt8])
    /// A Google Play purchase: the signed bytes, and the signature in base64.
    case play(data: [UInt8], signature: [UInt8])
    /// An app receipt: a PKCS#7 container in DER or BER, or its base64 in either alphabet, also with line breaks.
    case appReceipt([UInt8])
    /// Bytes in which no receipt was found.
    case unrecognized([UInt8])
    /// A text that was not searched to its end, since that exceeds the limits of a search. It may contain receipts.
    case unsearched([UInt8])
}
