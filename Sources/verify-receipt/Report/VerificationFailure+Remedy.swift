internal import ReceiptTypes

extension VerificationFailure {
    /// The flags or the command of `verify-receipt` that carry out the hint of a code.
    private static let remedies: [Code: String] = [
        .tooLarge: "verify-receipt batch reads those",
        .tooManyReceipts: "--max-receipts-per-record N",
        .empty: "--field or --column names its place",
        .receiptMissing: "--field or --column names its place",
        .nothingToVerify: "--allow-empty if that is meant",
        .chainLength: "--root FILE or the policy file",
        .untrustedRoot: "--root FILE or the policy file",
        .rootCannotIssue: "--root FILE or the policy file",
        .certificateDistrusted: "--distrust or the policy file",
        .rootEnvironmentMismatch: "--root FILE=ENVIRONMENT or the policy file",
        .givenRootForProduction: "--root FILE=Sandbox or FILE=Production, or --only-given-roots",
        .noTrustAnchor: "--root FILE or the policy file",
        .keyNotFound: "--play-key PACKAGE=FILE or the policy file",
        .certificateNotYetValid: "--at signing",
        .certificateExpired: "--at signing",
        .kindMismatch: "--kind or the policy file",
        .bundleIDMismatch: "--bundle-id or the policy file",
        .appAppleIDMismatch: "--app-apple-id or the policy file",
        .environmentMismatch: "--environment or the policy file",
        .productIDMismatch: "--product-id or the policy file",
        .uncheckedClaim: "--bundle-id, --environment, or no --strict",
    ]

    /// The hint of the library, followed by the flags or the command that carry it out: `check the … (--bundle-id)`.
    var hintWithRemedy: String {
        guard var remedy = Self.remedies[code] else { return hint }
        // The hint for a receipt without a signing time names the times at which it can be verified.
        if code == .certificateExpired, hint != code.hint { remedy = "--at TIME" }
        // The receipt does not have what the flags already require.
        if code == .uncheckedClaim, hint != code.hint { remedy = "no --strict" }
        if [.empty, .kindMismatch].contains(code), hint != code.hint { return hint }
        return "\(hint) (\(remedy))"
    }
}
