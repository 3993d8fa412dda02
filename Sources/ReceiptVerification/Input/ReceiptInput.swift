/// One receipt as it was found in some text.
public enum ReceiptInput: Sendable, Hashable {
    /// A JWS in compact form.
    case jws([UInt8])
    /// A Google Play purchase: the data as it was signed, and the signature in base64.
    case play(data: [UInt8], signature: [UInt8])
    /// An app receipt in PKCS#7 form.
    case legacyReceipt([UInt8])
    /// Something else.
    case unrecognized([UInt8])

    /// Finds the receipts in a text: a compact JWS; JSON with JWS or a Google Play purchase inside; an app receipt; any
    /// of these in quotation marks, URL-escaped, or in one more base64.
    ///
    /// Only what is around a receipt is taken off. The receipt itself is handed on as it stands, to be judged strictly;
    /// line breaks inside a JWS, which mail and terminals put there, are the one exception.
    ///
    /// - Returns: At least one element; several when the text holds several receipts.
    public static func detect(_ text: [UInt8]) -> [ReceiptInput] {
        var detector = InputDetector()
        return detector.detect(text) ?? [.unrecognized(text)]
    }
}
