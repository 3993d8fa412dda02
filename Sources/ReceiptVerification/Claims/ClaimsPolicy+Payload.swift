internal import ReceiptTypes

extension ClaimsPolicy {
    /// Checks the claims of a payload whose signature has verified: its kind, the types of its claims, and the policy.
    ///
    /// - Parameters:
    ///   - detected: The kind of the payload, detected by its claims; nil if they match no kind.
    ///   - trust: The environments for which the root of the receipt's chain is trusted.
    ///   - root: The root of the receipt's chain; nil for Google Play, which has none.
    ///   - kind: The kind that the caller expects; nil for every kind that the policy accepts.
    func check(
        _ payload: borrowing JSONNode,
        _ detected: ReceiptKind?,
        expecting kind: ReceiptKind?,
        trust: EnvironmentTrust,
        root: SHA256Digest?,
        isNested: Bool,
        _ receipt: inout CheckedReceipt
    ) throws(CryptoFault) {
        try receipt.examination.require(
            .kindUnrecognized, "kind", detected != nil,
            expected: kind?.title ?? "a payload of a known kind", actual: detected?.title ?? "no known kind"
        )
        guard let detected else { return }
        try requireAccepted(detected, expecting: kind, isNested: isNested, &receipt.examination)
        // The fields are those of the detected kind: another kind's fields would only repeat the failure above.
        let mismatch = detected.schema.firstMismatch(in: payload)
        try receipt.examination.require(
            .claimType, "claim-types", mismatch == nil,
            expected: mismatch.map { "\($0.path) to be \($0.expected)" } ?? "known claims of their types",
            actual: mismatch?.actual ?? "known claims have their types"
        )
        guard receipt.examination.continues else { return }
        try check(
            ReceiptClaims(payload, kind: detected), of: detected, trust: trust, root: root, isNested: isNested, &receipt
        )
    }

    /// Checks the claims of an app receipt whose signature has verified.
    func check(
        ofAppReceipt claims: ReceiptClaims,
        trust: EnvironmentTrust,
        root: SHA256Digest,
        _ receipt: inout CheckedReceipt
    ) throws(CryptoFault) {
        try requireAccepted(.appReceipt, expecting: nil, isNested: false, &receipt.examination)
        guard receipt.examination.continues else { return }
        try check(claims, of: .appReceipt, trust: trust, root: root, isNested: false, &receipt)
    }

    private func requireAccepted(
        _ detected: ReceiptKind,
        expecting kind: ReceiptKind?,
        isNested: Bool,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        let accepted = kind.map { [$0] } ?? (isNested ? [] : policy.kinds.sorted { $0.rawValue < $1.rawValue })
        try examination.require(
            .kindMismatch, "accepted-kind", accepted.isEmpty || accepted.contains(detected),
            expected: accepted.isEmpty ? "any kind" : accepted.map(\.title).joined(separator: ", or "),
            actual: detected.title
        )
    }

    private func check(
        _ claims: ReceiptClaims,
        of detected: ReceiptKind,
        trust: EnvironmentTrust,
        root: SHA256Digest?,
        isNested: Bool,
        _ receipt: inout CheckedReceipt
    ) throws(CryptoFault) {
        let named = apps.places(of: claims, detected)
        receipt.app = apps.place(for: claims, named: named)
        receipt.environment = claims.environment
        let rules = apps[receipt.app]
        try requireRoot(root, rules, &receipt.examination)
        try requireTrust(trust, for: claims, isStrict: rules.isStrict, &receipt)
        receipt.unchecked = try require(
            claims, kind: detected, named: named, rules, isNested: isNested, &receipt.examination)
        if policy.refusesRevokedPurchases, claims.refund != .none { receipt.warnings.insert(.refundedInPart) }
    }
}
