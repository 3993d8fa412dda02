public import ReceiptTypes
public import ReceiptVerification

/// A certificate authority with a chain like that of Apple's app receipts, under an RSA root of its own.
///
/// Its chains have three certificates; those of all forms share the root and the keys, so an authority needs three RSA
/// keys, which take a second to generate.
///
/// > Warning: Its receipts prove no purchase. Trust its root in tests only.
///
/// ```swift
/// let authority = try AppReceiptAuthority()
/// let der = try authority.signer(.sha1).sign(TestAppReceipt(receipt))
/// var anchors = TrustAnchors()
/// try anchors.add(authority.rootCertificate)
/// ```
public struct AppReceiptAuthority: Sendable {
    /// The forms of app receipts that the App Store and Xcode have made.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// SHA-1, as the App Store signed until January 2024.
        case sha1
        /// SHA-256, as the App Store has signed since August 2023.
        case sha256
        /// A container in BER with one self-signed certificate, as Xcode makes it.
        case xcode
    }

    /// The root in DER.
    public let rootCertificate: [UInt8]
    let keys: Keys
    private let signers: [Form: AppReceiptSigner]

    /// The keys of the three certificates of a chain.
    struct Keys: Sendable {
        var root: PrivateKey
        var intermediate: PrivateKey
        var leaf: PrivateKey

        static func generate(bits: Int = 2048) throws(CryptoFault) -> Keys {
            Keys(
                root: try PrivateKey(generating: .rsa(bits: bits)),
                intermediate: try PrivateKey(generating: .rsa(bits: bits)),
                leaf: try PrivateKey(generating: .rsa(bits: bits)))
        }
    }

    /// Creates an authority with new keys.
    ///
    /// - Parameter validity: The first and the last instant at which its certificates are valid; nil for 2008 to 2039.
    public init(validity: ClosedRange<Timestamp>? = nil) throws(CryptoFault) {
        try self.init(keys: .generate(), validity: validity)
    }

    /// Creates an authority with given keys, and with the given root instead of a new one.
    ///
    /// The certificates follow from the keys, so the same keys make the same receipts.
    init(
        keys: Keys, rootCertificate: [UInt8]? = nil, validity: ClosedRange<Timestamp>? = nil
    ) throws(CryptoFault) {
        func valid(_ shape: CertificateShape) -> CertificateShape {
            var shape = shape
            shape.notBefore = validity?.lowerBound ?? shape.notBefore
            shape.notAfter = validity?.upperBound ?? shape.notAfter
            return shape
        }
        self.keys = keys
        let new = try Self.issue(valid(.appReceiptRoot), for: keys.root, by: keys.root)
        let root = rootCertificate ?? new
        self.rootCertificate = root
        var signers: [Form: AppReceiptSigner] = [:]
        for form in Form.allCases {
            signers[form] = try Self.makeSigner(
                form, keys: keys, root: root, intermediate: valid(.appReceiptIntermediate(form)),
                leaf: valid(.appReceiptLeaf(form)))
        }
        self.signers = signers
    }

    /// Returns whether the usual certificates are valid at a time.
    package static func isValid(at time: Timestamp) -> Bool {
        let shape = CertificateShape.appReceiptRoot
        return shape.notBefore <= time && time <= shape.notAfter
    }

    /// Returns the signer of a form.
    ///
    /// That of ``Form/xcode`` has a single certificate, which a verifier must trust as a root.
    public func signer(_ form: Form = .sha256) throws(CryptoFault) -> AppReceiptSigner {
        guard let signer = signers[form] else { throw .libraryFailure }
        return signer
    }

    /// Creates a signer whose intermediate and leaf have the given shapes, under the root of this authority.
    ///
    /// Keys of 2048 bits are those of the authority; a shape with another key gets a new one. A single certificate, for
    /// ``Form/xcode``, has the shape of the leaf.
    public func makeSigner(
        _ form: Form = .sha256, intermediate: CertificateShape? = nil, leaf: CertificateShape? = nil
    ) throws(CryptoFault) -> AppReceiptSigner {
        try Self.makeSigner(
            form, keys: keys, root: rootCertificate, intermediate: intermediate ?? .appReceiptIntermediate(form),
            leaf: leaf ?? .appReceiptLeaf(form))
    }

    /// Creates an authority with other keys for the root and the intermediate, and with certificates of the same names.
    func makeStranger() throws(CryptoFault) -> AppReceiptAuthority {
        try AppReceiptAuthority(
            keys: Keys(root: keys.intermediate, intermediate: keys.leaf, leaf: keys.root))
    }

    private static func makeSigner(
        _ form: Form, keys: Keys, root: [UInt8], intermediate: CertificateShape, leaf: CertificateShape
    ) throws(CryptoFault) -> AppReceiptSigner {
        var keys = keys
        if leaf.key != .rsa(bits: 2048) { keys.leaf = try PrivateKey(generating: leaf.key.algorithm) }
        if form == .xcode {
            return AppReceiptSigner(form, key: keys.leaf, chain: [try issue(leaf, for: keys.leaf, by: keys.leaf)])
        }
        if intermediate.key != .rsa(bits: 2048) {
            keys.intermediate = try PrivateKey(generating: intermediate.key.algorithm)
        }
        let intermediateCertificate = try issue(
            intermediate, for: keys.intermediate, under: CertificateShape.appReceiptRoot.subject,
            by: intermediate.isSignedByStranger ? keys.leaf : keys.root, authorityKey: keys.root)
        let leafCertificate = try issue(
            leaf, for: keys.leaf, under: intermediate.subject,
            by: leaf.isSignedByStranger ? keys.root : keys.intermediate, authorityKey: keys.intermediate)
        return AppReceiptSigner(form, key: keys.leaf, chain: [leafCertificate, intermediateCertificate, root])
    }

    /// Issues a certificate whose serial number follows from the key and the shape.
    private static func issue(
        _ shape: CertificateShape, for key: PrivateKey, under issuer: [CertificateShape.NameAttribute]? = nil,
        by issuerKey: PrivateKey, authorityKey: PrivateKey? = nil
    ) throws(CryptoFault) -> [UInt8] {
        let publicKey = try key.publicKey()
        let description = "\(shape.commonName) \(shape.hash)"
        let digest = try SHA256Digest.of(bytes: publicKey.subjectPublicKeyInfo() + [UInt8](description.utf8)).bytes
        var shape = shape
        // Positive and of full length (RFC 5280 4.1.2.2).
        shape.serial = [digest[0] & 0x3F | 0x40] + digest[1..<16]
        return try shape.certificate(
            for: publicKey, issuer: issuer ?? shape.subject, signedBy: issuerKey,
            authorityKey: authorityKey?.publicKey())
    }
}
