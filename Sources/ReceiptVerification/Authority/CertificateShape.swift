public import ReceiptTypes

/// What a test certificate looks like, flaws included.
public struct CertificateShape: Sendable, Hashable {
    /// The kind of a key.
    public enum KeyKind: Sendable, Hashable {
        /// NIST P-256, with which receipts are signed.
        case p256
        /// NIST P-384, with which the store's authorities sign.
        case p384
        /// NIST P-521.
        case p521
        /// RSA with a modulus of so many bits.
        case rsa(bits: Int)
    }

    /// The hash under the issuer's signature.
    public enum Hash: Sendable, Hashable {
        /// SHA-1, which no verifier should accept.
        case sha1
        /// SHA-256.
        case sha256
        /// SHA-384.
        case sha384
        /// SHA-512.
        case sha512
    }

    /// An extension by its OID, with its value in DER.
    public struct RawExtension: Sendable, Hashable {
        /// The OID in dotted form.
        public var oid: String
        /// Whether a reader that does not know it must refuse the certificate.
        public var isCritical: Bool
        /// The value in DER.
        public var value: [UInt8]

        /// Describes an extension; without a value it holds NULL, as markers do.
        public init(oid: String, isCritical: Bool = false, value: [UInt8] = [0x05, 0x00]) {
            self.oid = oid
            self.isCritical = isCritical
            self.value = value
        }
    }

    /// The subject's common name.
    public var commonName: String
    /// The issuer's common name; nil for the name of the certificate above.
    public var issuerName: String?
    /// The key.
    public var key: KeyKind
    /// The hash under the signature.
    public var hash: Hash = .sha384
    /// Since when it is valid.
    public var notBefore: Timestamp
    /// Until when it is valid.
    public var notAfter: Timestamp
    /// Whether it may issue certificates; nil leaves basicConstraints out.
    public var isCA: Bool?
    /// How many more authorities may follow below; nil for no limit.
    public var pathLength: Int?
    /// The key usages by OpenSSL's names, such as `digitalSignature`; nil leaves keyUsage out.
    public var keyUsages: [String]?
    /// Markers and whatever else.
    public var rawExtensions: [RawExtension] = []
    /// 1, 2 or 3.
    public var version = 3
    /// Whether another key than the issuer's makes the signature.
    public var isSignedByStranger = false

    /// Valid for the years in which the App Store has signed JWS and some to come.
    static let longAgo = Timestamp(clampingSeconds: 1_577_836_800)
    static let farAhead = Timestamp(clampingSeconds: 2_208_988_800)

    /// A root as Apple's: P-384, may issue, marked critical.
    public static let root = CertificateShape(
        commonName: "Receipt Test Root CA", key: .p384, notBefore: longAgo, notAfter: farAhead, isCA: true,
        keyUsages: ["keyCertSign", "cRLSign"]
    )
    /// An intermediate as Apple's: P-384, may issue leaves only, with its marker.
    public static let intermediate = CertificateShape(
        commonName: "Receipt Test Intermediate CA", key: .p384, notBefore: longAgo, notAfter: farAhead, isCA: true,
        pathLength: 0, keyUsages: ["keyCertSign", "cRLSign"],
        rawExtensions: [RawExtension(oid: MarkerOID.developerRelations)]
    )
    /// A leaf as Apple's: P-256, signs, with its marker.
    public static let leaf = CertificateShape(
        commonName: "Receipt Test Signing", key: .p256, notBefore: longAgo, notAfter: farAhead, isCA: false,
        keyUsages: ["digitalSignature"], rawExtensions: [RawExtension(oid: MarkerOID.receiptSigning)]
    )
    /// The single certificate of a local environment, as Xcode makes it.
    public static let local = CertificateShape(
        commonName: "Receipt Local Testing", key: .p256, hash: .sha256, notBefore: longAgo, notAfter: farAhead,
        isCA: nil, keyUsages: ["digitalSignature"]
    )

    /// The extensions in the text form of OpenSSL.
    var standardExtensions: [(name: String, value: String)] {
        guard version == 3 else { return [] }
        var extensions: [(name: String, value: String)] = []
        if let isCA {
            let limit = pathLength.map { ",pathlen:\($0)" } ?? ""
            extensions.append(("basicConstraints", "critical,CA:\(isCA ? "TRUE" : "FALSE")\(limit)"))
        }
        if let keyUsages { extensions.append(("keyUsage", (["critical"] + keyUsages).joined(separator: ","))) }
        return extensions
    }
}

extension Timestamp {
    /// Whole seconds since 1970, rounded down.
    var secondsSince1970: Int64 { flooredToSecond.millisecondsSince1970 / 1000 }
}
