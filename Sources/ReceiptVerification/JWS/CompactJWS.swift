/// The three segments of a JWS in compact serialization (RFC 7515 7.1), still encoded.
struct CompactJWS: ~Escapable {
    let header: RawSpan
    let payload: RawSpan
    let signature: RawSpan
    /// `header.payload`, the bytes that are signed (RFC 7515 5.1).
    let signingInput: RawSpan

    /// Splits a JWS at its dots; nil unless there are exactly two, and neither header nor payload is empty.
    @_lifetime(copy text)
    init?(_ text: RawSpan) {
        let dot = UInt8(ascii: ".")
        guard let first = text.firstOffset(of: dot),
            let second = text.firstOffset(of: dot, from: first + 1),
            text.firstOffset(of: dot, from: second + 1) == nil,
            first > 0, second > first + 1
        else { return nil }
        header = text.extracting(0..<first)
        payload = text.extracting(first + 1..<second)
        signature = text.extracting(second + 1..<text.byteCount)
        signingInput = text.extracting(0..<second)
    }

    /// Says in words what bytes have instead of three segments.
    static func found(in text: RawSpan) -> String {
        switch segmentCount(of: text) {
        case 1: "1 segment"
        case 3: "3 segments, of which the first or the second is empty"
        case let count: "\(count) segments"
        }
    }

    /// Returns the number of segments in the bytes: the number of dots plus one.
    static func segmentCount(of text: RawSpan) -> Int {
        var count = 1
        var offset = 0
        while let dot = text.firstOffset(of: UInt8(ascii: "."), from: offset) {
            count += 1
            offset = dot + 1
        }
        return count
    }
}
