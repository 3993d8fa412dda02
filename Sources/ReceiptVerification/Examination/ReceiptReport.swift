public import ReceiptTypes

/// The outcome of verifying one receipt of any kind.
public struct ReceiptReport: Sendable {
    /// Whether the receipt is verified, unverified or undecided.
    public let verdict: Verdict
    /// The reason why the receipt is not verified; nil if it is.
    public internal(set) var failure: VerificationFailure?
    /// The kind of receipt; nil unless it is verified.
    public let kind: ReceiptKind?
    /// The payload; nil unless the receipt is verified.
    public internal(set) var payload: JSONObject?
    /// The environment that the receipt comes from; nil unless the receipt is verified and tells it.
    ///
    /// It is derived where the payload has another word: `ProductionVPP` is Production.
    public let environment: StoreEnvironment?
    /// The time at which the receipt was signed; nil unless it is verified and names the time.
    ///
    /// Google Play purchases do not name it.
    public let signingTime: Timestamp?
    /// The names of the claims that were not compared with the policy.
    ///
    /// The policy names no value, or the payload has none.
    public let uncheckedClaims: [String]
    /// The names of the unchecked claims that the policy requires.
    ///
    /// The policy names a value, but the receipt has none to compare: an app transaction names no product, and a
    /// renewal info names no app. A strict policy rejects such a receipt; see ``VerificationPolicy/isStrict``.
    public let missingClaims: [String]
    /// The root that the certificate chain ends at; nil until chain and signature are verified, and for Google Play.
    public let anchor: Anchor?
    /// The certificate that signed the receipt; nil until chain and signature are verified, and for Google Play.
    public let leaf: Leaf?
    /// The circumstances that weaken the verdict; empty unless the receipt is verified.
    public let warnings: [ReceiptWarning]
    /// The receipts inside a notification.
    public internal(set) var nested: [NestedReport]
    /// The checks in their order; empty unless the receipt was explained.
    public internal(set) var trace: VerificationTrace

    /// The root that a certificate chain ends at.
    ///
    /// Only the fingerprint identifies a root: any certificate can bear any name.
    public struct Anchor: Sendable, Hashable {
        /// The common name of the root.
        public let subject: String
        /// The SHA-256 of the root in DER.
        public let fingerprint: SHA256Digest
        /// Whether the root is built into the package; otherwise the caller gave it.
        public let isBuiltIn: Bool
    }

    /// The certificate that signed a receipt.
    public struct Leaf: Sendable, Hashable {
        /// The name of the certificate's subject.
        public let subject: String
        /// The serial number in upper-case hexadecimal.
        public let serialNumber: String
        /// The SHA-256 of the certificate in DER.
        public let fingerprint: SHA256Digest
    }

    /// The outcome of a receipt inside a notification.
    public struct NestedReport: Sendable {
        /// The member that contains the receipt, such as `signedTransactionInfo`.
        public let name: String
        /// The outcome of verifying the receipt.
        public let report: ReceiptReport
    }

    init(_ receipt: CheckedReceipt) {
        let isVerified = receipt.isVerified
        verdict = receipt.verdict
        failure = receipt.failure
        kind = isVerified ? receipt.kind : nil
        payload = isVerified ? receipt.payload : nil
        environment = isVerified ? receipt.environment.map { StoreEnvironment(rawValue: $0) } : nil
        signingTime = isVerified ? receipt.signingTime : nil
        uncheckedClaims = receipt.unchecked.names
        missingClaims = receipt.missing.names
        anchor = receipt.signer?.anchor
        leaf = receipt.signer?.leaf
        warnings = isVerified ? receipt.warningList : []
        nested = receipt.nested.map { NestedReport(name: $0.name, report: ReceiptReport($0.receipt)) }
        trace = receipt.examination.trace
    }
}
