public import ReceiptTypes

/// Judges what a store has signed; the toolkit's verifier does, and so may a server.
///
/// The time is a parameter, because the service knows better than the device's clock how late it is at least.
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
