internal import ReceiptTypes

/// The result of a chain validation: the leaf's public key and the dates between which it may be used.
struct ValidatedChain: Sendable {
    /// The validity of one certificate, including both dates (RFC 5280 4.1.2.5).
    struct Validity: Sendable, Hashable {
        var notBefore: Timestamp
        var notAfter: Timestamp

        init(_ certificate: Certificate) {
            notBefore = certificate.notBefore
            notAfter = certificate.notAfter
        }
    }

    /// A root under which the chain is valid.
    struct Root: Sendable {
        let anchor: TrustAnchor
        let validity: Validity
        /// The digests of the root's certificate; see ``Certificate/digests``.
        let digests: [SHA256Digest]
    }

    let publicKey: PublicKey
    /// The fingerprint of the chain; see ``ChainFingerprint``.
    let fingerprint: SHA256Digest
    /// The roots under which the chain is valid, in an order that depends on the roots only: several trusted roots can
    /// have one subject and key. There is at least one.
    let roots: [Root]
    /// The validity of each certificate below the root, leaf first.
    let validities: [Validity]
    /// Whether the chain is the single certificate of a local testing environment.
    let isLocalTesting: Bool
    let leafSubject: String
    let leafSerial: String
    let leafFingerprint: SHA256Digest
    /// The digests of each certificate below the root, leaf first; see ``Certificate/digests``.
    let digests: [[SHA256Digest]]

    /// The interval in which all certificates are valid; nil if there is none.
    func interval(under root: Root) -> ClosedRange<Timestamp>? {
        let validities = validities + [root.validity]
        guard let start = validities.map(\.notBefore).max(), let end = validities.map(\.notAfter).min(), start <= end
        else { return nil }
        return start...end
    }
}
