internal import ReceiptTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Decodes the payload of a compact JWS with Foundation. It does not check the signature.
enum JWSPayloadDecoder {
    /// The maximum size of a JWS in bytes, as in the default policy of a `ReceiptVerifier`.
    private static let maximumSize = 262_144

    /// Returns the payload, or the failure that a verifier reports for a JWS that it cannot decode.
    static func decode<Payload: PayloadModel>(_ jws: String, as: Payload.Type) -> VerificationResult<Payload> {
        switch members(of: jws) {
        case .unverified(let failure): return .unverified(failure)
        case .verified(let members):
            if let mismatch = Payload.schema.firstMismatch(in: members) {
                let expected = "\(mismatch.path) to be \(mismatch.expected)"
                return .unverified(.init(code: .claimType, expected: expected, actual: mismatch.actual))
            }
            return .verified(Payload(members: members))
        }
    }

    /// Returns the members of the payload, of any types, or the failure.
    static func members(of jws: String) -> VerificationResult<JSONObject> {
        guard jws.utf8.count <= maximumSize else { return .unverified(.init(code: .tooLarge)) }
        let segments = jws.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 3, !segments[0].isEmpty, !segments[1].isEmpty else {
            return .unverified(.init(code: .segmentCount))
        }
        guard let payload = bytes(base64URL: segments[1]) else { return .unverified(.init(code: .encoding)) }
        let json: JSONValue
        do {
            json = try DecodedJSON.value(of: payload)
        } catch {
            return .unverified(.init(code: .payloadMalformed))
        }
        guard let object = json.object else {
            return .unverified(.init(code: .payloadNotAnObject, actual: json.kind.name))
        }
        return .verified(object)
    }

    /// Decodes base64url without padding (RFC 7515 section 2); nil if the text is not canonical.
    private static func bytes(base64URL text: Substring.UTF8View) -> Data? {
        var standard = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            // None of these belongs to base64url without padding; the decoder rejects the replacement.
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): UInt8(ascii: "!")
            default: byte
            }
        }
        standard += Array(repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(standard)), data.base64EncodedData().elementsEqual(standard)
        else { return nil }
        return data
    }
}
