internal import ReceiptTypes

extension PurchaseService {
    /// Verifies a delivery, whatever the store says about it; and believes the store when it objects.
    func judge(_ delivery: SignedTransaction) async -> VerificationResult<Transaction> {
        if let objection = delivery.objection {
            return .unverified(VerificationFailure(code: .storeObjection, actual: objection))
        }
        let text = ExactText(delivery.jws)
        if let known = verified[text] { return .verified(known) }
        switch await verifier.verifyTransaction(delivery.jws, at: await time()) {
        case .unverified(let failure): return .unverified(failure)
        case .verified(let payload):
            guard let transaction = Transaction(payload) else {
                return .unverified(VerificationFailure(code: .transactionIncomplete))
            }
            verified[text] = transaction
            return .verified(transaction)
        }
    }

    /// Verifies a renewal info; nil where it is not verified.
    func judge(renewalInfo jws: String) async -> RenewalInfo? {
        switch await verifier.verifyRenewalInfo(jws, at: await time()) {
        case .verified(let payload): return RenewalInfo(payload)
        case .unverified(let failure):
            note(.unverified, detail: "renewal info: \(failure.description)")
            return nil
        }
    }
}
