internal import ReceiptTypes

/// The rules for a certificate chain, except for dates.
///
/// The first rule that fails is reported. The order is: the chain itself, then each certificate, then the signatures,
/// which cost most. Dates are checked later, against the signing time of a payload whose signature is verified
/// (``ValidityPolicy``).
struct ChainPolicy: Sendable {
    let anchors: [TrustAnchor]
    let verifiedIssuers = VerifiedIssuers()

    /// Validates a chain; nil if it is rejected, with the reason in `examination`.
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
        // A configured root certificate is used in place of the copy in the receipt, which is untrusted input.
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

    // MARK: A single certificate, as in receipts of Xcode

    /// Returns whether a single certificate is acceptable: it was added as a root, and its key can sign receipts.
    ///
    /// A root with another key issues certificates, so the chain is incomplete.
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
            expected: "\(Budget.chainLength) certificates, or one certificate that was added as a root",
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

    private func requireLeaf(_ leaf: Certificate, _ examination: inout Examination) throws(CryptoFault) {
        try examination.require(
            .leafIsCA, "leaf-is-no-ca", certificate: 0, !leaf.isCA,
            expected: "a leaf that is not a CA", actual: leaf.isCA ? "CA:TRUE" : "not a CA"
        )
        try requireLeafKey(leaf, &examination)
        try examination.require(
            .leafKeyUsage, "leaf-key-usage", certificate: 0, !leaf.hasKeyUsage || leaf.allowsDigitalSignature,
            expected: "no keyUsage, or keyUsage with digitalSignature",
            actual: leaf.hasKeyUsage
                ? "keyUsage \(leaf.allowsDigitalSignature ? "with" : "without") digitalSignature" : "no keyUsage"
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
            expected: "an intermediate with CA:TRUE", actual: intermediate.isCA ? "CA:TRUE" : "not a CA"
        )
        // The root has one CA certificate below it, the intermediate has none (RFC 5280 4.2.1.9).
        try examination.require(
            .intermediatePathLength, "path-length", certificate: 2, (authority.pathLength ?? 1) >= 1,
            expected: "a root with no pathLenConstraint, or one of at least 1",
            actual: authority.pathLength.map { "pathLenConstraint \($0)" } ?? "no pathLenConstraint"
        )
        try examination.require(
            .intermediateKeyUsage, "intermediate-key-usage", certificate: 1,
            !intermediate.hasKeyUsage || intermediate.allowsCertificateSigning,
            expected: "no keyUsage, or keyUsage with keyCertSign",
            actual: intermediate.hasKeyUsage
                ? "keyUsage \(intermediate.allowsCertificateSigning ? "with" : "without") keyCertSign" : "no keyUsage"
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
            expected: "extension \(oid)", actual: isPresent ? "extension \(oid)" : "no extension \(oid)"
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
            expected: "no unknown critical extension",
            actual: unknown.map { "unknown critical extension \($0.oid)" } ?? "no unknown critical extension"
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
        // A traced verification checks each signature, even if an earlier result is known.
        let isKept = index == 1 && !examination.isTracing
        let isSigned = try isKept ? verifiedIssuers.isSigned(certificate, by: issuer) : certificate.isSigned(by: issuer)
        try examination.require(
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
