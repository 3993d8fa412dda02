internal import LocalStore
internal import PurchaseCore
internal import PurchaseVerification
internal import ReceiptTypes
internal import ReceiptVerification

/// What a store hands to a customer's app, verified text by text.
struct StoreEvidence {
    /// What an app could believe, and what it could not.
    struct Findings {
        var transactions: [Transaction] = []
        var renewalInfos: [RenewalInfo] = []
        var objections: [String] = []
    }

    private let store: StoreSimulator
    private let verifier: ReceiptVerifier
    private let now: Timestamp

    init(_ store: StoreSimulator) {
        self.store = store
        let app = store.state.app
        now = store.state.now
        verifier = ReceiptVerifier(
            policy: .init(apps: [.init(bundleID: app.bundleID)], environments: [app.environment]),
            trustAnchors: store.signer.trustAnchors
        )
    }

    func gather(for account: String) async throws(StoreError) -> Findings {
        let customer = store.customer(account)
        var findings = Findings()
        // What is not finished may be in no history.
        let history = try await customer.history()
        let known = Set(history.map(\.transactionID))
        let unfinished = try await customer.unfinishedTransactions().filter { !known.contains($0.transactionID) }
        for transaction in history + unfinished {
            take(verifier.verifyTransaction(transaction.jws, at: now), &findings) { Transaction($0) }
                .map { findings.transactions.append($0) }
        }
        for status in try await customer.subscriptionStatuses() {
            take(verifier.verifyRenewalInfo(status.renewalInfoJWS, at: now), &findings) { RenewalInfo($0) }
                .map { findings.renewalInfos.append($0) }
        }
        return findings
    }

    private func take<Payload, Fact>(
        _ result: VerificationResult<Payload>,
        _ findings: inout Findings,
        _ read: (Payload) -> Fact?
    ) -> Fact? {
        switch result {
        case .verified(let payload):
            if let fact = read(payload) { return fact }
            findings.objections.append("a verified text says too little")
        case .unverified(let failure):
            findings.objections.append("a text is unverified: \(failure.code)")
        }
        return nil
    }
}
