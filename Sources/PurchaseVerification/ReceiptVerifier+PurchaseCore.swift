public import PurchaseCore
public import ReceiptTypes
public import ReceiptVerification

/// Verifies the signed transactions of the purchase core.
///
/// The conformance is in a target of its own because the core depends on no system library and the verifier on two.
extension ReceiptVerifier: TransactionVerifying {
    /// Verifies a transaction at the given time instead of the verifier's own.
    public func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) -> VerificationResult<JWSTransactionDecodedPayload> {
        copy(at: now).verifyTransaction(jws)
    }

    /// Verifies a renewal info at the given time instead of the verifier's own.
    public func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        copy(at: now).verifyRenewalInfo(jws)
    }

    /// Returns a copy with a fixed time, which shares the key cache and the workspaces of this verifier.
    private func copy(at now: Timestamp) -> ReceiptVerifier {
        var verifier = self
        verifier.clock = { now }
        // A revoked transaction has to verify, so that its revocation ends the purchase.
        verifier.policy.refusesRevokedPurchases = false
        return verifier
    }
}
