public import ReceiptTypes

/// A root that chains may end at.
public struct TrustAnchor: Sendable, Hashable {
    /// The SHA-256 of the whole certificate.
    public let fingerprint: SHA256Digest
    /// The root's common name.
    public let subject: String
    /// Since when the root is valid; nil where only its fingerprint is known.
    public let notBefore: Timestamp?
    /// Until when the root is valid; nil where only its fingerprint is known.
    public let notAfter: Timestamp?
    /// Whether the root came with the package.
    public let isBuiltIn: Bool

    /// The certificate itself; a root that came with the package is pinned by its fingerprint alone, since the
    /// certificate arrives with each receipt.
    let certificate: Certificate?

    init(certificate: Certificate) {
        fingerprint = certificate.fingerprint
        subject = certificate.subject
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        isBuiltIn = false
        self.certificate = certificate
    }

    private init(pinned fingerprint: SHA256Digest, subject: String) {
        self.fingerprint = fingerprint
        self.subject = subject
        notBefore = nil
        notAfter = nil
        isBuiltIn = true
        certificate = nil
    }

    /// Apple Root CA - G3, under which the App Store signs.
    ///
    /// The fingerprint is the one that Apple publishes at https://www.apple.com/certificateauthority/.
    static let appleRootCAG3: TrustAnchor? = SHA256Digest(
        hexadecimal: "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
    ).map { TrustAnchor(pinned: $0, subject: "Apple Root CA - G3") }

    /// Whether a chain that ends with `certificate` ends at this root: the very certificate, or one that bears the
    /// subject and the public key of a root that was given whole.
    func anchors(_ certificate: Certificate) -> Bool {
        if certificate.fingerprint == fingerprint { return true }
        guard let own = self.certificate else { return false }
        return own.isSameEntity(as: certificate)
    }

    /// Two anchors are equal when they are the same certificate.
    public static func == (left: Self, right: Self) -> Bool { left.fingerprint == right.fingerprint }

    /// Feeds the fingerprint into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}
