internal import ReceiptTypes

/// Checks the claims of a payload against the policy.
struct ClaimsPolicy: Sendable {
    let policy: VerificationPolicy

    /// Checks every requirement of the policy but strictness, and returns the claims that were not checked.
    ///
    /// - Parameter isNested: Whether the payload is nested in a notification. Revocation is then not checked, because a
    ///   notification of a refund contains the revoked transaction.
    func require(
        _ claims: ReceiptClaims,
        kind: ReceiptKind,
        isNested: Bool,
        _ examination: inout Examination
    ) throws(CryptoFault) -> UncheckedClaims {
        var unchecked: UncheckedClaims = []
        try requireApp(claims, kind, &unchecked, &examination)
        try requireEnvironment(claims, kind, &unchecked, &examination)
        try requireProduct(claims, kind, &unchecked, &examination)
        try requireNoRevocation(claims, kind, isNested: isNested, &unchecked, &examination)
        return unchecked
    }

    /// Checks strictness, after all other claims of a receipt and of the receipts inside it.
    func requireStrictness(of receipt: inout CheckedReceipt) throws(CryptoFault) {
        guard receipt.examination.continues, let kind = receipt.kind else { return }
        let nested = receipt.nested.lazy.map(\.receipt).filter(\.isVerified)
        if kind == .notification, !nested.isEmpty, nested.allSatisfy({ !$0.unchecked.contains(.productID) }) {
            // The product was compared in the receipts inside the notification.
            receipt.unchecked.remove(.productID)
        }
        receipt.missing = receipt.unchecked.intersection(required)
        guard policy.isStrict else { return }
        // A checked bundle ID identifies the app, so the Apple ID may be unchecked.
        let unchecked = receipt.unchecked.subtracting(kind == .realtimeRequest ? [] : .appAppleID)
        // The policy requires all of it already.
        let isAbsent = unchecked.isSubset(of: receipt.missing)
        try receipt.examination.require(
            .uncheckedClaim, "strictness", unchecked.isEmpty,
            expected: "app, environment and all required claims checked",
            actual: unchecked.isEmpty
                ? "app, environment and all required claims checked"
                : "not checked: \(unchecked.names.joined(separator: ", "))",
            hint: isAbsent
                ? "\(kind.title) does not have it: verify the notification or the transaction that came with it, or do not "
                    + "be strict" : nil
        )
    }

    /// The claims for which the policy names a value.
    private var required: UncheckedClaims {
        var required: UncheckedClaims = []
        if !policy.apps.isEmpty { required.insert(.bundleID) }
        if policy.apps.contains(where: { $0.appAppleID != nil }) { required.insert(.appAppleID) }
        if !policy.environments.isEmpty { required.insert(.environment) }
        if !policy.productIDs.isEmpty { required.insert(.productID) }
        if policy.refusesRevokedPurchases { required.insert(.revocationDate) }
        return required
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
        let expected = candidates.compactMap(\.appAppleID)
        guard !candidates.isEmpty, expected.count == candidates.count else { return }
        guard claims.hasAppAppleID else {
            unchecked.insert(.appAppleID)
            examination.skip(.claims, "app-apple-id", "\(kind.title) has no Apple ID")
            return
        }
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
            unchecked.formUnion(claims.hasAppAppleID ? [.bundleID, .appAppleID] : .bundleID)
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

    // MARK: Environment, product and revocation

    private func requireEnvironment(
        _ claims: ReceiptClaims,
        _ kind: ReceiptKind,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard claims.hasEnvironment else {
            guard !policy.environments.isEmpty else { return }
            unchecked.insert(.environment)
            examination.skip(.claims, "environment", "\(kind.title) has no environment")
            return
        }
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

    private func requireProduct(
        _ claims: ReceiptClaims,
        _ kind: ReceiptKind,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard !policy.productIDs.isEmpty else { return }
        guard !claims.productIDs.isEmpty else {
            unchecked.insert(.productID)
            examination.skip(.claims, "product-id", "\(kind.title) that names no product")
            return
        }
        let unknown = claims.productIDs.first { id in !policy.productIDs.contains { $0.isIdentical(to: id) } }
        try examination.require(
            .productIDMismatch, "product-id", unknown == nil,
            expected: policy.productIDs.sorted().joined(separator: ", or "),
            actual: unknown ?? claims.productIDs.joined(separator: ", ")
        )
    }

    private func requireNoRevocation(
        _ claims: ReceiptClaims,
        _ kind: ReceiptKind,
        isNested: Bool,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard policy.refusesRevokedPurchases else { return }
        // The state of a Google Play purchase says whether it was revoked, and it is always checked.
        guard kind == .transaction && !isNested || kind == .playPurchase else {
            unchecked.insert(.revocationDate)
            examination.skip(.claims, "revocation", isNested ? "inside a notification" : "\(kind.title) cannot show it")
            return
        }
        try examination.require(
            .purchaseRevoked, "revocation", !claims.isRevoked,
            expected: "no revocationDate", actual: claims.isRevoked ? "a revocationDate" : "no revocationDate"
        )
    }
}
