internal import ReceiptTypes

/// Where the key came from that a signature is verified with.
enum KeySource {
    /// From the cache: the chain was validated before.
    case cache(CachedKey)
    /// From a chain that has just been validated.
    case chain(ValidatedChain)

    var publicKey: PublicKey {
        switch self {
        case .cache(let cached): cached.key.publicKey.key
        case .chain(let chain): chain.publicKey
        }
    }

    var isLocalTesting: Bool {
        switch self {
        case .cache(let cached): cached.key.isLocalTesting
        case .chain(let chain): chain.isLocalTesting
        }
    }

    var isCached: Bool {
        if case .cache = self { true } else { false }
    }
}

extension ReceiptVerifier {
    /// Reads the header and finds the key for its chain, in the cache or by validating it; nil when it is refused.
    func keySource(
        for header: RawSpan,
        _ anchorSet: SHA256Digest,
        usingCache: Bool = true,
        _ examination: inout Examination
    ) throws(CryptoFault) -> KeySource? {
        guard !trustAnchors.anchors.isEmpty else {
            examination.refuse(.noTrustAnchor, "trust-anchors", expected: "at least one trusted root", actual: "none")
            return nil
        }
        guard
            let certificates = try JWSHeader.certificates(
                in: header, acceptingAlone: chainPolicy.acceptsAlone, &examination
            ),
            examination.holds || examination.isTracing
        else { return nil }

        if examination.isTracing {
            // Judged in the open, event by event, and never through another thread's validation.
            return try chainPolicy.validate(certificates, &examination).map(KeySource.chain)
        }
        let fingerprint = try ChainFingerprint.of(certificates.map(\.der))
        if usingCache, let cached = keyCache.key(forChain: fingerprint, anchorSet: anchorSet) {
            keyCache.remember(header: header.array, for: cached)
            return .cache(cached)
        }
        let outcome = try keyCache.validate(chain: fingerprint, anchorSet: anchorSet) {
            () throws(CryptoFault) -> ChainValidation.Outcome in
            var chainExamination = Examination(isTracing: false)
            let chain = try chainPolicy.validate(certificates, &chainExamination)
            if let chain { return .valid(chain) }
            return .refused(chainExamination.failure ?? VerificationFailure(code: .chainInvalid))
        }
        switch outcome {
        case .valid(let chain): return .chain(chain)
        case .refused(let failure):
            examination.adopt(failure)
            return nil
        }
    }
}
