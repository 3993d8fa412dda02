public import ReceiptTypes
internal import ReceiptVerification

/// The properties of a test certificate, including those that a verifier must reject.
public struct CertificateShape: Sendable, Hashable {
    /// The algorithm of a key.
    public enum KeyKind: Sendable, Hashable {
        /// NIST P-256, the curve of the keys that sign receipts.
        case p256
        /// NIST P-384, the curve of the App Store's authorities.
        case p384
        /// NIST P-521.
        case p521
        /// RSA with a modulus of the given number of bits.
        case rsa(bits: Int)
    }

    /// The hash function of the issuer's signature.
    public enum Hash: Sendable, Hashable {
        /// SHA-1, which verifiers reject.
        case sha1
        /// SHA-256.
        case sha256
        /// SHA-384.
        case sha384
        /// SHA-512.
        case sha512
    }

    /// An extension with its value in DER.
    public struct RawExtension: Sendable, Hashable {
        /// The OID in dotted form.
        public var oid: String
        /// Whether a reader that does not know the extension must reject the certificate.
        public var isCritical: Bool
        /// The value in DER.
        public var value: [UInt8]

        /// Creates an extension; the default value is NULL, as in Apple's marker extensions.
        public init(oid: String, isCritical: Bool = false, value: [UInt8] = [0x05, 0x00]) {
            self.oid = oid
            self.isCritical = isCritical
            self.value = value
        }
    }

    /// The subject's common name.
    public var commonName: String
    /// The issuer's common name; nil for the subject of the issuing certificate.
    public var issuerName: String?
    /// The subject's key.
    public var key: KeyKind
    /// The hash function of the issuer's signature.
    public var hash: Hash = .sha384
    /// The first instant at which the certificate is valid.
    public var notBefore: Timestamp
    /// The last instant at which the certificate is valid.
    public var notAfter: Timestamp
    /// Whether the certificate may issue others; nil leaves out basicConstraints.
    public var isCA: Bool?
    /// The number of intermediates allowed below this certificate; nil for no limit.
    public var pathLength: Int?
    /// The key usages by OpenSSL's names, such as `digitalSignature`; nil leaves out keyUsage.
    public var keyUsages: [String]?
    /// Whether the certificate has subjectKeyIdentifier and, unless it is self-signed, authorityKeyIdentifier.
    ///
    /// Strict verifiers reject certificates without them (RFC 5280 4.2.1.1 and 4.2.1.2).
    public var hasKeyIdentifiers = true
    /// All other extensions, such as Apple's markers.
    public var rawExtensions: [RawExtension] = []
    /// The version: 1, 2 or 3.
    public var version = 3
    /// Whether a key other than the issuer's signs the certificate.
    public var isSignedByStranger = false

    // The years in which the App Store has signed JWS, and some more: 2020 to 2039.
    private static let start = Timestamp(clampingSeconds: 1_577_836_800)
    private static let end = Timestamp(clampingSeconds: 2_208_988_800)

    /// A root like Apple's: P-384, may issue.
    public static let root = CertificateShape(
        commonName: "Receipt Test Root CA", key: .p384, notBefore: start, notAfter: end, isCA: true,
        keyUsages: ["keyCertSign", "cRLSign"]
    )
    /// An intermediate like Apple's: P-384, may issue leaves only, with Apple's marker extension.
    public static let intermediate = CertificateShape(
        commonName: "Receipt Test Intermediate CA", key: .p384, notBefore: start, notAfter: end, isCA: true,
        pathLength: 0, keyUsages: ["keyCertSign", "cRLSign"],
        rawExtensions: [RawExtension(oid: MarkerOID.developerRelations)]
    )
    /// A leaf like Apple's: P-256, signs receipts, with Apple's marker extension.
    public static let leaf = CertificateShape(
        commonName: "Receipt Test Signing", key: .p256, notBefore: start, notAfter: end, isCA: false,
        keyUsages: ["digitalSignature"], rawExtensions: [RawExtension(oid: MarkerOID.receiptSigning)]
    )
    /// The single self-signed certificate of a local testing environment, as Xcode makes it.
    public static let local = CertificateShape(
        commonName: "Receipt Local Testing", key: .p256, hash: .sha256, notBefore: start, notAfter: end,
        isCA: nil, keyUsages: ["digitalSignature"]
    )
}
