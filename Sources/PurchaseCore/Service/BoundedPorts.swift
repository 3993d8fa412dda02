internal import ReceiptTypes

/// A store whose calls return within a deadline.
///
/// A call that takes longer throws ``StoreError/Code/timedOut`` and is cancelled. A purchase has no deadline here,
/// because its answer counts even if it is late; the service bounds its own wait.
///
/// A question is not cancelled with its caller: a sequence that a store reads ends early then, and the part that was
/// read would pass for the complete answer, which says that the rest is not owned any more.
struct BoundedStore: Store {
    let base: any Store
    let timer: any PurchaseTimer
    let deadlines: PurchaseDeadlines
    let meter: StageMeter

    private func bounded<Value: Sendable>(
        _ name: String,
        _ milliseconds: Int64,
        isCancellable: Bool = false,
        _ call: @escaping @Sendable (any Store) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let answer = await timer.answer(within: milliseconds, isCancellable: isCancellable) {
            [base] () -> Result<Value, StoreError> in
            do throws(StoreError) {
                return .success(try await call(base))
            } catch {
                return .failure(error)
            }
        }
        guard let answer else { throw .timedOut(name, milliseconds) }
        return try answer.get()
    }

    func products(for ids: [String]) async throws(StoreError) -> [Product] {
        try await meter.measure(.load) { () throws(StoreError) in
            try await bounded("products", deadlines.queryMilliseconds) { store throws(StoreError) in
                try await store.products(for: ids)
            }
        }
    }

    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        try await base.purchase(productID, options: options)
    }

    func updates() -> AsyncStream<StoreUpdate> { base.updates() }

    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
        try await bounded("unfinished transactions", deadlines.queryMilliseconds) { store throws(StoreError) in
            try await store.unfinishedTransactions()
        }
    }

    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        try await bounded("current entitlements", deadlines.queryMilliseconds) { store throws(StoreError) in
            try await store.currentEntitlements()
        }
    }

    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
        try await bounded("subscription statuses", deadlines.queryMilliseconds) { store throws(StoreError) in
            try await store.subscriptionStatuses()
        }
    }

    func history() async throws(StoreError) -> [SignedTransaction] {
        try await bounded("history", deadlines.queryMilliseconds) { store throws(StoreError) in
            try await store.history()
        }
    }

    func finish(transactionID: String) async throws(StoreError) {
        try await bounded("finish", deadlines.queryMilliseconds) { store throws(StoreError) in
            try await store.finish(transactionID: transactionID)
        }
    }

    func synchronize() async throws(StoreError) {
        try await bounded("synchronize", deadlines.synchronizationMilliseconds, isCancellable: true) {
            store throws(StoreError) in
            try await store.synchronize()
        }
    }

    func isEligibleForIntroductoryOffer(groupID: String) async throws(StoreError) -> Bool? {
        try await bounded("introductory offer", deadlines.queryMilliseconds) { store throws(StoreError) in
            try await store.isEligibleForIntroductoryOffer(groupID: groupID)
        }
    }

    func signedAppTransaction() async throws(StoreError) -> SignedAppTransaction? {
        try await bounded("app transaction", deadlines.queryMilliseconds) { store throws(StoreError) in
            try await store.signedAppTransaction()
        }
    }

    func present(_ sheet: StoreSheet) async throws(StoreError) -> StoreSheetAnswer {
        try await bounded("sheet", deadlines.purchaseMilliseconds, isCancellable: true) { store throws(StoreError) in
            try await store.present(sheet)
        }
    }

    func purchaseIntents() -> AsyncStream<PurchaseIntent> { base.purchaseIntents() }
}

/// A verifier whose calls return within a deadline; a call that takes longer is a retryable failure.
struct BoundedVerifier: TransactionVerifying {
    let base: any TransactionVerifying
    let timer: any PurchaseTimer
    let deadline: Int64
    let meter: StageMeter

    var hasLastingVerdicts: Bool { base.hasLastingVerdicts }

    func verifyTransaction(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSTransactionDecodedPayload> {
        await bounded { verifier in await verifier.verifyTransaction(jws, at: now) }
    }

    func verifyRenewalInfo(
        _ jws: String, at now: Timestamp
    ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        await bounded { verifier in await verifier.verifyRenewalInfo(jws, at: now) }
    }

    func verifyPlayPurchase(
        _ purchase: SignedPlayPurchase, at now: Timestamp
    ) async -> VerificationResult<Transaction> {
        await bounded { verifier in await verifier.verifyPlayPurchase(purchase, at: now) }
    }

    func verifyAppReceipt(
        _ receipt: SignedAppReceipt, at now: Timestamp
    ) async -> VerificationResult<AppReceipt> {
        await bounded { verifier in await verifier.verifyAppReceipt(receipt, at: now) }
    }

    private func bounded<Payload: Sendable>(
        _ call: @escaping @Sendable (any TransactionVerifying) async -> VerificationResult<Payload>
    ) async -> VerificationResult<Payload> {
        // A purchase that is not paid yet is not a failure of the verification, nor is a stored text that the platform
        // does not deliver.
        await meter.measure(
            .verify,
            failure: { $0.failure.flatMap { $0.code == .purchasePending || $0.isOfPlatform ? nil : $0.code.rawValue } }
        ) {
            await timer.answer(within: deadline) { [base] in await call(base) }
                ?? .unverified(
                    VerificationFailure(
                        code: .verificationTimedOut, expected: "an answer within \(deadline) ms", actual: "no answer"))
        }
    }
}

extension StoreError {
    fileprivate static func timedOut(_ call: String, _ milliseconds: Int64) -> StoreError {
        StoreError(.timedOut, "the store did not answer (\(call)) within \(milliseconds) ms")
    }
}
