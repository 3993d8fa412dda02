internal import LocalStore
internal import PurchaseCore
internal import PurchaseVerification
internal import ReceiptTypes
internal import ReceiptVerification

/// The receipts that a store returns to the app of one customer, after verification.
struct CustomerReceipts {
    private(set) var transactions: [Transaction] = []
    private(set) var renewalInfos: [RenewalInfo] = []
    /// Why receipts were rejected, one sentence for each.
    private(set) var rejections: [String] = []

    fileprivate mutating func add(_ result: VerificationResult<JWSTransactionDecodedPayload>) {
        if let transaction = accept(result, Transaction.init) { transactions.append(transaction) }
    }

    fileprivate mutating func add(_ result: VerificationResult<JWSRenewalInfoDecodedPayload>) {
        if let renewalInfo = accept(result, RenewalInfo.init) { renewalInfos.append(renewalInfo) }
    }

    /// Returns whether the store has no objection to a receipt, or records the objection.
    fileprivate mutating func accept(_ objection: String?) -> Bool {
        guard let objection else { return true }
        rejections.append("the store objects to a receipt: \(objection)")
        return false
    }

    /// Returns the facts of a verified payload, or records why the receipt was rejected.
    private mutating func accept<Payload, Facts>(
        _ result: VerificationResult<Payload>,
        _ read: (Payload) -> Facts?
    ) -> Facts? {
        switch result {
        case .verified(let payload):
            if let facts = read(payload) { return facts }
            rejections.append("a verified receipt lacks required fields")
        case .unverified(let failure):
            rejections.append("a receipt is unverified: \(failure.code)")
        }
        return nil
    }
}

/// Fetches and verifies the receipts of customers, as their apps do at launch.
struct CustomerReceiptFetcher {
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

    /// Returns the receipts of a customer; throws if the store cannot be reached, as a fault plan can ask for.
    func receipts(of account: String) async throws(StoreError) -> CustomerReceipts {
        let customer = store.customer(account)
        var receipts = CustomerReceipts()
        // An unfinished transaction may be missing from the history.
        let history = try await customer.history()
        let known = Set(history.map(\.transactionID))
        let unfinished = try await customer.unfinishedTransactions().filter { !known.contains($0.transactionID) }
        for transaction in history + unfinished where receipts.accept(transaction.objection) {
            receipts.add(verifier.verifyTransaction(transaction.signedText, at: now))
        }
        for status in try await customer.subscriptionStatuses()
        where receipts.accept(status.renewalInfoObjection) {
            receipts.add(verifier.verifyRenewalInfo(status.renewalInfoJWS, at: now))
        }
        return receipts
    }
}
