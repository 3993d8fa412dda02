internal import ReceiptTypes

/// Compares what a payload says with what the policy asks for.
struct ClaimsPolicy: Sendable {
    let policy: VerificationPolicy

    /// States every requirement of the policy about a payload.
    ///
    /// - Parameter isNested: Whether the payload came inside a notification, which answers for the policy as a whole.
    func require(
        _ claims: ReceiptClaims,
        kind: ReceiptKind,
        isLocalTesting: Bool,
        isNested: Bool,
        _ examination: inout Examination
    ) throws(CryptoFault) -> UncheckedClaims {
        var unchecked: UncheckedClaims = []
        try requireApp(claims, kind, &unchecked, &examination)
        try requireEnvironment(claims, kind, isLocalTesting, &unchecked, &examination)
        try requireProduct(claims, &examination)
        if policy.refusesRevokedPurchases, !isNested {
            try examination.require(
                .purchaseRevoked, "revocation", !claims.isRevoked,
                expected: "no revocationDate", actual: claims.isRevoked ? "a revocationDate" : "none"
            )
        }
        if policy.isStrict, !isNested {
            // The app's number only sharpens the bundle id; strictness asks for app and environment.
            let missing = unchecked.subtracting(claims.hasBundleID ? .appAppleID : [])
            try examination.require(
                .uncheckedClaim, "strictness", missing.isEmpty,
                expected: "app and environment checked",
                actual: missing.isEmpty ? "checked" : "not checked: \(missing.names.joined(separator: ", "))"
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
            // Sandbox receipts come without the number; production ones have it, save a token's.
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

    /// For a kind without bundle id: the app's number decides where both sides have it.
    private func requireAppleIDAlone(
        _ claims: ReceiptClaims,
        _ kind: ReceiptKind,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        let expected = policy.apps.compactMap(\.appAppleID)
        guard claims.hasAppAppleID, !expected.isEmpty else {
            unchecked.insert(claims.hasAppAppleID ? .appAppleID : .bundleID)
            examination.skip(.claims, "bundle-id", "\(kind.title) does not name its app's bundle id")
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
        _ isLocalTesting: Bool,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard claims.hasEnvironment else { return }
        let actual = claims.environment
        if isLocalTesting {
            // The key of a local certificate is on somebody's disk: it can speak for no store.
            let isLocal = [StoreEnvironment.xcode, .localTesting].contains { $0.rawValue == actual }
            try examination.require(
                .environmentMismatch, "local-environment", isLocal,
                expected: "Xcode or LocalTesting, for a chain of one certificate", actual: actual ?? "absent"
            )
        }
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
