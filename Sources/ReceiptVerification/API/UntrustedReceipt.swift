public import ReceiptTypes

/// What a JWS says, without any judgement: nothing of it may be trusted.
public struct UntrustedReceipt: Sendable {
    /// The decoded header.
    public let header: JSONObject
    /// The decoded payload; nil when it is no JSON.
    public let payload: JSONValue?
    /// The kind that the payload looks like.
    public let kind: ReceiptKind?
    /// The certificates of `x5c` that could be read, with their places.
    public let certificates: [(index: Int, certificate: UntrustedCertificate)]
    /// The number of bytes of the signature; nil when it is not base64url.
    public let signatureByteCount: Int?

    /// Decodes a compact JWS as far as it goes; nil unless it has three segments and a JSON object as header.
    public init?(decoding jws: [UInt8]) {
        guard jws.count <= VerificationPolicy.defaultMaximumSize, let parts = Self.segments(of: jws),
            case .object(let header)? = Self.json(parts.header, maximumDepth: Budget.headerDepth)
        else { return nil }
        self.header = header
        payload = Self.json(parts.payload, maximumDepth: Budget.payloadDepth)
        kind = Self.read(parts.payload, maximumDepth: Budget.payloadDepth) { ReceiptKind(detecting: $0) } ?? nil
        signatureByteCount = Base64.url.decode(parts.signature)?.count
        var certificates: [(index: Int, certificate: UntrustedCertificate)] = []
        for (index, entry) in (header["x5c"]?.elements ?? []).prefix(Self.maximumCertificates).enumerated() {
            guard let der = entry.text.flatMap(Base64.standard.decode), let certificate = try? Certificate(der: der)
            else { continue }
            certificates.append((index, UntrustedCertificate(certificate)))
        }
        self.certificates = certificates
    }

    private static let maximumCertificates = 16

    private static func segments(of jws: [UInt8]) -> (header: String, payload: String, signature: String)? {
        jws.withRawSpan { span in
            guard let parts = CompactJWS(span) else { return nil }
            return (parts.header.text, parts.payload.text, parts.signature.text)
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

/// What a certificate says of itself.
public struct UntrustedCertificate: Sendable {
    /// The common name, or the whole name where there is none.
    public let subject: String
    /// The issuer's common name.
    public let issuer: String
    /// Hexadecimal.
    public let serialNumber: String
    /// Since when it is valid.
    public let notBefore: Timestamp
    /// Until when it is valid.
    public let notAfter: Timestamp
    /// The key's algorithm and size in words.
    public let key: String
    /// The algorithm of the issuer's signature.
    public let signatureAlgorithm: String
    /// The OIDs of all extensions.
    public let extensions: [String]
    /// The SHA-256 of the whole certificate.
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
