internal import ReceiptTypes

extension ClaimsPolicy {
    /// Requires that the receipts of the app may be signed under a root, where the app names its roots.
    func requireRoot(
        _ root: SHA256Digest?,
        _ rules: AppRules,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard let root, let app = rules.app, let trusted = app.roots else { return }
        try examination.require(
            .untrustedRoot, "app-root", trusted.contains(root),
            expected: "a root that the policy trusts for \(app.bundleID)", actual: "the root with SHA-256 \(root)"
        )
    }

    /// Requires that the root of the receipt's chain may verify receipts of this environment.
    ///
    /// Unlike the other rules for claims, this one belongs to the chain: it has to wait for the payload only because
    /// the payload names the environment.
    func requireTrust(
        _ trust: EnvironmentTrust,
        for claims: ReceiptClaims,
        isStrict: Bool,
        _ receipt: inout CheckedReceipt
    ) throws(CryptoFault) {
        guard claims.hasEnvironment, !trust.isUnlimited else { return }
        let actual = claims.environment
        if trust.isLocalTesting {
            try receipt.examination.require(
                .environmentMismatch, "local-environment", trust.isLocal(actual),
                expected: "Xcode or LocalTesting, for a chain of one certificate", actual: actual ?? "absent",
                hint: "\(claims.environmentText), and a chain of one certificate signs only for Xcode or LocalTesting: "
                    + "treat the receipt as forged"
            )
        }
        let standing = trust.standing(for: actual)
        if let limit = trust.limit {
            try receipt.examination.require(
                .rootEnvironmentMismatch, "root-environment", standing == .trusted,
                expected: limit.words, actual: actual ?? "absent",
                hint:
                    "\(claims.environmentText), and the root may sign for \(limit.words): treat the receipt as forged, "
                    + "or trust the root for the environment by name"
            )
        }
        guard trust.isProductionUnconfirmed else { return }
        if standing == .unconfirmed { receipt.warnings.insert(.givenRootForProduction) }
        try receipt.examination.require(
            .givenRootForProduction, "root-for-production", standing != .unconfirmed || !isStrict,
            expected: "a built-in root, or a given root that is trusted for Production by name",
            actual: "\(actual ?? "no environment"), under a given root without a limit"
        )
    }
}

extension Set<StoreEnvironment> {
    /// The environments in words.
    fileprivate var words: String {
        isEmpty ? "no environment" : map(\.rawValue).sorted().joined(separator: ", or ")
    }
}

extension ReceiptClaims {
    /// The environment of the receipt in words.
    fileprivate var environmentText: String {
        guard let environment else { return "the receipt names no environment" }
        return "the receipt is of \(environment)" + (environmentWord.map { " (receipt type \($0))" } ?? "")
    }

    /// Returns what to do about a receipt of another environment than the accepted ones.
    func hint(accepting accepted: Set<StoreEnvironment>) -> String {
        let advice =
            switch environment.map({ StoreEnvironment(rawValue: $0) }) {
            case .sandbox?, .xcode?, .localTesting?: "accept test purchases only in tests"
            case .production?: "real purchases need a policy that accepts Production"
            default: "accept only environments whose purchases are real"
            }
        return "\(environmentText), and the policy accepts \(accepted.words): \(advice)"
    }
}
