extension ReceiptInput {
    /// Finds the receipts in the input and removes their wrappings.
    ///
    /// It finds a compact JWS, JSON that contains JWS or a Google Play purchase, a form or a printed object that is a
    /// purchase, an app receipt, and any of these in quotation marks, percent-encoded, or base64-encoded.
    ///
    /// Only wrappings are removed. The receipt itself is returned unchanged, so that it is verified strictly. The only
    /// exceptions are line breaks in a JWS and the white space around them, which mail programs and terminals insert.
    ///
    /// - Returns: At least one element; several if the input contains several receipts.
    public static func detect(_ text: [UInt8]) -> [ReceiptInput] {
        var detector = InputDetector()
        return detector.detectReceipts(in: text) ?? [.unrecognized(text)]
    }
}

extension InputDetector {
    /// Returns the receipts in the bytes, of which a purchase can also be a form or a printed object; nil if there are
    /// none.
    mutating func detectReceipts(in text: [UInt8]) -> [ReceiptInput]? {
        if let found = detect(text) { return found }
        guard !isOverLimit, let purchase = PurchaseScan.only(in: Self.trimmed(text), trials) else { return nil }
        return [purchase]
    }
}
