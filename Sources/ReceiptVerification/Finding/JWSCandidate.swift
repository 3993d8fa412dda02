internal import ReceiptTypes

/// A JWS in a text, or a part of one.
struct JWSCandidate {
    /// The place in the text, with the white space in between.
    let range: Range<Int>
    /// The characters without white space.
    let jws: [UInt8]
    /// Whether there are three segments, all in base64url, and the signature has 64 bytes.
    let isComplete: Bool

    private static let dot = UInt8(ascii: ".")
    /// The length from which a segment is none of a name or an address.
    private static let longSegment = 64
    /// The length of the longest header without certificates.
    private static let maximumTokenHeader = 512
    private static let maximumTokenPayload = 16_384

    private var segments: [ArraySlice<UInt8>] { jws.split(separator: Self.dot, omittingEmptySubsequences: false) }

    /// Whether an incomplete JWS is one: it has a second segment, or its header names an algorithm or certificates.
    ///
    /// Otherwise it is probably the base64 of JSON.
    var isFragment: Bool {
        guard !isComplete else { return false }
        if let dot = jws.firstIndex(of: Self.dot), jws[dot...].contains(where: Base64.isURLDigit) { return true }
        let digits = jws.prefix(96).prefix { Base64.isURLDigit($0) }
        guard let head = Self.decode(digits.prefix(digits.count / 4 * 4)) else { return false }
        let text = String(decoding: head, as: UTF8.self)
        return ["\"alg\"", "\"x5c\""].contains(where: text.contains)
    }

    /// The characters up to the first one that can belong to a wrapping.
    var beginning: ArraySlice<UInt8> { jws.prefix { $0 == Self.dot || Base64.isURLDigit($0) } }

    /// Whether it ends like a JWS: with a signature of ES256, or with anything after two long segments.
    var endsLikeJWS: Bool {
        let segments = segments
        guard segments.count > 2, let last = segments.last else { return false }
        return last.count == JWSForm.signatureLength || segments[..<2].allSatisfy { $0.count >= Self.longSegment }
    }

    /// Whether it is a token that authorizes a request (RFC 7519), or an encrypted one (RFC 7516): it has no
    /// certificates, and claims of a token instead of those of a receipt.
    var isToken: Bool {
        let segments = segments
        guard segments.count > 2, segments[0].count <= Self.maximumTokenHeader,
            let header = Self.object(segments[0]), header["x5c"] == nil
        else { return false }
        if segments.count == 5, header["enc"] != nil { return true }
        guard segments.count == 3, segments[1].count <= Self.maximumTokenPayload, let payload = Self.object(segments[1])
        else { return false }
        let claims = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"]
        let receipt = ["signedDate", "receiptCreationDate", "transactionId", "notificationType"]
        return claims.contains { payload[$0] != nil } && !receipt.contains { payload[$0] != nil }
    }

    private static func object(_ segment: ArraySlice<UInt8>) -> JSONObject? {
        decode(segment).flatMap { try? JSONDocument.value(of: $0) }?.object
    }

    private static func decode(_ segment: ArraySlice<UInt8>) -> [UInt8]? {
        Array(segment).withRawSpan { Base64.url.decode($0) }
    }
}
