/// Recognizes an app receipt, and the older receipts of single transactions, by their first bytes.
enum AppReceiptForm {
    /// The OID 1.2.840.113549.1.7.2, signedData, in DER.
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    /// The most layers of wrapping that are taken off a text that begins with a receipt.
    private static let maximumLayers = 4

    /// Returns the receipts of a text that begins with one; nothing for any other text.
    ///
    /// What follows the receipts does not belong to them. A receipt that is damaged or incomplete is one too.
    ///
    /// - Parameter trimmed: The text without white space around it, which bytes of a receipt can look like.
    static func receipts(in text: [UInt8], trimmed: [UInt8]) -> [[UInt8]] {
        guard trimmed.count >= headCount else { return [] }
        if isPKCS7(trimmed) {
            let isBinary = trimmed.first == 0x30
            let whole = isBinary ? [UInt8](text[(text.firstIndex(of: 0x30) ?? 0)...]) : trimmed
            let decoded = isBinary ? whole : InputDetector.looseBase64(trimmed) ?? []
            if byteCount(decoded) == decoded.count { return [whole] }
        }
        var layer = ScannedText(text)
        guard let start = beginning(of: layer), AppReceiptScan.begins(at: start, in: layer) else { return [] }
        var found: [AppReceiptCandidate] = []
        var last: [UInt8] = []
        for _ in 0...maximumLayers {
            let candidates = AppReceiptScan.candidates(in: layer)
            // A wrapping whose removal destroys the receipt was none.
            guard !candidates.isEmpty else { break }
            // They take the place of those that were incomplete.
            let place = found.firstIndex { !$0.isFinal } ?? 0
            found.removeAll { !$0.isFinal }
            found.insert(contentsOf: candidates, at: place)
            last = layer.bytes
            // What follows a receipt that is complete must not destroy it: it may have no such wrapping.
            guard !candidates.allSatisfy(\.isFinal),
                let unwrapped = Unwrapping.unwrap(layer.without(candidates.filter(\.isFinal).map(\.range)))
            else { break }
            layer = unwrapped.text
        }
        return receipts(found, in: last)
    }

    private static func receipts(_ candidates: [AppReceiptCandidate], in text: [UInt8]) -> [[UInt8]] {
        guard candidates.count == 1, isPKCS7([UInt8](text[candidates[0].range.lowerBound...].prefix(headCount))),
            text[candidates[0].range.lowerBound] == 0x30
        else { return candidates.map(\.receipt) }
        // Bytes after a single container in DER cannot be told from a part of it; white space can.
        let rest = text[min(candidates[0].range.upperBound, text.count)...]
        let isAlone = rest.allSatisfy(\.isWhiteSpace)
        return [isAlone ? candidates[0].receipt : [UInt8](text[candidates[0].range.lowerBound...])]
    }

    /// What databases, debuggers and programming languages write before bytes.
    private static let prefixes = [
        "", "\\x", "\\\\x", "'\\x", "0x", "0X", "x'", "X'", "<", "<Buffer ", "b'", "b\"", "[", "{\"0\":", "[]byte{0x",
    ].map { [UInt8]($0.utf8) }

    /// Returns the index at which a receipt begins if the text begins with one: after white space, after what stands
    /// before bytes, or after the offset of a dump.
    private static func beginning(of text: ScannedText) -> Int? {
        let start = text.end(of: ByteSet.spaces, from: 0)
        let ends = prefixes.compactMap { text.has($0, at: start) ? start + $0.count : nil }
        return (ends + [PrintedBytes.endOfOffset(in: text, at: start)].compactMap(\.self)).first {
            AppReceiptScan.begins(at: $0, in: text)
        }
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

    // MARK: Length

    /// The most bytes up to the end of the OID.
    static let headCount = 6 + signedData.count

    /// Returns the number of bytes of a container, by the length with which it begins; nil if it is indefinite.
    static func byteCount(_ head: [UInt8]) -> Int? {
        guard head.count >= 6, head[0] == 0x30, (0x81...0x84).contains(head[1]) else { return nil }
        let lengthCount = Int(head[1] & 0x7F)
        return head[2..<2 + lengthCount].reduce(0) { $0 << 8 | Int($1) } + 2 + lengthCount
    }

    /// Returns the number of bytes of a container in BER of indefinite length; nil if it does not end.
    static func berCount(_ bytes: [UInt8]) -> Int? { bytes.withRawSpan { SignedData.byteCount(ofBER: $0) } }

    /// Returns the index at which a container begins whose OID the last bytes are.
    static func lastHead(in bytes: [UInt8]) -> Int? {
        guard bytes.last == signedData.last, bytes.suffix(signedData.count).elementsEqual(signedData) else {
            return nil
        }
        let oid = bytes.count - signedData.count
        return (max(oid - 6, 0)...max(oid - 2, 0)).first {
            bytes[$0] == 0x30 && $0 + 2 + (bytes[$0 + 1] == 0x80 ? 0 : Int(bytes[$0 + 1] & 0x7F)) == oid
        }
    }

    // MARK: Damage

    /// The OID in the base64 of receipts with a length of two bytes, of three or none, and of one or four, in lower
    /// case; and the indices of its first digit.
    private static let caselessMarks = [
        ("yjkozihvcnaqcc", [6]), ("gcsqgsib3dqeha", [3, 7]), ("bgkqhkig9w0bbw", [4, 8]),
    ]
    .map { (mark: [UInt8]($0.utf8), places: $1) }

    /// Returns whether digits of base64 have the OID at one of its places; the case of letters does not matter.
    ///
    /// Most texts differ in the first digit that is compared, so this is far faster than to decode the digits.
    static func canBePKCS7(_ digits: some RandomAccessCollection<UInt8>) -> Bool {
        caselessMarks.contains { mark, places in
            places.contains { digits.dropFirst($0).prefix(mark.count).elementsEqual(mark) { $0 | 0x20 == $1 } }
        }
    }

    /// The fewest digits that can show that the OID is at none of its places.
    static let fewestDigits = 9

    /// Returns whether the OID can begin at one of its places, by the first digits.
    static func canBeginPKCS7(_ digits: [UInt8]) -> Bool {
        caselessMarks.contains { mark, places in
            places.contains { $0 < digits.count && digits[$0] | 0x20 == mark[0] }
        }
    }

    /// Returns whether digits of base64 are the beginning of a receipt of which the cases of the letters were lost.
    static func isCaselessPKCS7(_ digits: [UInt8]) -> Bool {
        let digits = digits.prefix(AppReceiptScan.headLength)
        guard digits.prefix(2).elementsEqual("mi".utf8, by: { $0 | 0x20 == $1 }), canBePKCS7(digits)
        else { return false }
        let upper = digits.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        let lower = digits.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        return upper != lower
    }

    // MARK: Large receipts

    /// The OID in the base64 of a receipt whose length takes up three bytes or none, which all of 64 KiB to 16 MiB and
    /// those of Xcode have, in hexadecimal, and in DER.
    private static let marks =
        ["CSqGSIb3DQEHA", "2a864886f70d010702", "2A864886F70D010702"].map { [UInt8]($0.utf8) }
        + [[UInt8](signedData.dropFirst(2))]

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
