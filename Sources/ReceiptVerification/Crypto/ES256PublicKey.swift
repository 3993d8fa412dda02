/// A P-256 public key that verifies ES256 signatures (RFC 7518 3.4).
///
/// ```swift
/// let key = try ES256PublicKey(pemRepresentation: pem)
/// let isValid = key.isValidSignature(signature, for: message)
/// ```
public struct ES256PublicKey: Sendable {
    let key: PublicKey

    package init(_ key: PublicKey) {
        self.key = key
    }

    private init(checking key: PublicKey?) throws(ES256KeyError) {
        guard let key else { throw ES256KeyError(code: .malformed) }
        guard key.kind == .p256 else { throw ES256KeyError(code: .notP256) }
        self.key = key
    }

    /// Reads a SubjectPublicKeyInfo in DER (RFC 5280 4.1.2.7).
    public init(derRepresentation der: [UInt8]) throws(ES256KeyError) {
        try self.init(
            checking: ES256KeyError.mapping { () throws(CryptoFault) in
                try der.withRawSpan { (span) throws(CryptoFault) in try PublicKey(subjectPublicKeyInfo: span) }
            })
    }

    /// Reads a PEM block labelled `PUBLIC KEY` (RFC 7468 13).
    public init(pemRepresentation pem: String) throws(ES256KeyError) {
        guard let blocks = try? PEM.blocks(in: [UInt8](pem.utf8)), let block = blocks.first, block.label == "PUBLIC KEY"
        else { throw ES256KeyError(code: .malformed) }
        try self.init(derRepresentation: block.bytes)
    }

    /// Reads an uncompressed point of 65 bytes: 04 || x || y (SEC 1 2.3.3).
    public init(x963Representation point: [UInt8]) throws(ES256KeyError) {
        try self.init(
            checking: ES256KeyError.mapping { () throws(CryptoFault) in
                try point.withRawSpan { (span) throws(CryptoFault) in try PublicKey(p256Point: span) }
            })
    }

    /// Reads the key of a certificate in DER.
    ///
    /// Nothing else in the certificate is checked.
    public init(certificateDER der: [UInt8]) throws(ES256KeyError) {
        try self.init(
            checking: ES256KeyError.mapping { () throws(CryptoFault) in
                try Certificate(der: der)?.publicKey()
            })
    }

    /// Returns whether a signature, r || s with 32 bytes each, is valid for a message.
    ///
    /// A signature of another length or form is not valid. If an allocation fails, no signature is valid.
    public func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        let verdict = try? message.withRawSpan { message throws(CryptoFault) in
            let digest = try SHA256Digest.of(message)
            return try signature.withRawSpan { (span) throws(CryptoFault) in try key.verifyES256(span, digest: digest) }
        }
        return verdict == .valid
    }

    /// The key as SubjectPublicKeyInfo in DER; empty if an allocation fails.
    public var derRepresentation: [UInt8] { (try? key.subjectPublicKeyInfo()) ?? [] }

    /// The key as a PEM block labelled `PUBLIC KEY`.
    public var pemRepresentation: String { PEM.encode(derRepresentation, label: "PUBLIC KEY") }

    /// The key as an uncompressed point of 65 bytes.
    public var x963Representation: [UInt8] { key.p256Point() ?? [] }
}

extension ES256PublicKey: Hashable {
    /// Returns whether both keys are equal.
    public static func == (left: Self, right: Self) -> Bool { left.x963Representation == right.x963Representation }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(x963Representation) }
}
