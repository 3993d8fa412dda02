public import ReceiptVerification

/// A certificate authority with a chain like Apple's under its own root, which makes signed receipts for tests.
///
/// > Warning: Its receipts prove no purchase. Trust its root in tests only.
///
/// ```swift
/// let authority = try TestAuthority()
/// let jws = try authority.signer.sign(transaction)
/// var anchors = TrustAnchors()
/// try anchors.add(authority.rootCertificate)
/// ```
public struct TestAuthority: Sendable {
    /// The root in DER.
    public let rootCertificate: [UInt8]
    /// The intermediate in DER.
    public let intermediateCertificate: [UInt8]
    /// The signer with the leaf certificate.
    public let signer: TestSigner

    let rootKey: PrivateKey
    let intermediateKey: PrivateKey
    private let intermediateSubject: [CertificateShape.NameAttribute]

    /// Creates an authority with new keys and with certificates of the given shapes.
    public init(
        root: CertificateShape = .root,
        intermediate: CertificateShape = .intermediate,
        leaf: CertificateShape = .leaf
    ) throws(CryptoFault) {
        let rootKey = try PrivateKey(generating: root.key.algorithm)
        let intermediateKey = try PrivateKey(generating: intermediate.key.algorithm)
        let rootCertificate = try Self.issue(root, for: rootKey, under: root.subject, by: rootKey)
        let intermediateCertificate = try Self.issue(
            intermediate, for: intermediateKey, under: root.subject, by: rootKey
        )
        try self.init(
            rootKey, rootCertificate, intermediateKey, intermediateCertificate, intermediate.subject,
            Self.makeSigner(
                leaf, under: intermediate.subject, by: intermediateKey, [intermediateCertificate, rootCertificate]
            )
        )
    }

    init(
        _ rootKey: PrivateKey,
        _ rootCertificate: [UInt8],
        _ intermediateKey: PrivateKey,
        _ intermediateCertificate: [UInt8],
        _ intermediateSubject: [CertificateShape.NameAttribute],
        _ signer: TestSigner
    ) {
        self.rootKey = rootKey
        self.rootCertificate = rootCertificate
        self.intermediateKey = intermediateKey
        self.intermediateCertificate = intermediateCertificate
        self.intermediateSubject = intermediateSubject
        self.signer = signer
    }

    /// The root in PEM.
    public var rootCertificatePEM: String { PEM.encode(rootCertificate, label: "CERTIFICATE") }

    /// Creates a signer with another leaf under the same intermediate and root.
    public func makeSigner(leaf: CertificateShape = .leaf) throws(CryptoFault) -> TestSigner {
        try Self.makeSigner(
            leaf, under: intermediateSubject, by: intermediateKey, [intermediateCertificate, rootCertificate]
        )
    }

    /// Creates a signer under another intermediate of the same root.
    func makeSigner(under intermediate: CertificateShape) throws(CryptoFault) -> TestSigner {
        let key = try PrivateKey(generating: intermediate.key.algorithm)
        let certificate = try Self.issue(intermediate, for: key, under: CertificateShape.name(rootName), by: rootKey)
        return try Self.makeSigner(.leaf, under: intermediate.subject, by: key, [certificate, rootCertificate])
    }

    /// Creates an authority with other keys and a root of the same name.
    func makeStranger() throws(CryptoFault) -> TestAuthority {
        var root = CertificateShape.root
        root.commonName = try rootName
        return try TestAuthority(root: root)
    }

    private var rootName: String {
        get throws(CryptoFault) {
            try Certificate(der: rootCertificate)?.subject ?? CertificateShape.root.commonName
        }
    }

    /// Creates a signer with a single self-signed certificate, like Xcode's.
    ///
    /// Its receipts verify if that certificate is a trusted root.
    public static func makeLocalSigner(shape: CertificateShape = .local) throws(CryptoFault) -> TestSigner {
        let key = try PrivateKey(generating: shape.key.algorithm)
        return TestSigner(key: key, chain: [try issue(shape, for: key, under: shape.subject, by: key)])
    }

    private static func makeSigner(
        _ leaf: CertificateShape,
        under issuer: [CertificateShape.NameAttribute],
        by issuerKey: PrivateKey,
        _ rest: [[UInt8]]
    ) throws(CryptoFault) -> TestSigner {
        let key = try PrivateKey(generating: leaf.key.algorithm)
        return TestSigner(key: key, chain: [try issue(leaf, for: key, under: issuer, by: issuerKey)] + rest)
    }

    private static func issue(
        _ shape: CertificateShape,
        for key: PrivateKey,
        under issuer: [CertificateShape.NameAttribute],
        by issuerKey: PrivateKey
    ) throws(CryptoFault) -> [UInt8] {
        let signing = shape.isSignedByStranger ? try PrivateKey(generating: .p384) : issuerKey
        // A stranger's signature is the only flaw then: the key identifier still names the issuer.
        return try shape.certificate(
            for: key.publicKey(), issuer: issuer, signedBy: signing, authorityKey: issuerKey.publicKey()
        )
    }
}
