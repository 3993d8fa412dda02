/// Recognizes an app receipt, and the older receipts of single transactions, by their first bytes.
enum AppReceiptForm {
    /// The OID 1.2.840.113549.1.7.2, signedData, in DER.
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    /// Returns the receipt that a text is, without the white space around base64; nil if it is none.
    ///
    /// The last byte of DER can have the value of a space, so nothing is taken off it.
    static func receipt(in text: [UInt8], trimmed: [UInt8]) -> [UInt8]? {
        guard isPKCS7(trimmed) else { return nil }
        guard trimmed.first == 0x30, let start = text.firstIndex(of: 0x30) else { return trimmed }
        return [UInt8](text[start...])
    }

    /// Returns whether the bytes are a SEQUENCE that begins with the OID, in DER or BER, or the base64 of one.
    static func isPKCS7(_ bytes: [UInt8]) -> Bool {
        if bytes.first == 0x30 { return isSignedData(bytes) }
        guard bytes.starts(with: [UInt8]("MI".utf8)) else { return false }
        // 32 characters can be decoded on their own and contain the OID.
        guard bytes.count >= 32, let head = InputDetector.looseBase64([UInt8](bytes.prefix(32))) else { return false }
        return isSignedData(head)
    }

    private static func isSignedData(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 1 else { return false }
        // The length is one byte, or a first byte whose low bits count the bytes that follow (X.690 8.1.3).
        let lengthBytes = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
        return lengthBytes <= 4 && bytes.dropFirst(2 + lengthBytes).starts(with: signedData)
    }

    /// The OID in the base64 of a receipt whose length takes up three bytes or none, which all of 64 KiB to 16 MiB and
    /// those of Xcode have, and in DER.
    private static let marks = [[UInt8]("CSqGSIb3DQEHA".utf8), [UInt8](signedData.dropFirst(2))]

    /// Returns whether a large app receipt can begin somewhere in the bytes.
    static func canBegin(in bytes: RawSpan) -> Bool {
        marks.contains { mark in
            mark.withRawSpan { mark in
                var start = 0
                while let place = bytes.firstOffset(of: mark.byte(at: 0), from: start),
                    bytes.byteCount - place >= mark.byteCount
                {
                    if bytes.extracting(place..<place + mark.byteCount).isEqual(to: mark) { return true }
                    start = place + 1
                }
                return false
            }
        }
    }

    // MARK: Receipts of single transactions

    private static let largestPropertyList = 262_144

    /// Returns whether a text is the receipt of one transaction from before iOS 7 (`transactionReceipt`), a property
    /// list with `purchase-info`, or the base64 of one.
    static func isTransactionReceipt(_ text: [UInt8]) -> Bool {
        guard text.count <= largestPropertyList else { return false }
        let trimmed = InputDetector.trimmed(text)
        return isPropertyList(trimmed) || (InputDetector.looseBase64(trimmed).map(isPropertyList) ?? false)
    }

    /// Returns whether a text that begins like a JWS is such a receipt in base64.
    static func isEncodedTransactionReceipt(_ text: [UInt8]) -> Bool {
        // A JWS has a dot, which ends the search for most of them.
        text.first == UInt8(ascii: "e") && text.firstIndex(of: ".", from: 0) == nil && isTransactionReceipt(text)
    }

    private static func isPropertyList(_ text: [UInt8]) -> Bool {
        let trimmed = InputDetector.trimmed(text)
        guard trimmed.first == UInt8(ascii: "{"), trimmed.last == UInt8(ascii: "}") else { return false }
        let list = String(decoding: trimmed, as: UTF8.self)
        return ["\"signature\" = \"", "\"purchase-info\" = \""].allSatisfy(list.contains)
    }
}
