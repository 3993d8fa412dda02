internal import ReceiptTypes

/// Checks the claims of a payload against the policy.
struct ClaimsPolicy: Sendable {
    let policy: VerificationPolicy

    /// Checks every requirement of the policy, and returns the claims that were not checked.
    ///
    /// - Parameter isNested: Whether the payload is nested in a notification. Strictness and revocation are then not
    ///   checked.
    func require(
        _ claims: ReceiptClaims,
        kind: ReceiptKind,
        isNested: Bool,
        _ examination: inout Examination
    ) throws(CryptoFault) -> UncheckedClaims {
        var unchecked: UncheckedClaims = []
        try requireApp(claims, kind, &unchecked, &examination)
        try requireEnvironment(claims, kind, &unchecked, &examination)
        try requireProduct(claims, &examination)
        if policy.refusesRevokedPurchases, !isNested {
            try examination.require(
                .purchaseRevoked, "revocation", !claims.isRevoked,
                expected: "no revocationDate", actual: claims.isRevoked ? "a revocationDate" : "no revocationDate"
            )
        }
        if policy.isStrict, !isNested {
            // A checked bundle ID identifies the app, so the Apple ID may be unchecked.
            let missing = unchecked.subtracting(claims.hasBundleID ? .appAppleID : [])
            try examination.require(
                .uncheckedClaim, "strictness", missing.isEmpty,
                expected: "app and environment checked",
                actual: missing.isEmpty
                    ? "app and environment checked" : "not checked: \(missing.names.joined(separator: ", "))"
            )
        }
        return unchecked
    }

    // MARK: App

    private func requireApp(
        _ claims: ReceiptClaims,
        _ kind: ReceiptKind,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard !policy.apps.isEmpty else {
            unchecked.insert(claims.hasBundleID ? .bundleID : (claims.hasAppAppleID ? .appAppleID : .bundleID))
            examination.skip(.claims, "bundle-id", "the policy names no app")
            return
        }
        guard claims.hasBundleID else {
            try requireAppleIDAlone(claims, kind, &unchecked, &examination)
            return
        }
        let candidates = policy.apps.filter { app in claims.bundleID.map { $0.isIdentical(to: app.bundleID) } ?? false }
        try examination.require(
            .bundleIDMismatch, "bundle-id", !candidates.isEmpty,
            expected: policy.apps.map(\.bundleID).joined(separator: ", or "), actual: claims.bundleID ?? "absent"
        )
        guard claims.hasAppAppleID, !candidates.isEmpty else { return }
        let expected = candidates.compactMap(\.appAppleID)
        guard expected.count == candidates.count else { return }
        guard let actual = claims.appAppleID else {
            // Sandbox receipts lack the Apple ID. Production receipts have it, except those of external purchase
            // tokens.
            let isMissing = claims.environment == StoreEnvironment.production.rawValue && !claims.mayLackAppAppleID
            if !isMissing { unchecked.insert(.appAppleID) }
            try examination.require(
                .appAppleIDMismatch, "app-apple-id", !isMissing,
                expected: expected.map(String.init).joined(separator: ", or "), actual: "absent"
            )
            return
        }
        try examination.require(
            .appAppleIDMismatch, "app-apple-id", expected.contains(actual),
            expected: expected.map(String.init).joined(separator: ", or "), actual: String(actual)
        )
    }

    /// Checks the app of a kind without bundle ID by its Apple ID, if both receipt and policy have one.
    private func requireAppleIDAlone(
        _ claims: ReceiptClaims,
        _ kind: ReceiptKind,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        let expected = policy.apps.compactMap(\.appAppleID)
        guard claims.hasAppAppleID, !expected.isEmpty else {
            unchecked.insert(claims.hasAppAppleID ? .appAppleID : .bundleID)
            examination.skip(.claims, "bundle-id", "\(kind.title) has no bundle ID")
            return
        }
        let isExpected = claims.appAppleID.map { expected.contains($0) } ?? false
        try examination.require(
            .appAppleIDMismatch, "app-apple-id", isExpected,
            expected: expected.map(String.init).joined(separator: ", or "),
            actual: claims.appAppleID.map(String.init) ?? "absent"
        )
    }

    // MARK: Environment and product

    private func requireEnvironment(
        _ claims: ReceiptClaims,
        _ kind: ReceiptKind,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard claims.hasEnvironment else { return }
        let actual = claims.environment
        guard !policy.environments.isEmpty else {
            unchecked.insert(.environment)
            examination.skip(.claims, "environment", "the policy names no environment")
            return
        }
        let mayBeAbsent = kind == .transaction || kind == .renewalInfo
        guard let actual else {
            if mayBeAbsent { unchecked.insert(.environment) }
            try examination.require(
                .environmentMismatch, "environment", mayBeAbsent,
                expected: policy.environments.map(\.rawValue).sorted().joined(separator: ", or "), actual: "absent"
            )
            return
        }
        try examination.require(
            .environmentMismatch, "environment", policy.environments.contains { $0.rawValue.isIdentical(to: actual) },
            expected: policy.environments.map(\.rawValue).sorted().joined(separator: ", or "), actual: actual
        )
    }

    private func requireProduct(_ claims: ReceiptClaims, _ examination: inout Examination) throws(CryptoFault) {
        guard !policy.productIDs.isEmpty, !claims.productIDs.isEmpty else { return }
        let unknown = claims.productIDs.first { id in !policy.productIDs.contains { $0.isIdentical(to: id) } }
        try examination.require(
            .productIDMismatch, "product-id", unknown == nil,
            expected: policy.productIDs.sorted().joined(separator: ", or "),
            actual: unknown ?? claims.productIDs.joined(separator: ", ")
        )
    }
}
