/// The roots that a verifier trusts; the system's own trust store is never consulted.
///
/// ```swift
/// var anchors = TrustAnchors.apple
/// try anchors.add(testRoot)  // DER, or PEM with one or more certificates
/// ```
public struct TrustAnchors: Sendable {
    /// The trusted roots, in the order in which they were added.
    public private(set) var anchors: [TrustAnchor]

    /// Apple Root CA - G3 alone, pinned by its SHA-256 fingerprint.
    public static let apple = TrustAnchors(anchors: TrustAnchor.appleRootCAG3.map { [$0] } ?? [])

    /// No root: with these alone nothing can be verified.
    public init() {
        self.init(anchors: [])
    }

    private init(anchors: [TrustAnchor]) {
        self.anchors = anchors
    }

    /// Adds the certificates in a file's bytes: one in DER, or any number in PEM.
    ///
    /// - Returns: What the bytes held, also where it was trusted already.
    /// - Throws: ``TrustAnchorError`` when there is no certificate in them or one cannot be read; then nothing is added.
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

    /// Identifies the set: the SHA-256 over the sorted fingerprints. What one set has validated says nothing to another.
    func identity() throws(CryptoFault) -> SHA256Digest {
        let sorted = anchors.map(\.fingerprint.bytes).sorted { $0.lexicographicallyPrecedes($1) }
        return try [UInt8](sorted.joined()).withRawSpan { (span) throws(CryptoFault) in try SHA256Digest.of(span) }
    }

    /// The DER of each certificate; PEM is told by its first line.
    private static func certificates(in bytes: [UInt8]) throws -> [[UInt8]] {
        guard bytes.first != 0x30 else { return [bytes] }
        let certificates = try PEM.blocks(in: bytes).filter { $0.label == "CERTIFICATE" }.map(\.bytes)
        guard !certificates.isEmpty else { throw TrustAnchorError(code: .notACertificate) }
        return certificates
    }
}
