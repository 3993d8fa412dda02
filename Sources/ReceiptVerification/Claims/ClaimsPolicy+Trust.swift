internal import ReceiptTypes

extension ClaimsPolicy {
    /// Requires that the root of the receipt's chain may verify receipts of this environment.
    ///
    /// Unlike the other rules for claims, this one belongs to the chain: it has to wait for the payload only because the
    /// payload names the environment.
    func requireTrust(
        _ trust: EnvironmentTrust,
        for claims: ReceiptClaims,
        _ receipt: inout CheckedReceipt
    ) throws(CryptoFault) {
        guard claims.hasEnvironment, !trust.isUnlimited else { return }
        let actual = claims.environment
        if trust.isLocalTesting {
            try receipt.examination.require(
                .environmentMismatch, "local-environment", trust.isLocal(actual),
                expected: "Xcode or LocalTesting, for a chain of one certificate", actual: actual ?? "absent"
            )
        }
        let standing = trust.standing(for: actual)
        if let limit = trust.limit {
            try receipt.examination.require(
                .rootEnvironmentMismatch, "root-environment", standing == .trusted,
                expected: limit.isEmpty ? "no environment" : limit.map(\.rawValue).sorted().joined(separator: ", or "),
                actual: actual ?? "absent"
            )
        }
        guard trust.isProductionUnconfirmed else { return }
        if standing == .unconfirmed { receipt.warnings.insert(.givenRootForProduction) }
        try receipt.examination.require(
            .givenRootForProduction, "root-for-production", standing != .unconfirmed || !policy.isStrict,
            expected: "a built-in root, or a given root that is trusted for Production by name",
            actual: "\(actual ?? "no environment"), under a given root without a limit"
        )
    }
}
