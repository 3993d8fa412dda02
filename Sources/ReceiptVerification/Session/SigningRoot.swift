internal import ReceiptTypes

/// A root that a signer's chain ends at, with what the checks of its receipts need.
struct SigningRoot {
    let anchor: SHA256Digest
    /// The time in which all certificates of the chain are valid; nil if there is none.
    let validity: ClosedRange<Timestamp>?
    /// The environments of which the root may verify receipts.
    let trust: EnvironmentTrust
    let facts: SignerFacts

    /// Returns whether all certificates of the chain are valid at an instant, including both of their dates.
    func isValid(at instant: Timestamp) -> Bool {
        validity?.contains(instant.flooredToSecond) ?? false
    }

    /// Returns the order of preference: first whether the chain is valid, then how far the root is trusted.
    fileprivate func rank(at instant: Timestamp, for environment: String?) -> (Int, Int) {
        (isValid(at: instant) ? 0 : 1, trust.standing(for: environment).rawValue)
    }
}

extension [SigningRoot] {
    /// Returns the root that serves a receipt best: one that is valid, and trusted for the environment.
    ///
    /// The chain is good if it is good under any root, so a receipt fails only if the best root fails it.
    func best(at instant: Timestamp, for environment: String?) -> SigningRoot? {
        // A loop over indices: the optimizer of Swift 6.3.1 crashes on `min(by:)` over these elements.
        guard count > 1 else { return first }
        var best = 0
        for index in 1..<count
        where self[index].rank(at: instant, for: environment) < self[best].rank(at: instant, for: environment) {
            best = index
        }
        return self[best]
    }
}

extension Signer.Key {
    /// Names the first root of the key's chain that the policy distrusts; nil if there is none.
    func distrustedRoot(_ rules: borrowing VerificationRules) -> String? {
        for root in chainRoots {
            guard let distrust = rules.policy.distrusts(root.digests) else { continue }
            return "the \(distrust.words(for: "root with SHA-256 \(root.anchor)"))"
        }
        return nil
    }

    /// Returns the trusted roots that the key's chain ends at, without those that the policy distrusts.
    func roots(_ rules: borrowing VerificationRules) -> [SigningRoot] {
        chainRoots.compactMap { root in
            guard rules.policy.distrusts(root.digests) == nil,
                let anchor = rules.chainPolicy.trustAnchors.anchor(root.anchor)
            else { return nil }
            return SigningRoot(
                anchor: root.anchor,
                validity: root.validity,
                trust: rules.chainPolicy.trustAnchors.environmentTrust(of: anchor, isLocalTesting: isLocalTesting),
                facts: SignerFacts(
                    anchor: .init(
                        subject: anchor.subject, fingerprint: anchor.fingerprint, isBuiltIn: anchor.isBuiltIn
                    ),
                    leaf: leaf,
                    validity: root.validity
                )
            )
        }
    }

    /// The digests of each certificate below the root, leaf first; see ``Certificate/digests``.
    var digests: [[SHA256Digest]] {
        switch self {
        case .cached(let cached): cached.key.digests
        case .validated(let chain): chain.digests
        }
    }

    private var isLocalTesting: Bool {
        switch self {
        case .cached(let cached): cached.key.isLocalTesting
        case .validated(let chain): chain.isLocalTesting
        }
    }

    private var leaf: ReceiptReport.Leaf {
        switch self {
        case .cached(let cached):
            .init(
                subject: cached.key.leafSubject, serialNumber: cached.key.leafSerial,
                fingerprint: cached.key.leafFingerprint)
        case .validated(let chain):
            .init(subject: chain.leafSubject, serialNumber: chain.leafSerial, fingerprint: chain.leafFingerprint)
        }
    }

    private var chainRoots: [(anchor: SHA256Digest, validity: ClosedRange<Timestamp>?, digests: [SHA256Digest])] {
        switch self {
        case .cached(let cached): cached.key.roots.map { ($0.anchor, $0.validity, $0.digests) }
        case .validated(let chain): chain.roots.map { ($0.anchor.fingerprint, chain.interval(under: $0), $0.digests) }
        }
    }
}
