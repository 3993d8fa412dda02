internal import ReceiptTypes

/// The result of a chain validation: the leaf's public key and the dates between which it may be used.
struct ValidatedChain: Sendable {
    /// The validity of one certificate, including both dates (RFC 5280 4.1.2.5).
    struct Validity: Sendable, Hashable {
        var notBefore: Timestamp
        var notAfter: Timestamp
    }

    let publicKey: PublicKey
    /// The fingerprint of the chain; see ``ChainFingerprint``.
    let fingerprint: SHA256Digest
    /// The fingerprint of the root that the chain ends at.
    let anchor: SHA256Digest
    /// The validity of each certificate, leaf first.
    let validities: [Validity]
    /// Whether the chain is the single certificate of a local testing environment.
    let isLocalTesting: Bool
    let leafSubject: String
    let leafSerial: String

    /// The interval in which all certificates are valid; nil if there is none.
    var interval: ClosedRange<Timestamp>? {
        guard let start = validities.map(\.notBefore).max(), let end = validities.map(\.notAfter).min(), start <= end
        else { return nil }
        return start...end
    }
}
