internal import ReceiptTypes

/// The place at which a JWS was cut off, for a hint about the commonest damage: a field or a log that is too short.
///
/// A JWS is taken for truncated if its beginning or its end is missing, or if dots stand for its middle. The lengths of
/// header and payload are not known; the signature always has 64 bytes, so what is missing of it can be counted.
struct JWSTruncation {
    /// What to do, in one sentence that names the segment and what is missing.
    let hint: String

    /// The number of bytes of an ES256 signature.
    static let signatureByteCount = 64

    /// Returns nil unless a JWS begins like one and ends too early.
    init?(_ jws: RawSpan) {
        let text = jws.array
        guard !Self.isShortened(text) else {
            hint = "the JWS was shortened: dots stand in place of its middle; copy all of it"
            return
        }
        let segments = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let header = segments.first, header.starts(with: [UInt8]("ey".utf8)),
            // Another character than base64url is another flaw.
            segments.allSatisfy({ $0.allSatisfy(Base64.isURLDigit) })
        else { return nil }
        let place: String
        switch segments.count {
        case 1: place = "the JWS ends in its header, after \(text.count) characters: payload and signature are missing"
        case 2 where segments[1].isEmpty: place = "the JWS ends after its header: payload and signature are missing"
        case 2:
            place = "the JWS ends in its payload, after \(text.count) characters: the 86 of the signature are missing"
        case 3 where segments[2].count < 86:
            guard !segments[1].isEmpty else { return nil }
            let missing = 86 - segments[2].count
            place = "the JWS ends in its signature: the last \(missing) of its 86 characters are missing"
        default: return nil
        }
        hint = Self.advice(place)
    }

    /// Returns nil if the header segment begins like one: with `{"` in base64url.
    init?(header segment: RawSpan) {
        let text = segment.array
        guard !text.starts(with: [UInt8]("ey".utf8)) else { return nil }
        if let count = Self.countBeforeHeader(in: text) {
            hint =
                "\(count == 1 ? "1 character stands" : "\(count) characters stand") before the JWS: pass it from its "
                + "first characters, which are eyJ"
            return
        }
        hint = "the beginning of the JWS is missing: copy it from its first characters, which are eyJ"
    }

    /// The most places in a segment at which a header is looked for.
    private static let maximumPlaces = 8

    /// Returns the number of characters before a complete header; nil if there is no complete header.
    private static func countBeforeHeader(in text: [UInt8]) -> Int? {
        var places = 0
        for place in text.indices.dropFirst() where text[place...].starts(with: [UInt8]("eyJ".utf8)) {
            places += 1
            guard places <= maximumPlaces else { return nil }
            let header = Array(text[place...]).withRawSpan { Base64.url.decode($0) }
            if let header, (try? JSONDocument.value(of: header))?.object != nil { return place }
        }
        return nil
    }

    /// Returns whether a text begins like a JWS and has two dots beside each other, or an ellipsis.
    private static func isShortened(_ text: [UInt8]) -> Bool {
        guard text.starts(with: [UInt8]("ey".utf8)) else { return false }
        var dot = text.firstIndex(of: ".", from: 0)
        while let place = dot {
            dot = text.firstIndex(of: ".", from: place + 1)
            if dot == place + 1 { return true }
        }
        return !ByteSet.ascii.containsAll(of: text) && String(decoding: text, as: UTF8.self).contains("…")
    }

    /// Returns nil unless a signature is too short.
    init?(signatureByteCount count: Int) {
        guard count < Self.signatureByteCount else { return nil }
        hint = Self.advice(
            "the JWS ends in its signature: \(Self.signatureByteCount - count) of its 64 bytes are missing")
    }

    /// What follows a JWS is not known here, so neither is whether it ends or is interrupted.
    private static func advice(_ place: String) -> String {
        "\(place), or other characters interrupt it; copy it to its end, in one piece"
    }
}
