public import ReceiptTypes

/// A setting of a policy file that is allowed and often a mistake.
public struct ConfigurationWarning: Sendable, Hashable {
    /// The kind of warning; later versions can add codes.
    public struct Code: ErrorCode {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A root beside Apple's may sign receipts of Production.
        public static let givenRootForProduction = Code(rawValue: "given-root-for-production")
        /// An app accepts test purchases beside real ones.
        public static let testPurchasesAccepted = Code(rawValue: "test-purchases-accepted")
        /// An app accepts an environment for which no root is trusted.
        public static let environmentWithoutRoot = Code(rawValue: "environment-without-root")
        /// A root verifies no receipt: it is for environments that no app accepts, or the policy distrusts it.
        public static let unusedRoot = Code(rawValue: "unused-root")
    }

    /// The kind of warning.
    public let code: Code
    /// What is risky, in one sentence without a final full stop.
    public let message: String
}

extension VerificationConfiguration {
    /// The settings that are allowed and often mistakes, in the order of the apps and the roots.
    public var warnings: [ConfigurationWarning] {
        let apps = policy.appStoreApps
        return apps.flatMap(warnings) + trustAnchors.anchors.flatMap { warnings(about: $0, apps) }
    }

    private func warnings(about app: VerificationPolicy.App) -> [ConfigurationWarning] {
        let environments = app.environments ?? policy.environments
        var warnings: [ConfigurationWarning] = []
        if environments.contains(.production), environments.count > 1 {
            warnings.append(
                .init(
                    code: .testPurchasesAccepted,
                    message: "\(app.bundleID) accepts test purchases beside real ones: "
                        + environments.subtracting([.production]).map(\.rawValue).sorted().joined(separator: ", ")))
        }
        for environment in environments.sorted(by: { $0.rawValue < $1.rawValue })
        where !trustAnchors.anchors.contains(where: { signs($0, environment, for: app) }) {
            warnings.append(
                .init(
                    code: .environmentWithoutRoot,
                    message:
                        "\(app.bundleID) accepts \(environment.rawValue), and no root may sign its receipts from there")
            )
        }
        return warnings
    }

    private func warnings(
        about root: TrustAnchor, _ apps: [VerificationPolicy.App]
    ) -> [ConfigurationWarning] {
        let title = "the root \"\(root.subject)\" (\(root.fingerprint))"
        guard !isDistrusted(root) else {
            return [.init(code: .unusedRoot, message: "\(title) is distrusted, so it verifies no receipt")]
        }
        guard !root.isBuiltIn else { return [] }
        var warnings: [ConfigurationWarning] = []
        if root.environments?.contains(.production) ?? true {
            warnings.append(
                .init(
                    code: .givenRootForProduction,
                    message: "\(title) may sign receipts of Production, so the owner of its key can make purchases"))
        }
        let isUsed = apps.contains { app in
            (app.environments ?? policy.environments).contains { signs(root, $0, for: app) }
        }
        if !isUsed {
            warnings.append(
                .init(code: .unusedRoot, message: "\(title) is for environments that no app accepts"))
        }
        return warnings
    }

    private func isDistrusted(_ root: TrustAnchor) -> Bool {
        policy.distrusts(root.certificate?.digests ?? [root.fingerprint]) != nil
    }

    /// Returns whether a root may sign receipts of an app and an environment.
    ///
    /// The stores' root signs for Production and Sandbox; receipts of the other environments come from developers'
    /// machines.
    private func signs(
        _ root: TrustAnchor, _ environment: StoreEnvironment, for app: VerificationPolicy.App
    ) -> Bool {
        guard app.roots?.contains(root.fingerprint) ?? true, !isDistrusted(root) else { return false }
        guard !root.isBuiltIn else { return environment == .production || environment == .sandbox }
        return root.environments?.contains(environment) ?? true
    }
}
