internal import ReceiptTypes

/// Recognizes the two parts of a Google Play purchase by their values, whatever their names.
///
/// The data is a JSON text that names an app, a purchase token and a time; the signature is base64 of the length of an
/// RSA signature.
package enum PlayValue {
    /// The members of the data by which it is recognized.
    struct Facts: OptionSet {
        let rawValue: UInt8
        static let package = Facts(rawValue: 1)
        static let token = Facts(rawValue: 2)
        static let time = Facts(rawValue: 4)

        /// Whether an object with these members is the data of a purchase; one of them may be damaged.
        var arePurchase: Bool { rawValue.nonzeroBitCount > 1 }
    }

    private static let names: [(name: [UInt8], fact: Facts)] = [
        ([UInt8]("packageName".utf8), .package), ([UInt8]("purchaseToken".utf8), .token),
        ([UInt8]("token".utf8), .token), ([UInt8]("purchaseTime".utf8), .time),
    ]
    /// The numbers of base64 digits, without padding, of RSA signatures of 1024, 2048, 3072 and 4096 bits.
    static let signatureLengths: Set<Int> = [171, 342, 512, 683]
    static let longestSignature = 683
    /// The length of the longest text that is read as a signature, with its line breaks and padding.
    static let maximumSignatureText = 2048

    /// Returns the member that a name in the data of a purchase stands for; nil if it is another one.
    static func fact(named name: some Collection<UInt8>) -> Facts? {
        guard (5...13).contains(name.count) else { return nil }
        return names.first { $0.name.elementsEqual(name) }?.fact
    }

    /// Returns the part of a purchase that a text is; nil if it is none.
    static func part(of text: some BidirectionalCollection<UInt8>) -> PlayInputShape.Part? {
        if isSignature(text) { return .signature }
        return isData(text) ? .data : nil
    }

    /// Returns whether a text is JSON with the members of a purchase, complete or not, also with escapes.
    static func isData(_ text: some BidirectionalCollection<UInt8>) -> Bool {
        guard text.first(where: { !$0.isWhiteSpace }) == UInt8(ascii: "{") else { return false }
        var facts = Facts()
        var name: [UInt8] = []
        for byte in text {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                if let fact = fact(named: name) { facts.insert(fact) }
                if facts.arePurchase { return true }
                name.removeAll(keepingCapacity: true)
            } else if !byte.isLineBreak, name.count < 16 {
                name.append(byte)
            }
        }
        return false
    }

    /// Returns whether a text is base64 of the length of an RSA signature, in either alphabet, with or without padding
    /// and white space.
    static func isSignature(_ text: some Collection<UInt8>) -> Bool {
        guard text.count >= 171, text.count <= maximumSignatureText else { return false }
        var (digits, padding) = (0, 0)
        for byte in text {
            if byte.isWhiteSpace { continue }
            if byte == UInt8(ascii: "=") {
                padding += 1
            } else if padding == 0, ByteSet.base64Digits.contains(byte) {
                digits += 1
            } else {
                return false
            }
        }
        return padding < 3 && signatureLengths.contains(digits)
    }

    /// Returns the token of a purchase, by which two texts of its data are recognized; nil if the text has none.
    static func token(in data: [UInt8]) -> String? {
        let object = (try? JSONDocument.value(of: data))?.object
        return object?["token"]?.text ?? object?["purchaseToken"]?.text
    }

    // MARK: Signatures

    /// Decodes a signature in base64 of either alphabet; nil if it is none.
    ///
    /// White space and padding are not signed.
    static func signature(_ text: RawSpan) -> [UInt8]? {
        digits(text).flatMap { $0.withRawSpan { Base64.url.decode($0) } }
    }

    /// Decodes a signature as verification does; nil if it is none.
    package static func signature(in text: [UInt8]) -> [UInt8]? { text.withRawSpan { signature($0) } }

    /// Returns the digits of a signature, in the alphabet of base64url; nil if it has other characters.
    static func digits(_ text: RawSpan) -> [UInt8]? {
        guard text.byteCount <= Budget.maximumPlaySignature else { return nil }
        var digits: [UInt8] = []
        var padding = 0
        for offset in 0..<text.byteCount {
            switch text.byte(at: offset) {
            case let byte where byte.isWhiteSpace: continue
            case UInt8(ascii: "="): padding += 1
            case let byte where padding > 0 || !ByteSet.base64Digits.contains(byte): return nil
            case UInt8(ascii: "+"): digits.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): digits.append(UInt8(ascii: "_"))
            case let byte: digits.append(byte)
            }
        }
        return padding < 3 ? digits : nil
    }

    /// Returns whether single blanks stand between the digits of a signature, where a form has written `+`.
    static func hasBlanks(_ text: RawSpan) -> Bool {
        let trimmed = text.trimmed
        return trimmed.firstOffset(of: UInt8(ascii: " ")) != nil && trimmed.firstOffset(of: UInt8(ascii: "\n")) == nil
            && trimmed.firstOffset(of: UInt8(ascii: "+")) == nil
    }
}
