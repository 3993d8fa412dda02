public import ReceiptTypes

/// Everything that is to be said about one receipt of any kind.
public struct ReceiptReport: Sendable {
    /// The outcome in one word.
    public let verdict: Verdict
    /// Why it is not verified; nil when it is.
    public let failure: VerificationFailure?
    /// What the receipt is; nil unless it is verified.
    public let kind: ReceiptKind?
    /// What the receipt says; nil unless it is verified.
    public let payload: JSONObject?
    /// When the receipt was signed; nil unless it is verified and says so. Google Play does not say.
    public let signingTime: Timestamp?
    /// The claims that nobody asked for or that could not be compared, by their names in the payload.
    public let uncheckedClaims: [String]
    /// The receipts inside a notification.
    public let nested: [NestedReport]
    /// What was looked at; empty unless an explanation was asked for.
    public let trace: VerificationTrace

    /// A receipt inside a notification.
    public struct NestedReport: Sendable {
        /// The member that held it, such as `signedTransactionInfo`.
        public let name: String
        /// What is to be said about it.
        public let report: ReceiptReport
    }

    init(_ receipt: CheckedReceipt) {
        let isVerified = receipt.isVerified
        verdict = receipt.verdict
        failure = receipt.failure
        kind = isVerified ? receipt.kind : nil
        payload = isVerified ? receipt.payload : nil
        signingTime = isVerified ? receipt.signingTime : nil
        uncheckedClaims = receipt.unchecked.names
        nested = receipt.nested.map { NestedReport(name: $0.name, report: ReceiptReport($0.receipt)) }
        trace = receipt.examination.trace
    }

}
