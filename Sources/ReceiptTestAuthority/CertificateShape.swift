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

    /// An attribute of a name.
    public struct NameAttribute: Sendable, Hashable {
        /// OpenSSL's short name of the attribute, such as `CN`, `O`, `OU` or `C`.
        public var type: String
        /// The value.
        public var value: String
        /// Whether the value is a PrintableString, as in Apple's oldest certificates, instead of a UTF8String.
        ///
        /// A country is always a PrintableString.
        public var isPrintable: Bool

        /// Creates an attribute.
        public init(_ type: String, _ value: String, isPrintable: Bool = false) {
            self.type = type
            self.value = value
            self.isPrintable = isPrintable
        }
    }

    /// The subject's name, in the order of its attributes.
    public var subject: [NameAttribute]
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
    /// The extensions in their order, by OpenSSL's names; the others of ``rawExtensions`` follow.
    var extensionNames = ["basicConstraints", "keyUsage", "subjectKeyIdentifier", "authorityKeyIdentifier"]
    /// The values of further extensions of ``extensionNames``, in OpenSSL's syntax.
    var extensionValues: [String: String] = [:]
    /// The serial number; nil for a random one.
    var serial: [UInt8]?
    /// The version: 1, 2 or 3.
    public var version = 3
    /// Whether a key other than the issuer's signs the certificate.
    public var isSignedByStranger = false

    /// The subject's common name; setting it leaves the other attributes unchanged.
    public var commonName: String {
        get { subject.first { $0.type == "CN" }?.value ?? "" }
        set {
            if let index = subject.firstIndex(where: { $0.type == "CN" }) {
                subject[index].value = newValue
            } else {
                subject.append(NameAttribute("CN", newValue))
            }
        }
    }

    /// The name of a certificate of these tests.
    static func name(_ commonName: String) -> [NameAttribute] {
        [NameAttribute("CN", commonName), NameAttribute("O", "Receipt Test Authority")]
    }

    // A self-signed certificate needs no authorityKeyIdentifier (RFC 5280 4.2.1.1), and Apple Root CA - G3 has none.
    private static let extensionNamesOfRoots = ["basicConstraints", "keyUsage", "subjectKeyIdentifier"]

    // The years in which the App Store has signed JWS, and some more: 2020 to 2039.
    private static let start = Timestamp(clampingSeconds: 1_577_836_800)
    private static let end = Timestamp(clampingSeconds: 2_208_988_800)

    /// A root like Apple's: P-384, may issue.
    public static let root = CertificateShape(
        subject: name("Receipt Test Root CA"), key: .p384, notBefore: start, notAfter: end, isCA: true,
        keyUsages: ["keyCertSign", "cRLSign"], extensionNames: extensionNamesOfRoots
    )
    /// An intermediate like Apple's: P-384, may issue leaves only, with Apple's marker extension.
    public static let intermediate = CertificateShape(
        subject: name("Receipt Test Intermediate CA"), key: .p384, notBefore: start, notAfter: end, isCA: true,
        pathLength: 0, keyUsages: ["keyCertSign", "cRLSign"],
        rawExtensions: [RawExtension(oid: MarkerOID.developerRelations)]
    )
    /// A leaf like Apple's: P-256, signs receipts, with Apple's marker extension.
    public static let leaf = CertificateShape(
        subject: name("Receipt Test Signing"), key: .p256, notBefore: start, notAfter: end, isCA: false,
        keyUsages: ["digitalSignature"], rawExtensions: [RawExtension(oid: MarkerOID.receiptSigning)]
    )
    /// The single self-signed certificate of a local testing environment, as Xcode makes it.
    public static let local = CertificateShape(
        subject: name("Receipt Local Testing"), key: .p256, hash: .sha256, notBefore: start, notAfter: end,
        isCA: nil, keyUsages: ["digitalSignature"], extensionNames: extensionNamesOfRoots
    )
}
