internal import ReceiptTypes

/// Checks the claims of a payload against the policy.
struct ClaimsPolicy: Sendable {
    let policy: VerificationPolicy
    let apps: AcceptedApps

    init(policy: VerificationPolicy) {
        self.policy = policy
        apps = AcceptedApps(policy)
    }

    /// Checks every requirement of the policy but strictness, and returns the claims that were not checked.
    ///
    /// - Parameters:
    ///   - named: The places of the apps that have the receipt's bundle ID.
    ///   - rules: The rules of the receipt's app.
    ///   - isNested: Whether the payload is nested in a notification. Revocation is then not checked, because a
    ///     notification of a refund contains the revoked transaction.
    func require(
        _ claims: ReceiptClaims,
        kind: ReceiptKind,
        named: [Int],
        _ rules: AppRules,
        isNested: Bool,
        _ examination: inout Examination
    ) throws(CryptoFault) -> UncheckedClaims {
        var unchecked: UncheckedClaims = []
        try requireApp(claims, kind, named, rules, &unchecked, &examination)
        try requireEnvironment(claims, kind, rules.environments, &unchecked, &examination)
        try requireProduct(claims, kind, rules, &unchecked, &examination)
        try requireNoRevocation(claims, kind, isNested: isNested, &unchecked, &examination)
        // Only an app receipt is bound to a device in a way that can be checked here.
        if policy.device != nil, kind != .appReceipt { unchecked.insert(.device) }
        return unchecked
    }

    /// Returns whether the policy is strict with the receipts of an app.
    func isStrict(for receipt: borrowing CheckedReceipt) -> Bool { apps[receipt.app].isStrict }

