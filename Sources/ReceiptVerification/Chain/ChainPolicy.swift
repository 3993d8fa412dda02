internal import ReceiptTypes

/// The rules for a certificate chain, except for dates.
///
/// The first rule that fails is reported. The order is: the chain itself, then each certificate, then the signatures,
/// which cost most: first that of the intermediate, so that no key is used before its certificate is known to be issued
/// by a trusted root. Dates and environments are checked later, against a payload whose signature is verified
/// (``ValidityPolicy``, ``EnvironmentTrust``).
struct ChainPolicy: Sendable {
    let trustAnchors: TrustAnchors
    let verifiedIssuers = VerifiedIssuers()

    /// Validates a chain; nil if it is rejected, with the reason in `examination`.
    func validate(
        _ chain: [Certificate],
        for purpose: ChainPurpose,
        _ examination: inout Examination
    ) throws(CryptoFault) -> ValidatedChain? {
        if chain.count == 1 { return try validateLocalTesting(chain[0], for: purpose, &examination) }
        guard chain.count == Budget.chainLength else { return nil }
        let (leaf, intermediate, root) = (chain[0], chain[1], chain[2])

        for (index, certificate) in [leaf, intermediate].enumerated() {
            try requireVersion(of: certificate, at: index, &examination)
        }
        try requireIssuerName(of: leaf, at: 0, is: intermediate, &examination)
        try requireIssuerName(of: intermediate, at: 1, is: root, &examination)
        let authorities = authorities(matching: root, for: purpose)
        try examination.require(
            .untrustedRoot, "trusted-root", certificate: 2, !authorities.isEmpty,
            expected: trustAnchors.anchors(for: purpose).map { "\($0.subject) (SHA-256 \($0.fingerprint))" }
                .joined(separator: ", or "),
            actual: "\(root.subject) (SHA-256 \(root.fingerprint))"
        )
        try requireLeaf(leaf, for: purpose, &examination)
        let accepted = try acceptIntermediate(intermediate, under: authorities, &examination)
        for (index, certificate) in [leaf, intermediate].enumerated() {
            try requireExtensions(of: certificate, at: index, &examination)
        }
        let signedBy = accepted.first ?? authorities.first
        try requireAlgorithm(of: leaf, at: 0, issuer: intermediate, for: purpose, &examination)
        if let signedBy {
            try requireAlgorithm(of: intermediate, at: 1, issuer: signedBy.certificate, for: purpose, &examination)
        }
        try requireSignatures(on: leaf, intermediate, by: signedBy?.certificate, &examination)

        guard examination.isPassing, !accepted.isEmpty, let key = try leaf.publicKey() else { return nil }
        return ValidatedChain(
            publicKey: key,
            fingerprint: try ChainFingerprint.of(chain.map(\.der)),
            roots: accepted.map {
                .init(anchor: $0.anchor, validity: .init($0.certificate), digests: $0.certificate.digests)
            },
            validities: [leaf, intermediate].map(ValidatedChain.Validity.init),
            isLocalTesting: false,
            leafSubject: leaf.subject,
            leafSerial: leaf.serialNumber,
            leafFingerprint: leaf.fingerprint,
            digests: [leaf.digests, intermediate.digests]
        )
    }

    // MARK: Roots

    /// A trusted root and its certificate.
    private struct Authority {
        let anchor: TrustAnchor
        let certificate: Certificate
    }

    /// Returns the trusted roots that a chain with this last certificate ends at, the preferred one first.
    ///
    /// Several roots can have one subject and key, as a renewed root has, and the chain is good if it is good under any
    /// of them. Their order here depends on the roots only, never on the order in which they were added.
    ///
    /// No signature covers the root in an app receipt, so it must be the trusted certificate, byte for byte.
    private func authorities(matching root: Certificate, for purpose: ChainPurpose) -> [Authority] {
        trustAnchors.anchors(for: purpose)
            .filter { purpose == .jws ? $0.anchors(root) : $0.fingerprint == root.fingerprint }
            // A configured root certificate is used in place of the copy in the receipt, which is untrusted input.
            .map { Authority(anchor: $0, certificate: $0.certificate ?? root) }
            .sorted { left, right in
                if left.anchor.isBuiltIn != right.anchor.isBuiltIn { return left.anchor.isBuiltIn }
                let (leftEnd, rightEnd) = (left.certificate.notAfter, right.certificate.notAfter)
                if leftEnd != rightEnd { return leftEnd > rightEnd }
                return left.anchor.fingerprint.bytes.lexicographicallyPrecedes(right.anchor.fingerprint.bytes)
            }
    }

    /// Returns the roots whose own rules are met; if there is none, the preferred root's failure is recorded.
    private func accept(
        _ intermediate: Certificate,
        under authorities: [Authority],
        _ examination: inout Examination
    ) throws(CryptoFault) -> [Authority] {
        var accepted: [Authority] = []
        for authority in authorities {
            var rules = Examination(isTracing: false)
            try requireIssuer(authority, of: intermediate, &rules)
            if rules.isPassing { accepted.append(authority) }
        }
        if let reported = accepted.first ?? authorities.first {
            try requireIssuer(reported, of: intermediate, &examination)
        }
        return accepted
    }

