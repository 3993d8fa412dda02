@testable internal import ReceiptVerification

/// The certificates that each key has signed, which decide whether a verifier may accept a chain.
struct SignedChain {
    /// The TBSCertificates that the intermediate's key has signed.
    var leaves: Set<[UInt8]> = []
    /// The TBSCertificates that the root's key has signed.
    var intermediates: Set<[UInt8]> = []
    /// The SubjectPublicKeyInfo of the trusted root.
    var rootKey: [UInt8]

    /// The fixed authority's certificates.
    static let fixed = SignedChain(
        leaves: Set(FixedAuthority.signers.map { signedPart(of: $0.chain[0]) }),
        intermediates: [signedPart(of: FixedAuthority.intermediateDER), signedPart(of: FixedAuthority.rootDER)],
        rootKey: FixedAuthority.rootKey.subjectPublicKeyInfo
    )

    /// Returns the reason to reject the chain; nil if there is none.
    func objection(to chain: [[UInt8]]) -> String? {
        guard chain.count == 3 else { return "it has \(chain.count) certificates" }
        guard leaves.contains(Self.signedPart(of: chain[0])) else { return "the intermediate has not signed this leaf" }
        guard intermediates.contains(Self.signedPart(of: chain[1])) else {
            return "the root has not signed this intermediate"
        }
        guard chain[2].contains(rootKey) else { return "it does not end in the trusted root's key" }
        return nil
    }

    /// Returns the TBSCertificate of a certificate; all its bytes if they have no such part.
    static func signedPart(of certificate: [UInt8]) -> [UInt8] {
        DER.values(in: DER.content(of: certificate))?.first ?? certificate
    }
}

extension [UInt8] {
    /// Returns whether these bytes contain other bytes as a contiguous run.
    func contains(_ other: [UInt8]) -> Bool {
        guard other.count <= count else { return false }
        return (0...(count - other.count)).contains { self[$0...].starts(with: other) }
    }
}
