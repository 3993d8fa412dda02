internal import PurchaseCore
internal import PurchaseVerification
internal import ReceiptTypes
internal import ReceiptVerification

/// Verifies as another verifier does, and logs each verdict with its explanation.
struct LoggedVerifier: TransactionVerifying {
    let verifier: ReceiptVerifier
    let log: CoreLog

    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        let result = verifier.verifyTransaction(jws, at: now)
        add(result) { "transaction \($0.transactionId ?? "without an ID")" }
        return result
    }

    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        let result = verifier.verifyRenewalInfo(jws, at: now)
        add(result) { "renewal info of \($0.originalTransactionId ?? "a subscription without an ID")" }
        return result
    }

    func verifyAppReceipt(_ receipt: SignedAppReceipt, at now: Timestamp) async -> VerificationResult<AppReceipt> {
        let result = await verifier.verifyAppReceipt(receipt, at: now)
        add(result) { "app receipt of \($0.bundleId ?? "an app without an ID")" }
        return result
    }

    private func add<Payload>(_ result: VerificationResult<Payload>, _ subject: (Payload) -> String) {
        switch result {
        case .verified(let payload):
            log.add(.verdict, "verified: \(subject(payload)), signed under the store's root for this app")
        case .unverified(let failure):
            log.add(
                .verdict, "unverified: \(failure.code): \(failure.explanation); what to try: \(failure.hint)",
                isFailure: true)
        }
    }
}
