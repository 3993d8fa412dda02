public import ReceiptTypes

/// A trusted root certificate.
public struct TrustAnchor: Sendable, Hashable {
    /// The SHA-256 of the certificate in DER.
    public let fingerprint: SHA256Digest
    /// The root's common name.
    public let subject: String
    /// The start of the root's validity.
    public let notBefore: Timestamp
    /// The end of the root's validity.
    public let notAfter: Timestamp
    /// Whether the root is built into the package.
    public let isBuiltIn: Bool
    /// Whether the root may issue certificates: it is a CA and, if it has keyUsage, may sign certificates.
    ///
    /// A certificate that may not issue others verifies only receipts that it has signed itself, of the environments
    /// Xcode and LocalTesting.
    public let mayIssue: Bool
    /// Whether the certificate names itself as its issuer, as a root does; an intermediate or a leaf names another.
    public let isSelfIssued: Bool
    /// The environments whose receipts the root may verify; nil for all.
    ///
    /// Beside a built-in root, a given root without a limit verifies receipts of Production with a warning, and a
    /// strict policy rejects them.
    public internal(set) var environments: Set<StoreEnvironment>?

    /// What a built-in root verifies; nil for a given root, which verifies receipts of every format.
    let purpose: ChainPurpose?

    /// The certificate; nil for a built-in root.
    ///
    /// A built-in root is pinned by its fingerprint, because each receipt contains the certificate.
    let certificate: Certificate?

    init(certificate: Certificate, environments: Set<StoreEnvironment>? = nil) {
        fingerprint = certificate.fingerprint
        subject = certificate.subject
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        isBuiltIn = false
        mayIssue = certificate.mayIssue
        isSelfIssued = certificate.isSelfIssued
        self.environments = environments
        purpose = nil
        self.certificate = certificate
    }

    init(
        pinned fingerprint: SHA256Digest, subject: String, from notBefore: Timestamp, to notAfter: Timestamp,
        for purpose: ChainPurpose
    ) {
        self.fingerprint = fingerprint
        self.subject = subject
        self.notBefore = notBefore
        self.notAfter = notAfter
        isBuiltIn = true
        mayIssue = true
        isSelfIssued = true
        environments = nil
        self.purpose = purpose
        certificate = nil
    }

    /// Apple Root CA - G3, the root of the App Store's certificates.
    ///
    /// Apple publishes the fingerprint at https://www.apple.com/certificateauthority/.
    static let appleRootCAG3: TrustAnchor? = SHA256Digest(
        hexadecimal: "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
    ).map { fingerprint in
        // From 2014-04-30 to 2039-04-30, both at 18:19:06.
        TrustAnchor(
            pinned: fingerprint, subject: "Apple Root CA - G3", from: Timestamp(clampingSeconds: 1_398_881_946),
            to: Timestamp(clampingSeconds: 2_187_800_346), for: .jws)
    }

    /// Apple Root CA, the root of the certificates that sign app receipts; it verifies nothing else.
    static let appleRootCA: TrustAnchor? = SHA256Digest(
        hexadecimal: "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"
    ).map { fingerprint in
        // From 2006-04-25 to 2035-02-09, both at 21:40:36.
        TrustAnchor(
            pinned: fingerprint, subject: "Apple Root CA", from: Timestamp(clampingSeconds: 1_146_001_236),
            to: Timestamp(clampingSeconds: 2_054_670_036), for: .appReceipts)
    }

    /// Whether the root verifies app receipts only, as the built-in Apple Root CA does.
    package var isForAppReceiptsOnly: Bool { purpose == .appReceipts }

    /// The certificate as PEM; nil for a built-in root, of which only the fingerprint is kept.
    package var pemRepresentation: String? { certificate.map { PEM.encode($0.der, label: "CERTIFICATE") } }

    /// Returns whether a chain that ends with `certificate` ends at this root.
    ///
    /// `certificate` is either the root itself or, if the root's certificate is known, a certificate with the same
    /// subject and public key.
    func anchors(_ certificate: Certificate) -> Bool {
        if certificate.fingerprint == fingerprint { return true }
        guard let own = self.certificate else { return false }
        return own.isSameEntity(as: certificate)
    }

    /// Returns whether both anchors are the same certificate.
    public static func == (left: Self, right: Self) -> Bool { left.fingerprint == right.fingerprint }

    /// Feeds the fingerprint into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}