    private func requireIssuer(
        _ authority: Authority,
        of intermediate: Certificate,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        let root = authority.certificate
        try examination.require(
            .rootCannotIssue, "root-issues", certificate: 2, root.mayIssue,
            expected: "a root with CA:TRUE and no keyUsage, or keyUsage with keyCertSign",
            actual: root.isCA
                ? (root.mayIssue ? "a root that may issue certificates" : "keyUsage without keyCertSign") : "not a CA"
        )
        // The root has one CA certificate below it, the intermediate has none (RFC 5280 4.2.1.9).
        try examination.require(
            .intermediatePathLength, "path-length", certificate: 2, (root.pathLength ?? 1) >= 1,
            expected: "a root with no pathLenConstraint, or one of at least 1",
            actual: root.pathLength.map { "pathLenConstraint \($0)" } ?? "no pathLenConstraint"
        )
        // Every intermediate of Apple has keyUsage; test authorities, such as that of Apple's mock data, can lack it.
        let mayLackKeyUsage = !authority.anchor.isBuiltIn
        try examination.require(
            .intermediateKeyUsage, "intermediate-key-usage", certificate: 1,
            intermediate.hasKeyUsage ? intermediate.allowsCertificateSigning : mayLackKeyUsage,
            expected: mayLackKeyUsage ? "no keyUsage, or keyUsage with keyCertSign" : "keyUsage with keyCertSign",
            actual: intermediate.hasKeyUsage
                ? "keyUsage \(intermediate.allowsCertificateSigning ? "with" : "without") keyCertSign" : "no keyUsage"
        )
    }

    // MARK: A single certificate, as in receipts of Xcode

    /// Returns whether a single certificate is acceptable: it was added as a root, and its key can sign receipts.
    ///
    /// A root with another key issues certificates, so the chain is incomplete.
    func acceptsAlone(_ certificate: Certificate, for purpose: ChainPurpose) -> Bool {
        purpose.accepts(certificate)
            && trustAnchors.anchors.contains { !$0.isBuiltIn && $0.fingerprint == certificate.fingerprint }
    }

    private func validateLocalTesting(
        _ certificate: Certificate,
        for purpose: ChainPurpose,
        _ examination: inout Examination
    ) throws(CryptoFault) -> ValidatedChain? {
        try examination.require(
            .chainLength, "chain-length", acceptsAlone(certificate, for: purpose),
            expected: "\(Budget.chainLength) certificates, or one certificate that was added as a root",
            actual: "1 certificate: \(certificate.subject)"
        )
        guard examination.isPassing, let key = try certificate.publicKey() else { return nil }
        return ValidatedChain(
            publicKey: key,
            fingerprint: try ChainFingerprint.of([certificate.der]),
            roots: trustAnchors.anchors.filter { $0.fingerprint == certificate.fingerprint }
                .map { .init(anchor: $0, validity: .init(certificate), digests: certificate.digests) },
            validities: [],
            isLocalTesting: true,
            leafSubject: certificate.subject,
            leafSerial: certificate.serialNumber,
            leafFingerprint: certificate.fingerprint,
            digests: []
        )
    }

    // MARK: Rules

    /// Requires version 3: the other rules check extensions, which earlier versions lack (RFC 5280 4.1.2.1).
    private func requireVersion(
        of certificate: Certificate,
        at index: Int,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        try examination.require(
            .certificateMalformed, "certificate-version", certificate: index, certificate.version == 3,
            expected: "version 3", actual: "version \(certificate.version)"
        )
    }

    private func requireIssuerName(
        of certificate: Certificate,
        at index: Int,
        is issuer: Certificate,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        try examination.require(
            .chainInvalid, "issuer-name", certificate: index, certificate.namesIssuer(issuer),
            expected: "issuer \(issuer.subject), the subject of certificate \(index + 1)",
            actual: "issuer \(certificate.issuer)"
        )
    }

    private func requireLeaf(
        _ leaf: Certificate,
        for purpose: ChainPurpose,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        try examination.require(
            .leafIsCA, "leaf-is-no-ca", certificate: 0, !leaf.isCA,
            expected: "a leaf that is not a CA", actual: leaf.isCA ? "CA:TRUE" : "not a CA"
        )
        try examination.require(
            .leafKeyUnsupported, "leaf-key", certificate: 0, purpose.accepts(leaf),
            expected: purpose.keyRequirement, actual: leaf.keyDescription
        )
        try examination.require(
            .leafKeyUsage, "leaf-key-usage", certificate: 0, !leaf.hasKeyUsage || leaf.allowsDigitalSignature,
            expected: "no keyUsage, or keyUsage with digitalSignature",
            actual: leaf.hasKeyUsage
                ? "keyUsage \(leaf.allowsDigitalSignature ? "with" : "without") digitalSignature" : "no keyUsage"
        )
        // The App Store has marked its certificates since 2012.
        let isUnmarkedGeneration =
            purpose == .appReceipts && leaf.notBefore < Timestamp(clampingSeconds: 1_325_376_000)
        try requireMarker(
            MarkerOID.receiptSigning, on: leaf, at: 0,
            isUnmarkedGeneration ? .unmarkedGeneration : .leafMarkerMissing, "leaf-marker", &examination
        )
    }

