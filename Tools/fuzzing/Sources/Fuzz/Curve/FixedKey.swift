@testable internal import ReceiptVerification

/// A P-256 key that is derived from a name and signs deterministically, so that a finding can be reproduced.
struct FixedKey {
    let secret: Scalar
    let point: CurvePoint

    init(_ name: String) {
        self.init(secret: Scalar(SHA256Digest(of: [UInt8](name.utf8)).bytes))
    }

    init(secret: Scalar) {
        self.secret = secret
        point = must(CurvePoint(generator: secret), "a key of zero")
    }

    /// Returns an ES256 signature, r || s.
    func sign(_ message: [UInt8]) -> [UInt8] {
        let digest = SHA256Digest(of: message).bytes
        return sign(digest: Scalar(digest), nonce: Scalar(SHA256Digest(of: secret.bytes + digest).bytes))
    }

    func sign(digest: Scalar, nonce: Scalar) -> [UInt8] {
        let r = must(CurvePoint(generator: nonce), "a nonce of zero").r
        let s = must(nonce.inverse, "a nonce of zero") * (digest + r * secret)
        return r.bytes + s.bytes
    }

    /// The SubjectPublicKeyInfo in DER.
    var subjectPublicKeyInfo: [UInt8] {
        DER.sequence(
            DER.sequence(DER.objectIdentifier("1.2.840.10045.2.1"), DER.objectIdentifier("1.2.840.10045.3.1.7")),
            DER.bitString(point.bytes)
        )
    }

    /// The private key as the package reads it: a PrivateKeyInfo with an ECPrivateKey (RFC 5958, RFC 5915).
    func privateKey() throws -> PrivateKey {
        try PrivateKey(
            pkcs8: DER.sequence(
                DER.integer([0]),
                DER.sequence(DER.objectIdentifier("1.2.840.10045.2.1"), DER.objectIdentifier("1.2.840.10045.3.1.7")),
                DER.octetString(DER.sequence(DER.integer([1]), DER.octetString(secret.bytes)))
            )
        )
    }
}

extension SHA256Digest {
    init(of bytes: [UInt8]) {
        self = must(try? bytes.withRawSpan { (span) throws(CryptoFault) in try SHA256Digest.of(span) }, "SHA-256")
    }
}
