public import ReceiptTypes

/// The port to a verifier of signed transactions, such as the package's `ReceiptVerifier` or a server.
///
/// The time is a parameter because the service keeps ``ClockMarks`` and does not rely on the device's clock alone.
public protocol TransactionVerifying: Sendable {
    /// Verifies a transaction in compact JWS form.
    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload>

    /// Verifies a renewal info in compact JWS form.
    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload>
}
