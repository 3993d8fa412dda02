internal import ReceiptTypes

/// What a certificate chain must fulfil, whatever the date.
///
/// The rules stand in the order in which they are reported: what is wrong with the chain as a whole first, then each
/// certificate's own flaws, and the costly signatures last. Dates are judged later, against the signing time of a payload
/// whose signature has been verified (``ValidityPolicy``).
struct ChainPolicy: Sendable {
    let anchors: [TrustAnchor]
    let verifiedIssuers = VerifiedIssuers()

    /// Judges a chain; nil when it is refused, with the reason in `examination`.
    func validate(
        _ chain: [Certificate],
        _ examination: inout Examination
    ) throws(CryptoFault) -> ValidatedChain? {
        if chain.count == 1 { return try validateLocalTesting(chain[0], &examination) }
        guard chain.count == Budget.chainLength else { return nil }
        let (leaf, intermediate, root) = (chain[0], chain[1], chain[2])

        for (index, certificate) in [leaf, intermediate].enumerated() {
            try requireVersion(of: certificate, at: index, &examination)
        }
        try requireIssuerName(of: leaf, at: 0, is: intermediate, &examination)
        try requireIssuerName(of: intermediate, at: 1, is: root, &examination)
        let anchor = anchors.first { $0.anchors(root) }
        try examination.require(
            .untrustedRoot, "trusted-root", certificate: 2, anchor != nil,
            expected: anchors.map { "\($0.subject) (SHA-256 \($0.fingerprint))" }.joined(separator: ", or "),
            actual: "\(root.subject) (SHA-256 \(root.fingerprint))"
        )
        // A root that was given whole speaks for itself; what stands in its place in the receipt has no authority.
        let authority = anchor?.certificate ?? root
        try requireLeaf(leaf, &examination)
        try requireIntermediate(intermediate, under: authority, &examination)
        for (index, certificate) in [leaf, intermediate].enumerated() {
            try requireExtensions(of: certificate, at: index, &examination)
        }
        try requireAlgorithm(of: leaf, at: 0, issuer: intermediate, &examination)
        try requireAlgorithm(of: intermediate, at: 1, issuer: authority, &examination)
        try requireSignature(on: leaf, at: 0, by: intermediate, &examination)
        try requireSignature(on: intermediate, at: 1, by: authority, &examination)

        guard examination.isPassing, let anchor, let key = try leaf.publicKey() else { return nil }
        return ValidatedChain(
            publicKey: key,
            fingerprint: try ChainFingerprint.of(chain.map(\.der)),
            anchor: anchor.fingerprint,
            validities: [leaf, intermediate, authority].map { .init(notBefore: $0.notBefore, notAfter: $0.notAfter) },
            isLocalTesting: false,
            leafSubject: leaf.subject,
            leafSerial: leaf.serialNumber
        )
    }

    // MARK: One certificate, as Xcode makes them

    /// Whether a chain of this one certificate is worth judging: only when it was given as a root itself, and has a key
    /// that signs receipts; a root that only issues certificates stands for an incomplete chain.
    func acceptsAlone(_ certificate: Certificate) -> Bool {
        certificate.keyKind == .p256
            && anchors.contains { !$0.isBuiltIn && $0.fingerprint == certificate.fingerprint }
    }

    private func validateLocalTesting(
        _ certificate: Certificate,
        _ examination: inout Examination
    ) throws(CryptoFault) -> ValidatedChain? {
        try examination.require(
            .chainLength, "chain-length", acceptsAlone(certificate),
            expected: "\(Budget.chainLength) certificates, or one that was given as a root",
            actual: "1 certificate: \(certificate.subject)"
        )
        guard examination.isPassing, let key = try certificate.publicKey() else { return nil }
        return ValidatedChain(
            publicKey: key,
            fingerprint: try ChainFingerprint.of([certificate.der]),
            anchor: certificate.fingerprint,
            validities: [.init(notBefore: certificate.notBefore, notAfter: certificate.notAfter)],
            isLocalTesting: true,
            leafSubject: certificate.subject,
            leafSerial: certificate.serialNumber
        )
    }

    // MARK: Rules

