public import ReceiptTypes

/// The decoded content of a JWS that has not been verified.
///
/// None of it can be trusted.
public struct UntrustedReceipt: Sendable {
    /// The decoded header.
    public let header: JSONObject
    /// The decoded payload; nil if it is not JSON.
    public let payload: JSONValue?
    /// The kind of receipt that the payload's members suggest.
    public let kind: ReceiptKind?
    /// The readable certificates among the first 16 of `x5c`, with their indices.
    public let certificates: [(index: Int, certificate: UntrustedCertificate)]
    /// The bytes of the signature, of any length; nil if it is not base64url. In ES256, they are r and s, of 32 bytes
    /// each.
    public let signature: [UInt8]?
    /// The SHA-256 of the bytes that are signed: header, dot and payload, still encoded (RFC 7515 5.1).
    public let signingInputDigest: SHA256Digest

    /// Decodes a compact JWS as far as possible; nil unless it has three segments and its header is a JSON object.
    ///
    /// A JWS that is larger than ``VerificationPolicy/defaultMaximumSize`` is not decoded.
    public init?(decoding jws: [UInt8]) {
        guard jws.count <= VerificationPolicy.defaultMaximumSize, let parts = Self.segments(of: jws),
            case .object(let header)? = Self.json(parts.header, maximumDepth: Budget.headerDepth),
            let digest = parts.digest
        else { return nil }
        self.header = header
        payload = Self.json(parts.payload, maximumDepth: Budget.payloadDepth)
        kind = Self.read(parts.payload, maximumDepth: Budget.payloadDepth) { ReceiptKind(detecting: $0) } ?? nil
        signature = Base64.url.decode(parts.signature)
        signingInputDigest = digest
        var certificates: [(index: Int, certificate: UntrustedCertificate)] = []
        for (index, entry) in (header["x5c"]?.elements ?? []).prefix(Self.maximumCertificates).enumerated() {
            guard let der = entry.text.flatMap(Base64.standard.decode), let certificate = try? Certificate(der: der)
            else { continue }
            certificates.append((index, UntrustedCertificate(certificate)))
        }
        self.certificates = certificates
    }

    private static let maximumCertificates = 16

    private struct Segments {
        let header, payload, signature: String
        let digest: SHA256Digest?
    }

    private static func segments(of jws: [UInt8]) -> Segments? {
        jws.withRawSpan { span in
            guard let parts = CompactJWS(span) else { return nil }
            return Segments(
                header: parts.header.text, payload: parts.payload.text, signature: parts.signature.text,
                digest: try? SHA256Digest.of(parts.signingInput))
        }
    }

    private static func json(_ segment: String, maximumDepth: Int) -> JSONValue? {
        read(segment, maximumDepth: maximumDepth) { $0.value }
    }

    private static func read<Result>(
        _ segment: String,
        maximumDepth: Int,
        _ body: (borrowing JSONNode) -> Result
    ) -> Result? {
        guard let bytes = Base64.url.decode(segment) else { return nil }
        return try? bytes.withRawSpan { (span) throws(JSONDocument.Fault) in
            let document = try JSONDocument(parsing: span, maximumDepth: maximumDepth)
            return body(document.root)
        }
    }
}

/// The content of a certificate that has not been verified.
public struct UntrustedCertificate: Sendable {
    /// The subject's common name, or the complete name if it has no common name.
    public let subject: String
    /// The issuer's common name, or the complete name if it has no common name.
    public let issuer: String
    /// The serial number in upper-case hexadecimal.
    public let serialNumber: String
    /// The start of the validity.
    public let notBefore: Timestamp
    /// The end of the validity.
    public let notAfter: Timestamp
    /// The algorithm and size of the key, as in "a P-256 key".
    public let key: String
    /// OpenSSL's name of the algorithm of the issuer's signature.
    public let signatureAlgorithm: String
    /// The OIDs of all extensions in dotted form.
    public let extensions: [String]
    /// The SHA-256 of the certificate in DER.
    public let fingerprint: SHA256Digest

    init(_ certificate: Certificate) {
        subject = certificate.subject
        issuer = certificate.issuer
        serialNumber = certificate.serialNumber
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        key = certificate.keyDescription
        signatureAlgorithm = certificate.signatureAlgorithmName
        extensions = certificate.extensions.map(\.oid)
        fingerprint = certificate.fingerprint
    }
}
