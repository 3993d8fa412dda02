internal import CFuzzCurve

@testable internal import ReceiptVerification

/// Properties of root and key files with any bytes.
enum TrustFileChecks {
    static func check(_ bytes: [UInt8]) {
        var anchors = TrustAnchors()
        if let found = try? anchors.add(bytes) {
            require(!found.isEmpty && anchors.anchors.count <= found.count, "roots without a certificate")
            if bytes.first == 0x30 {
                requireEqual(found.map(\.fingerprint), [SHA256Digest(of: bytes)], "the fingerprint of a root")
            }
        } else {
            require(anchors.anchors.isEmpty, "a rejected file added roots")
        }
        _ = PlayKeyring.problem(ofKey: bytes)
        checkKeys(bytes)
    }

    /// Checks that a key has exactly one encoding in each form: reading and writing returns the same bytes.
    private static func checkKeys(_ bytes: [UInt8]) {
        if let key = try? ES256PublicKey(derRepresentation: bytes) {
            requireEqual(key.derRepresentation, bytes, "a key in DER, read and written back")
            requireEqual(
                try? ES256PublicKey(pemRepresentation: key.pemRepresentation), key,
                "a key, written as PEM and read back")
            requireEqual(
                try? ES256PublicKey(x963Representation: key.x963Representation), key,
                "a key, written as a point and read back")
        }
        if let key = try? ES256PublicKey(pemRepresentation: String(decoding: bytes, as: UTF8.self)) {
            requireEqual(
                try? ES256PublicKey(derRepresentation: key.derRepresentation), key,
                "a key from PEM, written as DER and read back")
        }
        let point = (try? ES256PublicKey(x963Representation: bytes))?.x963Representation
        var sum = [UInt8](repeating: 0, count: 65)
        let isOnCurve =
            bytes.count == 65 && bytes.first == 4 && fz_point_combine(Scalar.zero.bytes, Scalar.one.bytes, bytes, &sum)
        requireEqual(point, isOnCurve ? bytes : nil, "a point, read and written back")
        if let key = try? ES256PublicKey(certificateDER: bytes) {
            require(bytes.contains([UInt8](key.x963Representation.dropFirst())), "a key that is not in the certificate")
        }
    }
}
