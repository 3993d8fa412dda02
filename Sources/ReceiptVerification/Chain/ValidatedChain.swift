internal import ReceiptTypes

/// What remains of a certificate chain once it has been found good: the key, and when it may be used.
struct ValidatedChain: Sendable {
    /// The dates of one certificate, both ends included (RFC 5280 4.1.2.5).
    struct Validity: Sendable, Hashable {
        var notBefore: Timestamp
        var notAfter: Timestamp
    }

    let publicKey: PublicKey
    /// Over all certificates of the chain, see ``ChainFingerprint``.
    let fingerprint: SHA256Digest
    /// The fingerprint of the root that the chain ends at.
    let anchor: SHA256Digest
    /// One entry a certificate, leaf first.
    let validities: [Validity]
    /// Whether this is the single certificate of a local testing environment.
    let isLocalTesting: Bool
    let leafSubject: String
    let leafSerial: String

    /// When all certificates are valid; nil when they never are at the same time.
    var interval: ClosedRange<Timestamp>? {
        guard let start = validities.map(\.notBefore).max(), let end = validities.map(\.notAfter).min(), start <= end
        else { return nil }
        return start...end
    }
}
