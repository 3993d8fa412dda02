/// Remembers which intermediates an authority has signed: the store's leaves are many, its intermediates few, and the
/// signature on one costs as much as that on a leaf.
///
/// What is kept is a fact about bytes, by SHA-256: this very certificate is signed with the key of that very other one. It
/// says nothing about dates and nothing about trust. Refusals are never kept, and since only an authority can make
/// signatures that are good, no stranger can fill the memory.
final class VerifiedIssuers: Sendable {
    private struct Signature: Hashable {
        var certificate: SHA256Digest
        var issuer: SHA256Digest
    }

    /// More than the stores have ever had.
    private static let capacity = 64

    private let known = Locked<Set<Signature>>([])

    /// Whether the key of `issuer` made the signature on a certificate.
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
