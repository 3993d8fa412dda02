internal import ReceiptTypes

extension AppStoreJWS {
    /// Returns the signer for a header segment: from this thread's signers, from the key cache, or by validating the
    /// certificate chain; nil when the header or the chain is rejected.
    static func signer(
        of header: RawSpan,
        _ examination: inout Examination,
        _ session: inout VerificationSession
    ) throws(CryptoFault) -> Signer? {
        guard let anchorSet = session.rules.anchorSet else { throw .outOfMemory }
        // An explanation shows the checks of the chain, so it validates the chain even where the key is known.
        guard !examination.isTracing else {
            return try key(in: header, anchorSet, &examination, session.rules).map { Signer(header: header, $0) }
        }
        if let known = session.workspace.signers.signer(of: header) { return known }
        let signer: Signer
        if let cached = session.rules.keyCache.key(forHeader: header, anchorSet: anchorSet) {
            signer = Signer(header: header, .cached(cached), isProven: true)
        } else if let found = try key(in: header, anchorSet, &examination, session.rules) {
            signer = Signer(header: header, found)
        } else {
            return nil
        }
        session.workspace.signers.insert(signer)
        return signer
    }

    /// Decodes a header segment and returns the key of its chain: from the key cache, or by validating the chain; nil
    /// when the header or the chain is rejected.
    static func key(
        in header: RawSpan,
        _ anchorSet: SHA256Digest,
        usingCache: Bool = true,
        _ examination: inout Examination,
        _ rules: borrowing VerificationRules
    ) throws(CryptoFault) -> Signer.Key? {
        let chainPolicy = rules.chainPolicy
        guard !chainPolicy.anchors.isEmpty else {
            examination.refuse(.noTrustAnchor, "trust-anchors", expected: "at least one trusted root", actual: "none")
            return nil
        }
        guard
            let certificates = try JWSHeader.certificates(
                in: header, acceptingAlone: chainPolicy.acceptsAlone, &examination
            ),
            examination.continues
        else { return nil }

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