    /// Checks the rules for the intermediate, and returns the roots under which it meets them.
    private func acceptIntermediate(
        _ intermediate: Certificate,
        under authorities: [Authority],
        _ examination: inout Examination
    ) throws(CryptoFault) -> [Authority] {
        try examination.require(
            .intermediateNotCA, "intermediate-is-ca", certificate: 1,
            intermediate.isCA,
            expected: "an intermediate with CA:TRUE", actual: intermediate.isCA ? "CA:TRUE" : "not a CA"
        )
        let accepted = try accept(intermediate, under: authorities, &examination)
        try requireMarker(
            MarkerOID.developerRelations, on: intermediate, at: 1, .intermediateMarkerMissing, "intermediate-marker",
            &examination
        )
        return accepted
    }

    private func requireMarker(
        _ oid: String,
        on certificate: Certificate,
        at index: Int,
        _ code: VerificationFailure.Code,
        _ check: StaticString,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        let isPresent = certificate.hasExtension(oid)
        try examination.require(
            code, check, certificate: index, isPresent,
            expected: "extension \(oid)", actual: isPresent ? "extension \(oid)" : "no extension \(oid)"
        )
    }

    private func requireExtensions(
        of certificate: Certificate,
        at index: Int,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        let refused = certificate.refusedCriticalExtension
        try examination.require(
            .certificateCriticalExtension, "critical-extensions", certificate: index, refused == nil,
            expected: "no unknown critical extension", actual: refused ?? "no unknown critical extension"
        )
    }

    private func requireAlgorithm(
        of certificate: Certificate,
        at index: Int,
        issuer: Certificate,
        for purpose: ChainPurpose,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        let allowsSHA1 = purpose == .appReceipts
        let hasStrongKey =
            switch issuer.keyKind {
            case .p256, .p384, .p521: true
            case .rsa: issuer.keyBits >= Budget.certificateKeyBits
            case .other: false
            }
        try examination.require(
            .certificateAlgorithm, "signature-algorithm", certificate: index,
            (certificate.hasAcceptedSignatureAlgorithm || allowsSHA1 && certificate.hasSHA1Signature) && hasStrongKey,
            expected: "ECDSA, or RSA with \(Budget.certificateKeyBits) bits or more, over SHA-256 or stronger"
                + (allowsSHA1 ? ", or RSA over SHA-1" : ""),
            actual: "\(certificate.signatureAlgorithmName) by \(issuer.keyDescription)"
        )
    }

    /// Requires the signatures from the top: the intermediate's key is used only if a trusted root has signed it.
    ///
    /// A certificate from a stranger can have a key that makes each verification slow. An explanation, which goes on
    /// after a failure, stops here too.
    private func requireSignatures(
        on leaf: Certificate,
        _ intermediate: Certificate,
        by root: Certificate?,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard let root else {
            return examination.skip(.chain, "issuer-signature", "no trusted root has this name and key")
        }
        guard try requireSignature(on: intermediate, at: 1, by: root, &examination) else {
            return examination.skip(.chain, "issuer-signature", "the intermediate is not signed by the root")
        }
        try requireSignature(on: leaf, at: 0, by: intermediate, &examination)
    }

    @discardableResult
    private func requireSignature(
        on certificate: Certificate,
        at index: Int,
        by issuer: Certificate,
        _ examination: inout Examination
    ) throws(CryptoFault) -> Bool {
        guard examination.continues else { return false }
        // A traced verification checks each signature, even if an earlier result is known.
        let isKept = index == 1 && !examination.isTracing
        let isSigned = try isKept ? verifiedIssuers.isSigned(certificate, by: issuer) : certificate.isSigned(by: issuer)
        return try examination.require(
            .chainInvalid, "issuer-signature", certificate: index, isSigned,
            expected: "signed by the key of \(issuer.subject)",
            actual: "\(isSigned ? "signed" : "not signed") by the key of \(issuer.subject)"
        )
    }
}

extension Certificate {
    /// The algorithm and size of the key, as in "a P-256 key".
    var keyDescription: String {
        switch keyKind {
        case .p256: "a P-256 key"
        case .p384: "a P-384 key"
        case .p521: "a P-521 key"
        case .rsa: "an RSA key of \(keyBits) bits"
        case .other: "a key of an unsupported type"
        }
    }
}
