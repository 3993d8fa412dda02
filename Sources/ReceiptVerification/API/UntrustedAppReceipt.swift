public import ReceiptTypes

/// The decoded content of an app receipt that has not been verified.
///
/// None of it can be trusted.
public struct UntrustedAppReceipt: Sendable {
    /// The attributes; nil if they cannot be read.
    public let payload: AppReceipt?
    /// The readable certificates among the first four, with their indices.
    public let certificates: [(index: Int, certificate: UntrustedCertificate)]
    /// The bytes of the signature, of any length.
    public let signature: [UInt8]
    /// The hash function that the container names, such as "SHA-256"; nil for one that the App Store does not use.
    public let hash: String?
    /// The SHA-256 of the bytes that are signed: the content of the container.
    public let contentDigest: SHA256Digest

    /// Decodes a container in DER, in BER as Xcode writes it, or in base64, as far as possible; nil if it cannot be
    /// read.
    public init?(decoding receipt: [UInt8]) {
        guard let (der, parts) = Self.container(of: receipt) else { return nil }
        let content = [UInt8](der[parts.content])
        guard let digest = try? SHA256Digest.of(bytes: content) else { return nil }
        contentDigest = digest
        signature = [UInt8](der[parts.signature])
        hash = AppReceiptContainer.hashName(of: [UInt8](der[parts.digestAlgorithm]))
        payload = (try? AppReceiptContent(reading: content))?.payload.map { AppReceipt(members: $0) }
        var certificates: [(index: Int, certificate: UntrustedCertificate)] = []
        for (index, place) in parts.certificatePlaces.enumerated() {
            guard let certificate = try? Certificate(der: [UInt8](der[place])) else { continue }
            certificates.append((index, UntrustedCertificate(certificate)))
        }
        self.certificates = certificates
    }

    private static func container(of receipt: [UInt8]) -> (der: [UInt8], parts: SignedData)? {
        var examination = Examination(isTracing: false)
        guard let decoded = try? AppReceiptContainer.decode(receipt, &examination),
            let der = try? AppReceiptContainer.der(decoded, &examination)?.der,
            let parts = try? der.withRawSpan({ (span) throws(SignedData.Malformed) in try SignedData(reading: span) })
        else { return nil }
        return (der, parts)
    }
}