    /// What makes a leaf or an intermediate acceptable stands in extensions, which only version 3 has (RFC 5280 4.1.2.1).
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
            expected: "issued by \(issuer.subject), which is certificate \(index + 1)",
            actual: "issued by \(certificate.issuer)"
        )
    }

    private func requireLeaf(_ leaf: Certificate, _ examination: inout Examination) throws(CryptoFault) {
        try examination.require(
            .leafIsCA, "leaf-is-no-ca", certificate: 0, !leaf.isCA,
            expected: "a certificate that may not issue others", actual: leaf.isCA ? "CA:TRUE" : "no CA"
        )
        try requireLeafKey(leaf, &examination)
        try examination.require(
            .leafKeyUsage, "leaf-key-usage", certificate: 0, !leaf.hasKeyUsage || leaf.allowsDigitalSignature,
            expected: "keyUsage absent or with digitalSignature",
            actual: leaf.hasKeyUsage
                ? (leaf.allowsDigitalSignature ? "digitalSignature" : "without digitalSignature") : "absent"
        )
        try requireMarker(MarkerOID.receiptSigning, on: leaf, at: 0, .leafMarkerMissing, "leaf-marker", &examination)
    }

    private func requireLeafKey(_ leaf: Certificate, _ examination: inout Examination) throws(CryptoFault) {
        try examination.require(
            .leafKeyUnsupported, "leaf-key", certificate: 0, leaf.keyKind == .p256,
            expected: "a P-256 key", actual: leaf.keyDescription
        )
    }

    private func requireIntermediate(
        _ intermediate: Certificate,
        under authority: Certificate,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        try examination.require(
            .intermediateNotCA, "intermediate-is-ca", certificate: 1,
            intermediate.isCA,
            expected: "basicConstraints with CA:TRUE", actual: intermediate.isCA ? "CA:TRUE" : "no CA"
        )
        // Below the root stands one certificate that issues, below the intermediate none (RFC 5280 4.2.1.9).
        try examination.require(
            .intermediatePathLength, "path-length", certificate: 2, (authority.pathLength ?? 1) >= 1,
            expected: "a root that allows a certificate between itself and the leaf",
            actual: authority.pathLength.map { "pathLenConstraint \($0)" } ?? "no limit"
        )
        try examination.require(
            .intermediateKeyUsage, "intermediate-key-usage", certificate: 1,
            !intermediate.hasKeyUsage || intermediate.allowsCertificateSigning,
            expected: "keyUsage absent or with keyCertSign",
            actual: intermediate.hasKeyUsage
                ? (intermediate.allowsCertificateSigning ? "keyCertSign" : "without keyCertSign") : "absent"
        )
        try requireMarker(
            MarkerOID.developerRelations, on: intermediate, at: 1, .intermediateMarkerMissing, "intermediate-marker",
            &examination
        )
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
            expected: "the extension \(oid)", actual: isPresent ? "present" : "absent"
        )
    }

    private func requireExtensions(
        of certificate: Certificate,
        at index: Int,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        let unknown = certificate.extensions.first { $0.isCritical && !UnderstoodExtension.all.contains($0.oid) }
        try examination.require(
            .certificateCriticalExtension, "critical-extensions", certificate: index, unknown == nil,
            expected: "no critical extension that is not understood",
            actual: unknown.map { "critical extension \($0.oid)" } ?? "none"
        )
    }

    private func requireAlgorithm(
        of certificate: Certificate,
        at index: Int,
        issuer: Certificate,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        let hasStrongKey =
            switch issuer.keyKind {
            case .p256, .p384, .p521: true
            case .rsa: issuer.keyBits >= Budget.certificateKeyBits
            case .other: false
            }
        try examination.require(
            .certificateAlgorithm, "signature-algorithm", certificate: index,
            certificate.hasAcceptedSignatureAlgorithm && hasStrongKey,
            expected: "ECDSA, or RSA with \(Budget.certificateKeyBits) bits or more, over SHA-256 or stronger",
            actual: "\(certificate.signatureAlgorithmName) by \(issuer.keyDescription)"
        )
    }

    private func requireSignature(
        on certificate: Certificate,
        at index: Int,
        by issuer: Certificate,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard examination.continues else { return }
        // Whoever wants to see each step has it done, not remembered.
        let isKept = index == 1 && !examination.isTracing
        let isSigned = try isKept ? verifiedIssuers.isSigned(certificate, by: issuer) : certificate.isSigned(by: issuer)
        try examination.require(
            .chainInvalid, "issuer-signature", certificate: index, isSigned,
            expected: "signed with the key of \(issuer.subject)",
            actual: isSigned ? "it is" : "the signature does not fit that key"
        )
    }
}

extension Certificate {
    /// The key's algorithm and size in words.
    var keyDescription: String {
        switch keyKind {
        case .p256: "a P-256 key"
        case .p384: "a P-384 key"
        case .p521: "a P-521 key"
        case .rsa: "an RSA key of \(keyBits) bits"
        case .other: "a key of another kind"
        }
    }
}