    /// Checks strictness, after all other claims of a receipt and of the receipts inside it.
    func requireStrictness(of receipt: inout CheckedReceipt) throws(CryptoFault) {
        guard receipt.examination.continues, let kind = receipt.kind else { return }
        let nested = receipt.nested.lazy.map(\.receipt).filter(\.isVerified)
        if kind == .notification, !nested.isEmpty, nested.allSatisfy({ !$0.unchecked.contains(.productID) }) {
            // The product was compared in the receipts inside the notification.
            receipt.unchecked.remove(.productID)
        }
        let rules = apps[receipt.app]
        receipt.missing = receipt.unchecked.intersection(rules.required)
        guard rules.isStrict else { return }
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
            hint: isAbsent ? Self.hint(forAbsentClaimsOf: kind) : nil
        )
    }

    private static func hint(forAbsentClaimsOf kind: ReceiptKind) -> String {
        let remedy = kind == .renewalInfo ? "verify it inside its notification" : "require less of such receipts"
        return "\(kind.title) does not have it: \(remedy), or do not be strict"
    }

    // MARK: App

    private func requireApp(
        _ claims: ReceiptClaims,
        _ kind: ReceiptKind,
        _ named: [Int],
        _ rules: AppRules,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard !apps.isEmpty else {
            unchecked.insert(claims.hasBundleID ? .bundleID : (claims.hasAppAppleID ? .appAppleID : .bundleID))
            examination.skip(.claims, "bundle-id", "the policy names no app")
            return
        }
        guard claims.hasBundleID else {
            try examination.require(
                .bundleIDMismatch, "app-store", apps.haveAppStore,
                expected: apps.haveAppStore ? "a receipt from the App Store" : Self.otherPlatform(than: .ios),
                actual: kind.title
            )
            try requireAppleIDAlone(claims, kind, &unchecked, &examination)
            return
        }
        try examination.require(
            .bundleIDMismatch, "bundle-id", !named.isEmpty,
            expected: acceptedApps(on: kind.platform), actual: claims.bundleID ?? "absent"
        )
        guard rules.app?.appAppleID != nil else { return }
        let expected = named.lazy.compactMap { apps[$0].app?.appAppleID }
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
                expected: Self.list(expected.map { "\($0)" }), actual: "absent"
            )
            return
        }
        try examination.require(
            .appAppleIDMismatch, "app-apple-id", expected.contains(actual),
            expected: Self.list(expected.map { "\($0)" }), actual: String(actual)
        )
    }

    /// Checks the app of a kind without bundle ID by its Apple ID, if both receipt and policy have one.
    private func requireAppleIDAlone(
        _ claims: ReceiptClaims,
        _ kind: ReceiptKind,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard claims.hasAppAppleID, apps.haveAppleIDs else {
            unchecked.formUnion(claims.hasAppAppleID ? [.bundleID, .appAppleID] : .bundleID)
            examination.skip(.claims, "bundle-id", "\(kind.title) has no bundle ID")
            return
        }
        let isExpected = claims.appAppleID.flatMap(apps.place(ofAppleID:)) != nil
        try examination.require(
            .appAppleIDMismatch, "app-apple-id", isExpected,
            expected: Self.list(policy.appStoreApps.compactMap(\.appAppleID).map(String.init)),
            actual: claims.appAppleID.map(String.init) ?? "absent"
        )
    }

    /// Returns the names of the accepted apps of a platform in words.
    private func acceptedApps(on platform: ReceiptPlatform) -> String {
        let names = policy.apps.filter { $0.isOn(platform) }.map(\.bundleID)
        return names.isEmpty ? Self.otherPlatform(than: platform) : Self.list(names)
    }

    /// Returns what is expected in place of a receipt of a platform on which no app is accepted.
    private static func otherPlatform(than platform: ReceiptPlatform) -> String {
        platform == .ios ? "a Google Play purchase of an accepted app" : "an App Store receipt of an accepted app"
    }

    // MARK: Environment, product and revocation

    private func requireEnvironment(
        _ claims: ReceiptClaims,
        _ kind: ReceiptKind,
        _ environments: Set<StoreEnvironment>,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard claims.hasEnvironment else {
            guard !environments.isEmpty else { return }
            unchecked.insert(.environment)
            examination.skip(.claims, "environment", "\(kind.title) has no environment")
            return
        }
        let actual = claims.environment
        guard !environments.isEmpty else {
            unchecked.insert(.environment)
            examination.skip(.claims, "environment", "the policy names no environment")
            return
        }
        let mayBeAbsent = kind == .transaction || kind == .renewalInfo
        guard let actual else {
            if mayBeAbsent { unchecked.insert(.environment) }
            try examination.require(
                .environmentMismatch, "environment", mayBeAbsent,
                expected: Self.list(environments.map(\.rawValue).sorted()), actual: "absent",
                hint: claims.hint(accepting: environments)
            )
            return
        }
        try examination.require(
            .environmentMismatch, "environment", environments.contains { $0.rawValue.isIdentical(to: actual) },
            expected: Self.list(environments.map(\.rawValue).sorted()), actual: actual,
            hint: claims.hint(accepting: environments)
        )
    }

    private func requireProduct(
        _ claims: ReceiptClaims,
        _ kind: ReceiptKind,
        _ rules: AppRules,
        _ unchecked: inout UncheckedClaims,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard !rules.productIDs.isEmpty else { return }
        guard !claims.productIDs.isEmpty else {
            unchecked.insert(.productID)
            examination.skip(.claims, "product-id", "\(kind.title) that names no product")
            return
        }
        // An app receipt has all purchases of a customer, so it needs only one of an accepted product.
        let isAccepted = kind == .appReceipt && claims.productIDs.contains { rules.accepts(product: $0) }
        let unknown = isAccepted ? nil : claims.productIDs.first { !rules.accepts(product: $0) }
        try examination.require(
            .productIDMismatch, "product-id", unknown == nil,
            expected: Self.list(rules.productIDs.sorted()),
            actual: unknown ?? claims.productIDs.joined(separator: ", ")
        )
    }

    /// Checks the root and the product of a renewal info by the rules of the app of the notification around it, because
    /// it names none.
    ///
    /// Its environment is compared with the notification's.
    func requireRules(
        of app: Int?,
        forRenewalInfo claims: ReceiptClaims,
        under root: SHA256Digest?,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        var unchecked: UncheckedClaims = []
        try requireRoot(root, apps[app], &examination)
        try requireProduct(claims, .renewalInfo, apps[app], &unchecked, &examination)
    }

    /// Checks that something of the purchase remains; a refund of a part is a warning.
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
            expected: "a purchase of which something remains",
            actual: claims.isRevoked ? claims.revocationText : claims.refund.text()
        )
    }

    /// Returns accepted values in words; many are cut short, since each rejected receipt has them.
    private static func list(_ words: [String]) -> String {
        guard words.count > 16 else { return words.joined(separator: ", or ") }
        return words.prefix(15).joined(separator: ", or ") + ", or \(words.count - 15) others"
    }
}

extension VerificationPolicy.App {
    /// Returns whether the app's receipts of a platform are accepted.
    fileprivate func isOn(_ platform: ReceiptPlatform) -> Bool { self.platform == nil || self.platform == platform }
}

extension ReceiptKind {
    /// The platform that issues receipts of this kind.
    fileprivate var platform: ReceiptPlatform { self == .playPurchase ? .android : .ios }
}

extension ReceiptClaims {
    /// The revocation of the purchase in words.
    fileprivate var revocationText: String {
        revocationDate.map { "revoked at \($0)" } ?? "a revocationDate"
    }
}
