public import ReceiptTypes

/// The root certificates that a verifier trusts.
///
/// The system's trust store is never used.
///
/// ```swift
/// var anchors = TrustAnchors.apple
/// try anchors.add(testRoot, environments: [.sandbox, .xcode])  // DER, or PEM with one or more certificates
/// ```
///
/// The limit keeps a root for tests from verifying a real purchase.
public struct TrustAnchors: Sendable {
    /// The trusted roots, in the order in which they were added.
    public private(set) var anchors: [TrustAnchor]

    /// The set with Apple's roots, pinned by their SHA-256 fingerprints: Apple Root CA - G3, which verifies every JWS,
    /// and Apple Root CA, which verifies app receipts only.
    public static let apple = TrustAnchors(
        anchors: [TrustAnchor.appleRootCAG3, TrustAnchor.appleRootCA].compactMap(\.self))

    /// Creates an empty set, with which no receipt can be verified.
    public init() {
        self.init(anchors: [])
    }

    private init(anchors: [TrustAnchor]) {
        self.anchors = anchors
    }

    /// Adds the certificates in a file's bytes: one certificate in DER, or one or more in PEM.
    ///
    /// A root that is in the set already, such as a built-in one, keeps the environments that it and the new limit
    /// share: adding a root again never widens its trust.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the file.
    ///   - environments: The environments whose receipts the roots may verify; nil for all. Beside a built-in root,
    ///     name Production if the roots may verify real purchases.
    /// - Returns: The anchors in the bytes, including those that were trusted already.
    /// - Throws: ``TrustAnchorError`` if the bytes contain no certificate or one cannot be read. Then nothing is added.
    @discardableResult
    public mutating func add(
        _ bytes: [UInt8],
        environments: Set<StoreEnvironment>? = nil
    ) throws(TrustAnchorError) -> [TrustAnchor] {
        let found = try Self.certificates(in: bytes).map { TrustAnchor(certificate: $0, environments: environments) }
        for anchor in found {
            guard let index = anchors.firstIndex(of: anchor) else {
                anchors.append(anchor)
                continue
            }
            if let environments {
                anchors[index].environments = anchors[index].environments?.intersection(environments) ?? environments
            }
        }
        return found
    }

    /// Adds a root that is pinned by its fingerprint like Apple's, for tests of the rules for built-in roots.
    package mutating func addBuiltIn(
        _ fingerprint: SHA256Digest, subject: String, isForAppReceipts: Bool = false
    ) {
        let years2000To2100 = (Timestamp(clampingSeconds: 946_684_800), Timestamp(clampingSeconds: 4_102_444_800))
        anchors.append(
            TrustAnchor(
                pinned: fingerprint, subject: subject, from: years2000To2100.0, to: years2000To2100.1,
                for: isForAppReceipts ? .appReceipts : .jws))
    }

    /// Removes the built-in roots, so that only the given ones are trusted.
    package mutating func removeBuiltIn() {
        anchors.removeAll { $0.isBuiltIn }
    }

    /// Whether a given root verifies receipts of Production, without being limited to environments, beside a built-in
    /// one.
    ///
    /// Then each report of such a receipt has the warning ``ReceiptWarning/Code/givenRootForProduction``.
    public var hasUnlimitedRootBesideBuiltIn: Bool {
        hasBuiltIn && anchors.contains { !$0.isBuiltIn && $0.mayIssue && $0.environments == nil }
    }

    /// Whether one of the roots is built into the package.
    var hasBuiltIn: Bool { anchors.contains { $0.isBuiltIn } }

    /// Returns the roots at which chains of a purpose may end.
    func anchors(for purpose: ChainPurpose) -> [TrustAnchor] {
        anchors.filter { $0.purpose == nil || $0.purpose == purpose }
    }

    /// Returns the root with a fingerprint; nil if it is not trusted.
    func anchor(_ fingerprint: SHA256Digest) -> TrustAnchor? {
        anchors.first { $0.fingerprint == fingerprint }
    }

    /// Returns the environments of which a root may verify receipts beside the other roots of the set.
    func environmentTrust(of anchor: TrustAnchor, isLocalTesting: Bool) -> EnvironmentTrust {
        EnvironmentTrust(
            limit: anchor.environments,
            isProductionUnconfirmed: !anchor.isBuiltIn && anchor.environments == nil && hasBuiltIn,
            isLocalTesting: isLocalTesting
        )
    }

    /// Returns the identity of the set: the SHA-256 of its roots with everything that decides what they may verify, in
    /// the order of their fingerprints.
    ///
    /// A chain that is validated under one set of roots is not valid under another.
    func identity() throws(CryptoFault) -> SHA256Digest {
        let sorted = anchors.sorted { $0.fingerprint.bytes.lexicographicallyPrecedes($1.fingerprint.bytes) }
        return try sorted.flatMap(Self.identity).withRawSpan { (span) throws(CryptoFault) in try SHA256Digest.of(span) }
    }

    /// Returns the bytes of one root in the identity; a line feed cannot be part of a name that is written in quotes.
    private static func identity(of anchor: TrustAnchor) -> [UInt8] {
        let limit = anchor.environments.map { $0.map(\.rawValue.debugDescription).sorted().joined(separator: ",") }
        let builtIn = anchor.isForAppReceiptsOnly ? "built in for app receipts" : "built in"
        let origin = anchor.isBuiltIn ? builtIn : "given"
        let text = "\(origin) \(limit ?? "all")\n"
        return anchor.fingerprint.bytes + [UInt8](text.utf8)
    }

    /// Reads the certificates in a file's bytes: one in DER, or one or more in PEM.
    static func certificates(in bytes: [UInt8]) throws(TrustAnchorError) -> [Certificate] {
        guard bytes.count <= Budget.trustFileSize else { throw TrustAnchorError(code: .tooLarge) }
        do {
            return try encodedCertificates(in: bytes).map { der in
                guard let certificate = try Certificate(der: der) else {
                    throw TrustAnchorError(code: .notACertificate)
                }
                return certificate
            }
        } catch let error as TrustAnchorError {
            throw error
        } catch is PEM.Malformed {
            throw TrustAnchorError(code: .notACertificate)
        } catch {
            throw TrustAnchorError(code: .outOfResources)
        }
    }

    /// Returns the DER of each certificate.
    ///
    /// Bytes that do not begin with a DER sequence are read as PEM.
    private static func encodedCertificates(in bytes: [UInt8]) throws -> [[UInt8]] {
        guard bytes.first != 0x30 else { return [bytes] }
        let certificates = try PEM.blocks(in: bytes).filter { $0.label == "CERTIFICATE" }.map(\.bytes)
        guard !certificates.isEmpty else { throw TrustAnchorError(code: .notACertificate) }
        return certificates
    }
}
