public import PurchaseCore
public import ReceiptTypes
public import ReceiptVerification

/// Verifies the signed transactions of the purchase core.
///
/// The conformance is in a target of its own because the core depends on no system library and the verifier on two.
extension ReceiptVerifier: TransactionVerifying {
    /// Verifies a transaction, with the given time instead of the verifier's own clock.
    public func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) -> VerificationResult<JWSTransactionDecodedPayload> {
        withClock(at: now).verifyTransaction(jws)
    }

    /// Verifies a renewal info, with the given time instead of the verifier's own clock.
    public func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        withClock(at: now).verifyRenewalInfo(jws)
    }

    private func withClock(at now: Timestamp) -> ReceiptVerifier {
        // The refund must be verified, not rejected, to end the purchase.
        var policy = policy
        policy.refusesRevokedPurchases = false
        return ReceiptVerifier(
            policy: policy, trustAnchors: trustAnchors, playKeys: playKeys, keyCache: keyCache, clock: { now }
        )
    }
}
