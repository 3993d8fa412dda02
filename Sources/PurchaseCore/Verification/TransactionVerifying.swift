public import ReceiptTypes

/// The port to a verifier of signed transactions, such as the package's `ReceiptVerifier` or a server.
///
/// The time is a parameter because the service keeps ``ClockMarks`` and does not rely on the device's clock alone.
public protocol TransactionVerifying: Sendable {
    /// Whether a signed text that was verified once stays verified while the process runs, so that it is not verified
    /// again.
    ///
    /// It is `true` by default. A verifier whose verdict depends on what it hears later returns `false`.
    var hasLastingVerdicts: Bool { get }

    /// Verifies a transaction in compact JWS form.
    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload>

    /// Verifies a renewal info in compact JWS form.
    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload>

    /// Verifies a Google Play purchase, and returns it as a transaction.
    ///
    /// A cancelled purchase is verified, so that the cancellation ends it. A pending one is unverified with the code
    /// `purchase-pending`: the service then reports the purchase as pending, and grants nothing. A verifier without
    /// this method verifies no Play purchase.
    func verifyPlayPurchase(_ purchase: SignedPlayPurchase, at now: Timestamp) async -> VerificationResult<Transaction>

    /// Verifies an app receipt: its signature, its app, and the device that it is bound to.
    ///
    /// A receipt is a file that can be copied, so a verifier that knows no device or no app must not verify it; it
    /// returns the failure `receipt-binding-unchecked`. A verifier without this method verifies no app receipt.
    func verifyAppReceipt(_ receipt: SignedAppReceipt, at now: Timestamp) async -> VerificationResult<AppReceipt>
}

extension TransactionVerifying {
    /// `true`: a signature does not become invalid while the process runs.
    public var hasLastingVerdicts: Bool { true }

    /// Returns the failure `key-not-found`, because the verifier has no key of a Play app.
    public func verifyPlayPurchase(
        _ purchase: SignedPlayPurchase, at now: Timestamp
    ) async -> VerificationResult<Transaction> {
        .unverified(
            VerificationFailure(
                code: .keyNotFound, expected: "a verifier of Google Play purchases", actual: "a verifier of JWS only"))
    }

    /// Returns the failure `key-not-found`, because the verifier has no root of app receipts.
    public func verifyAppReceipt(
        _ receipt: SignedAppReceipt, at now: Timestamp
    ) async -> VerificationResult<AppReceipt> {
        .unverified(
            VerificationFailure(
                code: .keyNotFound, expected: "a verifier of app receipts", actual: "a verifier of JWS only"))
    }
}
