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

    /// Finds the receipts in the input and removes their wrappings.
    ///
    /// It finds a compact JWS, JSON that contains JWS or a Google Play purchase, an app receipt, and any of these in
    /// quotation marks, percent-encoded, or base64-encoded.
    ///
    /// Only wrappings are removed. The receipt itself is returned unchanged, so that it is verified strictly. The only
    /// exceptions are line breaks in a JWS and the white space around them, which mail programs and terminals insert.
    ///
    /// - Returns: At least one element; several if the input contains several receipts.
    public static func detect(_ text: [UInt8]) -> [ReceiptInput] {
        var detector = InputDetector()
        return detector.detect(text) ?? [.unrecognized(text)]
    }
}
