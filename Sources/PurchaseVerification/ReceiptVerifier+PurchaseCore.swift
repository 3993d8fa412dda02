public import PurchaseCore
public import ReceiptTypes
public import ReceiptVerification

/// The toolkit's verifier judges what the purchase core is handed.
///
/// This stands in a target of its own, because the core has no system library in its closure and the verifier has two.
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
        // A refund has to be seen, and not refused, to end what was bought.
        var policy = policy
        policy.refusesRevokedPurchases = false
        return ReceiptVerifier(
            policy: policy, trustAnchors: trustAnchors, playKeys: playKeys, keyCache: keyCache, clock: { now }
        )
    }
}
