internal import CommandLineInterface
internal import ReceiptResults
internal import ReceiptTypes
internal import ReceiptVerification

/// A warning about a result, with the flags that answer it.
struct PolicyWarning {
    let warning: ResultWarning
    let hint: String

    var message: String { warning.message }

    private init(warning: ResultWarning, hint: String) {
        self.warning = warning
        self.hint = hint
    }

    /// Creates a warning about a receipt.
    init(_ warning: ReceiptWarning) {
        self.init(warning: ResultWarning(warning), hint: Self.hint(for: warning.code))
    }

    /// Returns what to do about a warning about a receipt.
    static func hint(for code: ReceiptWarning.Code) -> String {
        switch code {
        case .givenRootForProduction:
            "limit a root of tests with --root FILE=Sandbox, allow it with --root FILE=Production, or trust it alone "
                + "with --only-given-roots"
        case .refundedInPart: "grant only what was not refunded"
        default: "reject such receipts with --strict"
        }
    }

    /// Returns the warnings about a report that its JSON object has.
    static func warnings(for policy: VerificationPolicy, _ report: ReceiptReport) -> [ResultWarning] {
        ResultWarning.warnings(for: policy, report, words: words)
    }

    /// Returns the warnings for requirements that a policy does not have and that receipts of these kinds could meet.
    static func warnings(for policy: VerificationPolicy, kinds: [ReceiptKind]) -> [PolicyWarning] {
        ResultWarning.warnings(for: policy, kinds: kinds).map { warning in
            PolicyWarning(
                warning: warning,
                hint: warning.code == ResultWarning.noBundleID
                    ? "name your app with --bundle-id" : "accept only real purchases with --environment Production")
        }
    }

    /// The warnings about several receipts, each of which is printed once.
    struct Collection {
        private let policy: VerificationPolicy
        private var kinds: [ReceiptKind] = []
        private var missingClaims: Set<String> = []
        private var receiptWarnings: [ReceiptWarning] = []

        init(_ policy: VerificationPolicy) {
            self.policy = policy
        }

        /// Adds a receipt; warnings concern only receipts that were accepted.
        mutating func add(_ report: ReceiptReport) {
            guard let kind = report.kind else { return }
            if !kinds.contains(kind) { kinds.append(kind) }
            missingClaims.formUnion(report.missingClaims)
            for warning in ResultWarning.receiptWarnings(report) where !receiptWarnings.contains(warning) {
                receiptWarnings.append(warning)
            }
        }

        func print(_ messages: Messages) {
            guard !kinds.isEmpty else { return }
            let warnings =
                PolicyWarning.warnings(for: policy, kinds: kinds) + PolicyWarning.warnings(forMissing: missingClaims)
                + receiptWarnings.map(PolicyWarning.init)
            for warning in warnings { messages.warn(Escaped(warning.message), hint: Escaped(warning.hint)) }
        }
    }

    /// The flags that require claims, by the names of the claims.
    static let flagsByClaim: [String: Flag] = [
        "bundleId": .bundleID, "environment": .environment, "appAppleId": .appAppleID, "productId": .productID,
        "revocationDate": .refuseRevoked, "deviceHash": .deviceID,
    ]

    /// Returns the words for the name of a claim, and the flag that requires it.
    static func words(_ claim: String) -> String {
        flagsByClaim[claim].map { "\(ResultWarning.words(claim)) (\($0.spelling))" } ?? claim
    }

    /// Returns the warnings for required claims that verified receipts do not have.
    static func warnings(forMissing claims: some Sequence<String>) -> [PolicyWarning] {
        Set(claims).sorted().map { claim in
            let hint =
                switch claim {
                case "appAppleId": "the app was checked by its bundle ID"
                case "revocationDate": "look for revoked and revocationDate in the results"
                default: "reject such receipts with --strict"
                }
            return PolicyWarning(warning: .missing(claim, words: words(claim)), hint: hint)
        }
    }
}
