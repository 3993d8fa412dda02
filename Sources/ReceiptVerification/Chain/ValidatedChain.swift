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

/// The identity of a chain, computed from its certificates.
enum ChainFingerprint {
    /// Returns the SHA-256 over all certificates in order.
    ///
    /// The length of each precedes it in four bytes, so that different chains never have the same bytes.
    static func of(_ chain: [[UInt8]]) throws(CryptoFault) -> SHA256Digest {
        var state = try SHA256State()
        for der in chain {
            let count = UInt32(clamping: der.count)
            let length = [UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
            try length.withRawSpan { (span) throws(CryptoFault) in try state.update(span) }
            try der.withRawSpan { (span) throws(CryptoFault) in try state.update(span) }
        }
        return try state.finish()
    }
}
