extension ReceiptClaims {
    /// Reads the identifiers in a payload that nothing has verified; nil if it is no JSON object.
    ///
    /// The payload is searched without a parser, to save its time. What is in it can be wrong in any case, so broken JSON may
    /// have identifiers too, from before the place where it is broken.
    init?(scanning payload: RawSpan) {
        self.init()
        let start = JSONBytes.start(ofTokenFrom: 0, in: payload)
        var end = payload.byteCount
        while end > start, payload.byte(at: end - 1).isWhiteSpace { end -= 1 }
        guard end - start > 1, payload.byte(at: start) == UInt8(ascii: "{"),
            payload.byte(at: end - 1) == UInt8(ascii: "}")
        else { return nil }
        scan(payload, at: start, isInside: false)
    }

    /// Reads the members of an object, and those of the object in it that tells about the app of a notification.
    private mutating func scan(_ payload: RawSpan, at start: Int, isInside: Bool) {
        JSONBytes.forEachMember(ofObjectAt: start, in: payload) { name, value in
            let name = payload.extracting(name)
            let text = payload.extracting(value)
            switch name.byteCount - 2 {
            case 4 where !isInside && name.isJSON("data"), 7 where !isInside && name.isJSON("summary"),
                7 where !isInside && name.isJSON("appData"),
                21 where !isInside && name.isJSON("externalPurchaseToken"):
                scan(payload, at: value.lowerBound, isInside: true)
            case 8 where name.isJSON("bundleId"), 11 where name.isJSON("packageName"): bundleID = text.jsonString
            case 9 where name.isJSON("productId"):
                if let product = text.jsonString { productIDs.insert(product, at: 0) }
            case 10 where name.isJSON("productIds"):
                JSONBytes.forEachElement(ofArrayAt: value.lowerBound, in: payload) { element in
                    if let product = payload.extracting(element).jsonString { productIDs.append(product) }
                }
            case 13 where name.isJSON("transactionId"), 7 where name.isJSON("orderId"): transactionID = text.jsonString
            case 21 where name.isJSON("originalTransactionId"): originalTransactionID = text.jsonString
            case 13 where name.isJSON("purchaseToken"): purchaseToken = text.jsonString
            case 11 where name.isJSON("environment"), 11 where name.isJSON("receiptType"): environment = text.jsonString
            default: break
            }
            return true
        }
    }
}

extension RawSpan {
    /// Returns whether the bytes are a JSON string with a content that needs no escape.
    fileprivate func isJSON(_ content: StaticString) -> Bool {
        content.withUTF8Buffer { buffer in
            guard byteCount == buffer.count + 2 else { return false }
            for offset in 0..<buffer.count where unsafe byte(at: offset + 1) != buffer[offset] { return false }
            return true
        }
    }

    /// The value of a JSON string; nil if the bytes are none.
    fileprivate var jsonString: String? {
        guard byteCount >= 2, byte(at: 0) == UInt8(ascii: "\"") else { return nil }
        guard firstOffset(of: UInt8(ascii: "\\")) != nil else { return extracting(1..<byteCount - 1).text }
        return unescapedJSON.map { String(decoding: $0, as: UTF8.self) }
    }
}
