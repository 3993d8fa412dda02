package import ReceiptTypes
package import ReceiptVerification

/// A warning about a result: a missing requirement without which a verdict means little, or a weak root.
package struct ResultWarning {
    /// The stable name of the warning.
    package let code: String
    /// The warning in one sentence, without a final full stop.
    package let message: String

    /// The member of a result's `warnings`.
    package var json: JSONValue { .object(["code": .string(code), "message": .string(message)]) }

    /// The code for receipts of any app.
    package static let noBundleID = "no-bundle-id"
    /// The code for receipts of any environment.
    package static let noEnvironment = "no-environment"

    package init(_ warning: ReceiptWarning) {
        self.init(code: warning.code.rawValue, message: warning.message)
    }

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// Returns the warnings about a report: of its policy, and of the receipts themselves.
    ///
    /// - Parameter words: Returns the words for the name of a claim, such as `bundleId`.
    package static func warnings(
        for policy: VerificationPolicy, _ report: ReceiptReport, words: (String) -> String = Self.words
    ) -> [ResultWarning] {
        guard let kind = report.kind else { return [] }
        return warnings(for: policy, kinds: [kind])
            + Set(report.missingClaims).sorted().map { missing($0, words: words($0)) }
            + receiptWarnings(report).map(Self.init)
    }

    /// Returns the warnings for requirements that a policy does not have and that receipts of these kinds could meet.
    package static func warnings(for policy: VerificationPolicy, kinds: [ReceiptKind]) -> [ResultWarning] {
        var warnings: [ResultWarning] = []
        if policy.apps.isEmpty {
            warnings.append(
                .init(code: noBundleID, message: "no bundle ID is required, so receipts of any app are accepted"))
        }
        if policy.environments.isEmpty, kinds.contains(where: { $0 != .playPurchase }) {
            warnings.append(
                .init(code: noEnvironment, message: "no environment is required, so test purchases are accepted"))
        }
        return warnings
    }

    /// Returns the warning for a required claim that a verified receipt does not have.
    package static func missing(_ claim: String, words: String) -> ResultWarning {
        let reason =
            claim == "revocationDate"
            ? "only a transaction by itself is rejected" : "a verified receipt does not name it"
        return ResultWarning(
            code: "claim-not-checked", message: "required but not checked: \(words); \(reason)")
    }

    /// Returns the warnings about the receipt of a report and those inside it, each once.
    package static func receiptWarnings(_ report: ReceiptReport) -> [ReceiptWarning] {
        ([report] + report.nested.map(\.report)).flatMap(\.warnings).reduce(into: []) { warnings, warning in
            if !warnings.contains(warning) { warnings.append(warning) }
        }
    }

    /// Returns the words for the name of a claim; the name itself if there are none.
    package static func words(_ claim: String) -> String {
        switch claim {
        case "bundleId": "app"
        case "environment": "environment"
        case "appAppleId": "App Store ID"
        case "productId": "product"
        case "revocationDate": "revocation"
        case "deviceHash": "device"
        default: claim
        }
    }
}
