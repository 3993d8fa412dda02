internal import ReceiptTypes

extension AppStoreJWS {
    /// Returns the signer for a header segment; nil if the header or the chain is rejected.
    ///
    /// It is found in this thread's signers or in the key cache, or created by validating the certificate chain.
    static func signer(
        of header: RawSpan,
        _ examination: inout Examination,
        _ session: inout VerificationSession
    ) throws(CryptoFault) -> Signer? {
        guard let anchorSet = session.rules.anchorSet else { throw .outOfMemory }
        // An explanation shows the checks of the chain, so it validates the chain even if the key is known.
        guard !examination.isTracing else {
            guard let key = try key(in: header, anchorSet, &examination, session.rules) else { return nil }
            return try signer(of: header, with: key, &examination, session.rules)
        }
        if let known = session.workspace.signers.signer(of: header) { return known }
        let found: Signer.Key?
        let cached = session.rules.keyCache.key(forHeader: header, anchorSet: anchorSet)
        if let cached {
            found = .cached(cached)
        } else {
            found = try key(in: header, anchorSet, &examination, session.rules)
        }
        guard let found,
            let signer = try signer(of: header, with: found, isProven: cached != nil, &examination, session.rules)
        else { return nil }
        session.workspace.signers.insert(signer)
        return signer
    }

    /// Returns the signer with a key; nil if the policy distrusts a certificate of its chain.
    ///
    /// The policy can change while a key is in the cache, so a key is checked each time that it is taken from there.
    private static func signer(
        of header: RawSpan,
        with key: Signer.Key,
        isProven: Bool = false,
        _ examination: inout Examination,
        _ rules: borrowing VerificationRules
    ) throws(CryptoFault) -> Signer? {
        if !examination.isTracing { try requireTrust(in: key.certificates, &examination, rules) }
        let roots = key.roots(rules)
        guard !roots.isEmpty else {
            examination.refuse(
                .certificateDistrusted, "distrusted-root", certificate: key.certificates.count,
                expected: "a root that the policy does not distrust", actual: "a distrusted root"
            )
            return nil
        }
        guard examination.continues else { return nil }
        return Signer(header: header, key, roots, isProven: isProven)
    }

    private static func requireTrust(
        in certificates: [SHA256Digest],
        _ examination: inout Examination,
        _ rules: borrowing VerificationRules
    ) throws(CryptoFault) {
        let distrusted = rules.policy.distrustedCertificates
        guard !distrusted.isEmpty else { return }
        for (index, digest) in certificates.enumerated() {
            let isDistrusted = distrusted.contains(digest)
            try examination.require(
                .certificateDistrusted, "distrusted-certificates", certificate: index, !isDistrusted,
                expected: "a certificate that the policy does not distrust",
                actual: "\(isDistrusted ? "the distrusted" : "a") certificate with SHA-256 \(digest)"
            )
        }
    }

    /// Decodes a header segment and returns the key of its chain; nil if the header or the chain is rejected.
    ///
    /// The key comes from the key cache or from validating the chain.
    static func key(
        in header: RawSpan,
        _ anchorSet: SHA256Digest,
        usingCache: Bool = true,
        _ examination: inout Examination,
        _ rules: borrowing VerificationRules
    ) throws(CryptoFault) -> Signer.Key? {
        let chainPolicy = rules.chainPolicy
        guard !chainPolicy.trustAnchors.anchors.isEmpty else {
            examination.refuse(.noTrustAnchor, "trust-anchors", expected: "at least one trusted root", actual: "none")
            return nil
        }
        guard
            let certificates = try JWSHeader.certificates(
                in: header, acceptingAlone: chainPolicy.acceptsAlone, &examination
            ),
            examination.continues
        else { return nil }

        // A distrusted certificate is rejected before its chain costs a validation.
        try requireTrust(in: certificates.prefix(2).map(\.fingerprint), &examination, rules)
        guard examination.continues else { return nil }
        if examination.isTracing {
            // The checks are recorded here, so another thread's validation cannot stand in for them.
            return try chainPolicy.validate(certificates, &examination).map(Signer.Key.validated)
        }
        let fingerprint = try ChainFingerprint.of(certificates.map(\.der))
        if usingCache, let cached = rules.keyCache.key(forChain: fingerprint, anchorSet: anchorSet) {
            return .cached(cached)
        }
        let outcome = try rules.keyCache.validation(ofChain: fingerprint, anchorSet: anchorSet) {
            () throws(CryptoFault) in
            var chainExamination = Examination(isTracing: false)
            let chain = try chainPolicy.validate(certificates, &chainExamination)
            if let chain { return .success(chain) }
            return .failure(chainExamination.failure ?? VerificationFailure(code: .chainInvalid))
        }
        switch outcome {
        case .success(let chain): return .validated(chain)
        case .failure(let failure):
            examination.adopt(failure)
            return nil
        }
    }
}
