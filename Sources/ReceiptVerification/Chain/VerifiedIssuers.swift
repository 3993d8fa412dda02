internal import ReceiptTypes

/// Caches which intermediates a root has signed.
///
/// The store has many leaves and few intermediates, and verifying the signature of an intermediate costs as much as
/// that of a leaf.
///
/// An entry is a fact about two certificates, identified by SHA-256: one is signed by the key of the other. It concerns
/// neither dates nor trust. Failed checks are not cached, and only an authority can create valid signatures, so an
/// attacker cannot fill the cache.
final class VerifiedIssuers: Sendable {
    private struct Signature: Hashable {
        var certificate: SHA256Digest
        var issuer: SHA256Digest
    }

    /// More intermediates than the stores have ever had.
    private static let capacity = 64

    private let known = Locked<Set<Signature>>([])

    /// Returns whether a certificate is signed by the key of `issuer`.
    func isSigned(_ certificate: Certificate, by issuer: Certificate) throws(CryptoFault) -> Bool {
        let signature = Signature(certificate: certificate.fingerprint, issuer: issuer.fingerprint)
        if known.withLock({ $0.contains(signature) }) { return true }
        guard try certificate.isSigned(by: issuer) else { return false }
        known.withLock { known in
            if known.count < Self.capacity { known.insert(signature) }
        }
        return true
    }
}
