@testable internal import ReceiptVerification

/// Which certificates were signed by whom, to tell whether a chain that was accepted could have been.
struct SignedChain {
    /// What the intermediate's key has signed.
    var leaves: Set<[UInt8]> = []
    /// What the root's key has signed.
    var intermediates: Set<[UInt8]> = []
    /// The SubjectPublicKeyInfo of the trusted root.
    var rootKey: [UInt8]

    /// The fixed authority's certificates.
    static let fixed = SignedChain(
        leaves: Set(FixedAuthority.signers.map { part(of: $0.chain[0]) }),
        intermediates: [part(of: FixedAuthority.intermediateDER), part(of: FixedAuthority.rootDER)],
        rootKey: FixedAuthority.rootKey.subjectPublicKeyInfo
    )

    /// Why nobody may accept the chain; nil where nothing speaks against it.
    func objection(to chain: [[UInt8]]) -> String? {
        guard chain.count == 3 else { return "it has \(chain.count) certificates" }
        guard leaves.contains(Self.part(of: chain[0])) else { return "the intermediate has not signed this leaf" }
        guard intermediates.contains(Self.part(of: chain[1])) else {
            return "the root has not signed this intermediate"
        }
        guard chain[2].contains(rootKey) else { return "it does not end in the trusted root's key" }
        return nil
    }

    /// The part of a certificate that is signed; the whole where there is no such part.
    static func part(of certificate: [UInt8]) -> [UInt8] {
        DER.values(in: DER.content(of: certificate))?.first ?? certificate
    }
}

extension [UInt8] {
    /// Whether some bytes stand in these, one after the other.
    func contains(_ other: [UInt8]) -> Bool {
        guard other.count <= count else { return false }
        return (0...(count - other.count)).contains { self[$0...].starts(with: other) }
    }
}
