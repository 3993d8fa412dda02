internal import ReceiptTypes

/// The time that the questions of one call of a service may take.
enum QuestionLimit: Sendable {
    /// Each question has the deadline of a query.
    case each
    /// All questions share a deadline.
    case shared(Task<Void, Never>)
    /// A question has no deadline. The caller of the service stops to wait at its own, and a late answer counts.
    case none

    @TaskLocal static var current = QuestionLimit.each
}

/// A store whose calls return within a deadline; the questions about purchases within ``QuestionLimit/current``.
///
/// A call that takes longer throws ``StoreErrorCode/timedOut`` and is cancelled. A purchase has no deadline here,
/// because its answer counts even if it is late; the service bounds its own wait.
///
/// A question is not cancelled with its caller: a sequence that a store reads ends early then, and the part that was
/// read would pass for the complete answer, which says that the rest is not owned any more.
struct BoundedStore: Store {
    let base: any Store
    let deadlines: PurchaseDeadlines
    let meter: StageMeter

    private func bounded<Value: Sendable>(
        _ name: String,
        _ milliseconds: Int64,
        isCancellable: Bool = false,
        _ call: @escaping @Sendable (any Store) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let answer = await meter.environment.timer.answer(within: milliseconds, isCancellable: isCancellable) {
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

    /// Asks for purchases.
    private func ask<Value: Sendable>(
        _ name: String, _ question: @escaping @Sendable (any Store) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        switch QuestionLimit.current {
        case .each: return try await bounded(name, deadlines.queryMilliseconds, question)
        case .shared(let deadline):
            let answer = await SystemTimer.answer(before: deadline, isCancellable: false) {
                [base] () -> Result<Value, StoreError> in
                do throws(StoreError) {
                    return .success(try await question(base))
                } catch {
                    return .failure(error)
                }
            }
            guard let answer else { throw .timedOut(name, deadlines.queryMilliseconds) }
            return try answer.get()
        case .none:
            let answer = try await question(base)
            // What was read before a cancellation can be a part of the answer.
            guard !Task.isCancelled else { throw .timedOut(name, deadlines.queryMilliseconds) }
            return answer
        }
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
        try await ask("unfinished transactions") { store throws(StoreError) in
            try await store.unfinishedTransactions()
        }
    }

    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        try await ask("current entitlements") { store throws(StoreError) in try await store.currentEntitlements() }
    }

    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
        try await ask("subscription statuses") { store throws(StoreError) in try await store.subscriptionStatuses() }
    }

    func history() async throws(StoreError) -> [SignedTransaction] {
        try await ask("history") { store throws(StoreError) in try await store.history() }
    }

    func finish(transactionID: String) async throws(StoreError) {
        try await bounded("finish", deadlines.queryMilliseconds) { store throws(StoreError) in
            try await store.finish(transactionID: transactionID)
        }
    }

    func synchronize() async throws(StoreError) {
        try await ask("synchronize") { store throws(StoreError) in try await store.synchronize() }
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
    let deadline: Int64
    let meter: StageMeter
    private let running = Locked(0)

    init(base: any TransactionVerifying, deadline: Int64, meter: StageMeter) {
        self.base = base
        self.deadline = deadline
        self.meter = meter
    }

    /// Whether the verifier is asked; if not, each verification has the failure of one that has timed out.
    @TaskLocal static var isAsked = true

    /// Whether a verification has begun and not ended.
    var isBusy: Bool { running.withLock { $0 > 0 } }

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
        guard Self.isAsked else { return .unverified(timeout) }
        running.withLock { $0 += 1 }
        defer { running.withLock { $0 -= 1 } }
        // A purchase that is not paid yet is not a failure of the verification, nor is a stored text that the platform
        // does not deliver.
        return await meter.measure(
            .verify,
            failure: { $0.failure.flatMap { $0.code == .purchasePending || $0.isOfPlatform ? nil : $0.code.rawValue } }
        ) {
            await meter.environment.timer.answer(within: deadline) { [base] in await call(base) }
                ?? .unverified(timeout)
        }
    }

    private var timeout: VerificationFailure {
        VerificationFailure(
            code: .verificationTimedOut, expected: "an answer within \(deadline) ms", actual: "no answer")
    }
}

extension StoreError {
    static func timedOut(_ call: String, _ milliseconds: Int64) -> StoreError {
        StoreError(.timedOut, "the store did not answer (\(call)) within \(milliseconds) ms")
    }
}
