internal import ReceiptTypes

/// The part of a receipt that carries its certificates, and how they are read from it.
protocol CertificateSource: Sendable {
    /// What the leaf of the certificates signs.
    var purpose: ChainPurpose { get }

    /// Returns the certificates, leaf first; nil if they are rejected, with the reason in `examination`.
    ///
    /// - Parameters:
    ///   - bytes: The part of the receipt. All receipts of one signer share its bytes.
    ///   - acceptingAlone: Returns whether a single certificate is acceptable.
    func certificates(
        in bytes: RawSpan,
        acceptingAlone: (Certificate) -> Bool,
        _ examination: inout Examination
    ) throws(CryptoFault) -> [Certificate]?
}

/// Finds the signer of a receipt.
///
/// The bytes that carry the certificates are called the header, as in a JWS.
struct SignerLookup<Source: CertificateSource> {
    let source: Source

    init(_ source: Source) {
        self.source = source
    }

    /// Returns the signer for a header; nil if the header or the chain is rejected.
    ///
    /// It is found in this thread's signers or in the key cache, or created by validating the certificate chain.
    func signer(
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
        if let known = session.workspace.signers.signer(of: header), known.purpose == source.purpose { return known }
        let found: Signer.Key?
        let cached = usable(session.rules.keyCache.key(forHeader: header, anchorSet: anchorSet))
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

    /// Returns a key of the cache if it verifies receipts of this format.
    private func usable(_ cached: CachedKey?) -> CachedKey? {
        cached?.key.purpose == source.purpose ? cached : nil
    }

    /// Returns the signer with a key; nil if the policy distrusts a certificate of its chain.
    ///
    /// The policy can change while a key is in the cache, so a key is checked each time that it is taken from there.
    private func signer(
        of header: RawSpan,
        with key: Signer.Key,
        isProven: Bool = false,
        _ examination: inout Examination,
        _ rules: borrowing VerificationRules
    ) throws(CryptoFault) -> Signer? {
        if !examination.isTracing { try requireTrust(in: key.digests, &examination, rules) }
        let roots = key.roots(rules)
        guard !roots.isEmpty else {
            examination.refuse(
                .certificateDistrusted, "distrusted-root", certificate: key.digests.count,
                expected: "a root that the policy does not distrust",
                actual: key.distrustedRoot(rules) ?? "a root that is no longer trusted"
            )
            return nil
        }
        guard examination.continues else { return nil }
        return Signer(header: header, key, roots, isProven: isProven)
    }

    private func requireTrust(
        in certificates: [[SHA256Digest]],
        _ examination: inout Examination,
        _ rules: borrowing VerificationRules
    ) throws(CryptoFault) {
        guard !rules.policy.distrustedCertificates.isEmpty else { return }
        for (index, digests) in certificates.enumerated() {
            guard let fingerprint = digests.first else { throw .libraryFailure }
            let distrusted = rules.policy.distrusts(digests)
            let name = "certificate with SHA-256 \(fingerprint)"
            let actual = distrusted.map { "the \($0.words(for: name))" } ?? "a \(name)"
            try examination.require(
                .certificateDistrusted, "distrusted-certificates", certificate: index, distrusted == nil,
                expected: "a certificate that the policy does not distrust", actual: actual
            )
        }
    }

    /// Decodes a header and returns the key of its chain; nil if the header or the chain is rejected.
    ///
    /// The key comes from the key cache or from validating the chain.
    private func key(
        in header: RawSpan,
        _ anchorSet: SHA256Digest,
        usingCache: Bool = true,
        _ examination: inout Examination,
        _ rules: borrowing VerificationRules
    ) throws(CryptoFault) -> Signer.Key? {
        let chainPolicy = rules.chainPolicy
        let purpose = source.purpose
        guard !chainPolicy.trustAnchors.anchors(for: purpose).isEmpty else {
            examination.refuse(.noTrustAnchor, "trust-anchors", expected: "at least one trusted root", actual: "none")
            return nil
        }
        guard
            let certificates = try source.certificates(
                in: header, acceptingAlone: { chainPolicy.acceptsAlone($0, for: purpose) }, &examination
            ),
            examination.continues
        else { return nil }

        // A distrusted certificate is rejected before its chain costs a validation.
        try requireTrust(in: certificates.prefix(2).map(\.digests), &examination, rules)
        guard examination.continues else { return nil }
        if examination.isTracing {
            // The checks are recorded here, so another thread's validation cannot stand in for them.
            return try chainPolicy.validate(certificates, for: purpose, &examination).map(Signer.Key.validated)
        }
        let fingerprint = try ChainFingerprint.of(certificates.map(\.der))
        if usingCache, let cached = usable(rules.keyCache.key(forChain: fingerprint, anchorSet: anchorSet)) {
            return .cached(cached)
        }
        let outcome = try rules.keyCache.validation(ofChain: fingerprint, anchorSet: anchorSet, for: purpose) {
            () throws(CryptoFault) in
            var chainExamination = Examination(isTracing: false)
            let chain = try chainPolicy.validate(certificates, for: purpose, &chainExamination)
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

    // MARK: Dates

    /// Chooses the root that serves the receipt, checks the certificates' dates, and puts the key into the cache where
    /// they pass; returns the root, or nil not to go on.
    ///
    /// Call it only after the signature of the receipt has verified.
    ///
    /// - Parameter environment: The environment of the payload; needed only if there are several roots.
    func requireDates(
        of signer: Signer,
        signedAt time: ValidityPolicy.SigningTime,
        in environment: String?,
        _ receipt: inout CheckedReceipt,
        _ rules: borrowing VerificationRules
    ) throws(CryptoFault) -> SigningRoot? {
        guard let anchorSet = rules.anchorSet else { throw .outOfMemory }
        guard let date = try rules.validityPolicy.effectiveDate(signedAt: time, &receipt.examination),
            receipt.examination.continues, let root = signer.roots.best(at: date, for: environment)
        else { return nil }
        receipt.signer = root.facts
        let chain: ValidatedChain
        switch signer.key {
        case .validated(let validated): chain = validated
        case .cached:
            if root.isValid(at: date) {
                signer.countReceipt(in: rules.keyCache)
                return root
            }
            // A cached key has only the common dates of its chain, so the chain is validated again to name the
            // certificate that is not valid.
            let again = try signer.header.withRawSpan { (header) throws(CryptoFault) in
                try key(in: header, anchorSet, usingCache: false, &receipt.examination, rules)
            }
            guard case .validated(let validated)? = again else { return nil }
            chain = validated
        }
        guard let under = chain.roots.first(where: { $0.anchor.fingerprint == root.anchor }) else {
            throw .libraryFailure
        }
        try rules.validityPolicy.requireValidity(
            of: chain, under: under, at: date, signedAt: time, &receipt.examination
        )
        guard !receipt.examination.isTracing else { return root }
        rules.keyCache.countMiss()
        if receipt.examination.isPassing, let key = VerificationKey(chain, anchorSet: anchorSet) {
            signer.adopt(rules.keyCache.insert(key, header: signer.header))
        }
        return receipt.examination.isPassing ? root : nil
    }
}
