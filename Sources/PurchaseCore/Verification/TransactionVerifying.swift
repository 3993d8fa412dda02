public import ReceiptTypes

/// Judges what a store has signed; the toolkit's verifier does, and so may a server.
public protocol TransactionVerifying: Sendable {
    /// Verifies a transaction in compact JWS form.
    func verifyTransaction(_ jws: String) async -> VerificationResult<JWSTransactionDecodedPayload>

    /// Verifies a renewal info in compact JWS form.
    func verifyRenewalInfo(_ jws: String) async -> VerificationResult<JWSRenewalInfoDecodedPayload>
}
