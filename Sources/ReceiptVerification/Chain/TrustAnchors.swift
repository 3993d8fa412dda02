/// The root certificates that a verifier trusts.
///
/// The system's trust store is never used.
///
/// ```swift
/// var anchors = TrustAnchors.apple
/// try anchors.add(testRoot)  // DER, or PEM with one or more certificates
/// ```
public struct TrustAnchors: Sendable {
    /// The trusted roots, in the order in which they were added.
    public private(set) var anchors: [TrustAnchor]

    /// The set with Apple Root CA - G3 only, pinned by its SHA-256 fingerprint.
    public static let apple = TrustAnchors(anchors: TrustAnchor.appleRootCAG3.map { [$0] } ?? [])

    /// Creates an empty set, with which no receipt can be verified.
    public init() {
        self.init(anchors: [])
    }

    private init(anchors: [TrustAnchor]) {
        self.anchors = anchors
    }

    /// Adds the certificates in a file's bytes: one certificate in DER, or one or more in PEM.
    ///
    /// - Returns: The anchors in the bytes, including those that were trusted already.
    /// - Throws: ``TrustAnchorError`` if the bytes contain no certificate or one cannot be read. Then nothing is added.
    @discardableResult
    public mutating func add(_ bytes: [UInt8]) throws(TrustAnchorError) -> [TrustAnchor] {
        guard bytes.count <= Budget.trustFileSize else { throw TrustAnchorError(code: .tooLarge) }
        var found: [TrustAnchor] = []
        do {
            for der in try Self.certificates(in: bytes) {
                guard let certificate = try Certificate(der: der) else {
                    throw TrustAnchorError(code: .notACertificate)
                }
                found.append(TrustAnchor(certificate: certificate))
            }
        } catch let error as TrustAnchorError {
            throw error
        } catch {
            throw TrustAnchorError(code: .outOfResources)
        }
        for anchor in found where !anchors.contains(anchor) { anchors.append(anchor) }
        return found
    }

    /// Returns the identity of the set: the SHA-256 of its sorted fingerprints.
    ///
    /// A chain that is validated under one set of roots is not valid under another.
    func identity() throws(CryptoFault) -> SHA256Digest {
        let sorted = anchors.map(\.fingerprint.bytes).sorted { $0.lexicographicallyPrecedes($1) }
        return try [UInt8](sorted.joined()).withRawSpan { (span) throws(CryptoFault) in try SHA256Digest.of(span) }
    }

    /// Returns the DER of each certificate.
    ///
    /// Bytes that do not begin with a DER sequence are read as PEM.
    private static func certificates(in bytes: [UInt8]) throws -> [[UInt8]] {
        guard bytes.first != 0x30 else { return [bytes] }
        let certificates = try PEM.blocks(in: bytes).filter { $0.label == "CERTIFICATE" }.map(\.bytes)
        guard !certificates.isEmpty else { throw TrustAnchorError(code: .notACertificate) }
        return certificates
    }
}
