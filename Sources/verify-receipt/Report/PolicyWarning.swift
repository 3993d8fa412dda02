internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// A warning about a missing requirement without which a verdict means little.
struct PolicyWarning {
    let code: String
    let message: String
    let hint: String

    var json: JSONValue { .object(["code": .string(code), "message": .string(message)]) }

    /// The warning about receipts of Production under a root that was not given for Production.
    static let givenRoot = PolicyWarning(
        code: ReceiptWarning.Code.givenRootForProduction.rawValue,
        message: ReceiptWarning(code: .givenRootForProduction).message,
        hint: "limit a root of tests with --root FILE=Sandbox, allow it with --root FILE=Production, or trust it alone "
            + "with --only-given-roots"
    )

    /// Returns the warnings about a report: of its policy, and of the receipts themselves.
    static func warnings(for policy: VerificationPolicy, _ report: ReceiptReport) -> [PolicyWarning] {
        guard let kind = report.kind else { return [] }
        return warnings(for: policy, kinds: [kind]) + warnings(forMissing: report.missingClaims)
            + (isGivenRootUnconfirmed(report) ? [givenRoot] : [])
    }

    /// Returns the warnings for requirements that a policy does not have and that receipts of these kinds could meet.
    static func warnings(for policy: VerificationPolicy, kinds: [ReceiptKind]) -> [PolicyWarning] {
        var warnings: [PolicyWarning] = []
        if policy.apps.isEmpty {
            warnings.append(
                .init(
                    code: "no-bundle-id",
                    message: "no bundle ID is required, so receipts of any app are accepted",
                    hint: "name your app with --bundle-id"
                )
            )
        }
        if policy.environments.isEmpty, kinds.contains(where: { $0 != .playPurchase }) {
            warnings.append(
                .init(
                    code: "no-environment",
                    message: "no environment is required, so test purchases are accepted",
                    hint: "accept only real purchases with --environment Production"
                )
            )
        }
        return warnings
    }

    /// The warnings about several receipts, each of which is printed once.
    struct Collection {
        private let policy: VerificationPolicy
        private var kinds: [ReceiptKind] = []
        private var missingClaims: Set<String> = []
        private var isGivenRootUnconfirmed = false

        init(_ policy: VerificationPolicy) {
            self.policy = policy
        }

        /// Adds a receipt; warnings concern only receipts that were accepted.
        mutating func add(_ report: ReceiptReport) {
            guard let kind = report.kind else { return }
            if !kinds.contains(kind) { kinds.append(kind) }
            missingClaims.formUnion(report.missingClaims)
            if PolicyWarning.isGivenRootUnconfirmed(report) { isGivenRootUnconfirmed = true }
        }

        func print(_ messages: Messages) {
            guard !kinds.isEmpty else { return }
            let warnings =
                PolicyWarning.warnings(for: policy, kinds: kinds) + PolicyWarning.warnings(forMissing: missingClaims)
                + (isGivenRootUnconfirmed ? [givenRoot] : [])
            for warning in warnings { messages.warn(warning.message, hint: warning.hint) }
        }
    }

    private static func isGivenRootUnconfirmed(_ report: ReceiptReport) -> Bool {
        ([report] + report.nested.map(\.report)).contains { report in
            report.warnings.contains { $0.code == .givenRootForProduction }
        }
    }

    /// The names of claims in words, and the flags that require them.
    static let flagsByClaim: [String: (words: String, flag: Flag)] = [
        "bundleId": ("app", .bundleID), "environment": ("environment", .environment),
        "appAppleId": ("App Store ID", .appAppleID), "productId": ("product", .productID),
        "revocationDate": ("revocation", .refuseRevoked), "deviceHash": ("device", .deviceID),
    ]

    /// Returns the warnings for required claims that verified receipts do not have.
    static func warnings(forMissing claims: some Sequence<String>) -> [PolicyWarning] {
        Set(claims).sorted().map { claim in
            let required = flagsByClaim[claim].map { "\($0.words) (\($0.flag.spelling))" } ?? claim
            let (reason, hint) =
                switch claim {
                case "appAppleId": ("a verified receipt does not name it", "the app was checked by its bundle ID")
                case "revocationDate":
                    ("only a transaction by itself is rejected", "look for revoked and revocationDate in the results")
                default: ("a verified receipt does not name it", "reject such receipts with --strict")
                }
            return .init(
                code: "claim-not-checked", message: "required but not checked: \(required); \(reason)", hint: hint)
        }
    }
}
