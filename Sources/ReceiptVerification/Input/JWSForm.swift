/// Recognizes a compact JWS by its form, valid or not.
///
/// The first segment begins with a JSON object, or the last one has the length of an ES256 signature. A JWS that was
/// cut or changed has one of the two, so it is verified and gets the code of its flaw instead of `format-unrecognized`.
enum JWSForm {
    /// The number of base64url characters of an ES256 signature, which has 64 bytes.
    static let signatureLength = 86
    /// The number of characters that are decoded to find the beginning of the header.
    private static let prefixLength = 64
    private static let dot = UInt8(ascii: ".")
    private static let comma = UInt8(ascii: ",")

    /// Returns the bytes without line breaks if they have the form of a complete JWS; otherwise nil.
    ///
    /// A JWS with words on the lines around it is not complete: a search finds it in them.
    static func complete(_ text: [UInt8]) -> [UInt8]? {
        guard charactersOfLines.containsAll(of: text), text.withRawSpan({ $0.count(of: dot) }) == 2 else { return nil }
        let joined = InputDetector.joiningLines(text)
        guard characters.containsAll(of: joined), matches(joined) else { return nil }
        return joined.count < text.count && isAmongLines(of: text) ? nil : joined
    }

    /// Returns whether some of the lines are a sound JWS, and others stand before or behind them.
    private static func isAmongLines(of text: [UInt8]) -> Bool {
        let lines = text.split(whereSeparator: \.isLineBreak).map { InputDetector.trimmed([UInt8]($0)) }
        guard let first = lines.firstIndex(where: beginsWithObject) else { return false }
        var jws: [UInt8] = []
        for index in first..<lines.count {
            jws += lines[index]
            // Most lines end before the signature does, and need no comparison of all segments.
            if jws.suffix(signatureLength + 1).first == dot, isSound(jws) {
                return first > 0 || index < lines.count - 1
            }
        }
        return false
    }

    /// Returns whether the bytes are three segments of base64url, the last one of the length of a signature.
    ///
    /// Such a JWS is complete. Whether it is one is for the verifier to decide.
    static func isSound(_ text: [UInt8]) -> Bool {
        let segments = text.split(separator: dot, omittingEmptySubsequences: false)
        return segments.count == 3 && segments[2].count == signatureLength
            && segments.allSatisfy { !$0.isEmpty && $0.allSatisfy(Base64.isURLDigit) }
    }

    /// Returns whether header and payload encode texts in braces.
    static func hasObjects(_ jws: [UInt8]) -> Bool {
        jws.split(separator: dot).prefix(2).allSatisfy { segment in
            let bytes = [UInt8](segment).withRawSpan { Base64.url.decode($0) } ?? []
            return bytes.first == UInt8(ascii: "{") && bytes.last == UInt8(ascii: "}")
                && String(validating: bytes, as: UTF8.self) != nil
        }
    }

    /// Returns whether the bytes begin or end like a JWS.
    static func matches(_ text: [UInt8]) -> Bool {
        beginsWithObject(text) || endsWithSignature(text)
    }

    /// Returns whether the bytes are part of a JWS, for text inside JSON.
    ///
    /// Without a dot, they could be the base64 of other JSON.
    static func matchesSegments(_ text: [UInt8]) -> Bool {
        text.contains(dot) && matches(text)
    }

    /// Returns whether the bytes are one word that begins like a JWS, so that nothing else is around it.
    static func isWord(_ text: [UInt8]) -> Bool {
        ByteSet.partsOfJWS.end(in: text, from: 0) == text.count && beginsWithObject(text)
    }

    static func beginsWithObject(_ text: [UInt8]) -> Bool {
        var prefix = [UInt8](text.prefix(prefixLength).prefix { Base64.isURLDigit($0) })
        guard prefix.count > 1 else { return false }
        // A group of four characters is always canonical.
        while prefix.count % 4 != 0 { prefix.append(UInt8(ascii: "A")) }
        var bytes = (prefix.withRawSpan { Base64.url.decode($0) } ?? []).filter { !$0.isWhiteSpace }[...]
        guard bytes.popFirst() == UInt8(ascii: "{") else { return false }
        return bytes.first == UInt8(ascii: "\"") || bytes.first == UInt8(ascii: "}")
    }

    /// Returns whether a single word ends like a JWS: a table or a text can end with a complete one.
    private static func endsWithSignature(_ text: [UInt8]) -> Bool {
        guard let last = text.lastIndex(of: dot), !text.contains(where: { $0.isWhiteSpace || $0 == comma })
        else { return false }
        let signature = text[text.index(after: last)...]
        return signature.count == signatureLength && signature.allSatisfy(Base64.isURLDigit)
    }

    /// Returns whether a byte can occur in a JWS, or in one to which a tool has added padding, spaces or `+` and `/`.
    private static let characters = ByteSet { Base64.isURLDigit($0) || ".+/= ".utf8.contains($0) }
    private static let charactersOfLines = ByteSet { characters.contains($0) || $0.isWhiteSpace }
}
