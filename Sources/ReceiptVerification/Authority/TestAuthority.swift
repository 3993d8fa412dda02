internal import ReceiptTypes

/// An authority of Apple's shape under its own root, to make signed receipts for tests.
///
/// > Warning: Nothing that it signs is a purchase. Trust its root in tests and nowhere else.
///
/// ```swift
/// let authority = try TestAuthority()
/// let jws = try authority.signer.sign(payload)
/// var anchors = TrustAnchors()
/// try anchors.add(authority.rootCertificate)
/// ```
public struct TestAuthority: Sendable {
    /// The root in DER.
    public let rootCertificate: [UInt8]
    /// The intermediate in DER.
    public let intermediateCertificate: [UInt8]
    /// The signer with the leaf that was asked for.
    public let signer: TestSigner

    let rootKey: PrivateKey
    let intermediateKey: PrivateKey
    private let intermediateName: String

    /// Makes keys and certificates of the given shapes.
    public init(
        root: CertificateShape = .root,
        intermediate: CertificateShape = .intermediate,
        leaf: CertificateShape = .leaf
    ) throws(CryptoFault) {
        let rootKey = try PrivateKey(generating: root.key)
        let intermediateKey = try PrivateKey(generating: intermediate.key)
        let rootCertificate = try Self.issue(root, for: rootKey, under: root.commonName, by: rootKey)
        let intermediateCertificate = try Self.issue(
            intermediate, for: intermediateKey, under: root.commonName, by: rootKey
        )
        try self.init(
            rootKey, rootCertificate, intermediateKey, intermediateCertificate, intermediate.commonName,
            Self.makeSigner(
                leaf, under: intermediate.commonName, by: intermediateKey, [intermediateCertificate, rootCertificate]
            )
        )
    }

    init(
        _ rootKey: PrivateKey,
        _ rootCertificate: [UInt8],
        _ intermediateKey: PrivateKey,
        _ intermediateCertificate: [UInt8],
        _ intermediateName: String,
        _ signer: TestSigner
    ) {
        self.rootKey = rootKey
        self.rootCertificate = rootCertificate
        self.intermediateKey = intermediateKey
        self.intermediateCertificate = intermediateCertificate
        self.intermediateName = intermediateName
        self.signer = signer
    }

    /// The root as PEM.
    public var rootCertificatePEM: String { PEM.encode(rootCertificate, label: "CERTIFICATE") }

    /// Makes one more leaf under the same intermediate and root.
    public func makeSigner(leaf: CertificateShape = .leaf) throws(CryptoFault) -> TestSigner {
        try Self.makeSigner(
            leaf, under: intermediateName, by: intermediateKey, [intermediateCertificate, rootCertificate]
        )
    }

    /// Makes a signer with a single self-signed certificate, as Xcode has; it verifies where that certificate is a root.
    public static func makeLocalSigner(shape: CertificateShape = .local) throws(CryptoFault) -> TestSigner {
        let key = try PrivateKey(generating: shape.key)
        return TestSigner(key: key, chain: [try issue(shape, for: key, under: shape.commonName, by: key)])
    }

    private static func makeSigner(
        _ leaf: CertificateShape,
        under issuerName: String,
        by issuerKey: PrivateKey,
        _ rest: [[UInt8]]
    ) throws(CryptoFault) -> TestSigner {
        let key = try PrivateKey(generating: leaf.key)
        return TestSigner(key: key, chain: [try issue(leaf, for: key, under: issuerName, by: issuerKey)] + rest)
    }

    private static func issue(
        _ shape: CertificateShape,
        for key: PrivateKey,
        under issuerName: String,
        by issuerKey: PrivateKey
    ) throws(CryptoFault) -> [UInt8] {
        let signing = shape.isSignedByStranger ? try PrivateKey(generating: .p384) : issuerKey
        return try CertificateBuilder().sign(
            shape, key: key.publicKey(), issuerName: shape.issuerName ?? issuerName, by: signing
        )
    }
}
