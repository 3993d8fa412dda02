internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `config`: checks policy files.
struct ConfigCommand {
    /// The most apps and roots of a file that are printed.
    private static let lineLimit = 50

    let session: Session

    func run() throws -> ExitCode {
        var operands = session.arguments.operands[...]
        let action = operands.popFirst()
        guard action == "check" else {
            throw UsageError(
                action.map { "config does not take \(Escaped($0).quoted)" } ?? "config needs an action",
                hint: "write verify-receipt config check FILE")
        }
        guard !operands.isEmpty else {
            throw UsageError("config check needs a file", hint: "write verify-receipt config check FILE")
        }
        for path in operands {
            let file = try PolicyFile(path, hint: "config check takes the names of policy files")
            for line in lines(for: file) { try session.output.writeLine("\(line)") }
            try session.output.flush()
            for warning in file.configuration.warnings {
                session.messages.warn("\(warning.message) (\(warning.code))")
            }
        }
        return .success
    }

    private func lines(for file: PolicyFile) -> [String] {
        let policy = file.configuration.policy
        let roots = file.configuration.trustAnchors.anchors
        var lines = [
            "\(file.path) is valid: \(Self.count(policy.apps, "app")), \(Self.count(roots, "root"))"
        ]
        lines += Self.limited(policy.apps.map { "  " + Self.words(for: $0, in: policy) }, "apps")
        lines += Self.limited(roots.map { "  " + Self.words(for: $0, in: policy) }, "roots")
        if !policy.kinds.isEmpty {
            lines.append("  only \(policy.kinds.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        if policy.refusesRevokedPurchases { lines.append("  revoked purchases are rejected") }
        let distrusted = file.configuration.distrusted.map { "  distrusted: \($0)" }
        lines += Self.limited(distrusted, "distrusted certificates")
        return lines
    }

    private static func words(for app: VerificationPolicy.App, in policy: VerificationPolicy) -> String {
        var words = app.platform == .android ? ["\(app.bundleID) on Google Play"] : [app.bundleID]
        if let number = app.appAppleID { words[0] += " with App Store ID \(number)" }
        if let environments = app.environments, !environments.isEmpty {
            words.append(environments.map(\.rawValue).sorted().joined(separator: ", "))
        }
        let products = (app.productIDs ?? policy.productIDs).sorted()
        if !products.isEmpty {
            words.append(products.count > 4 ? count(products, "product") : products.joined(separator: ", "))
        }
        if app.isStrict ?? policy.isStrict { words.append("strict") }
        return words[0] + (words.count > 1 ? ": " : "") + words.dropFirst().joined(separator: "; ")
    }

    private static func words(for root: TrustAnchor, in policy: VerificationPolicy) -> String {
        var words = "root \"\(root.subject)\""
        if root.isBuiltIn { words += ", built in" }
        if let environments = root.environments {
            words += ": " + environments.map(\.rawValue).sorted().joined(separator: ", ")
        }
        let onAppStore = policy.appStoreApps
        let served = onAppStore.filter { $0.roots?.contains(root.fingerprint) ?? true }
        guard served.count < onAppStore.count else { return words }
        return words
            + "; only for \(served.count > 4 ? count(served, "app") : served.map(\.bundleID).joined(separator: ", "))"
    }

    private static func limited(_ lines: [String], _ noun: String) -> [String] {
        guard lines.count > lineLimit else { return lines }
        return lines.prefix(lineLimit) + ["  and \(lines.count - lineLimit) other \(noun)"]
    }

    private static func count(_ items: some Collection, _ noun: String) -> String {
        "\(items.count) \(noun)\(items.count == 1 ? "" : "s")"
    }
}
