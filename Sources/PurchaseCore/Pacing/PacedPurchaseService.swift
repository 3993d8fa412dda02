public import ReceiptTypes

/// A purchase service that refuses purchases and restores that come too often, and purchases during a recovery.
///
/// It stands in front of another service, so that a screen that calls in a loop, or a script, cannot keep opening the
/// store's sheets. A refused purchase is a result, and has not reached the store. Everything else is passed on.
///
/// ```swift
/// let paced = PacedPurchaseService(service, recovery: recoveryLock)
/// let coordinator = ProSubscriptionCoordinator(purchaseService: paced, entitlementRefresher: entitlementStore)
/// ```
public struct PacedPurchaseService: PurchaseServicing {
    private let base: any PurchaseServicing
    private let purchases: RateLimiter
    private let restores: RateLimiter
    private let recovery: RecoveryLock

    /// Ten purchases a minute.
    public static let defaultPurchaseLimit = RateLimit(count: 10, perMilliseconds: 60_000)
    /// Five restores a minute.
    public static let defaultRestoreLimit = RateLimit(count: 5, perMilliseconds: 60_000)

    /// Creates a service in front of another one.
    ///
    /// - Parameters:
    ///   - base: The service.
    ///   - purchases: The limiter of purchases.
    ///   - restores: The limiter of restores.
    ///   - recovery: The lock that a recovery holds.
    public init(
        _ base: any PurchaseServicing,
        purchases: RateLimiter = RateLimiter(defaultPurchaseLimit),
        restores: RateLimiter = RateLimiter(defaultRestoreLimit),
        recovery: RecoveryLock = RecoveryLock()
    ) {
        self.base = base
        self.purchases = purchases
        self.restores = restores
        self.recovery = recovery
    }

    /// Buys a product, unless a limit or a recovery forbids it.
    ///
    /// A refused purchase fails with ``PurchaseFlowError/Code/rateLimited``, whose cause is the ``RateLimitError``, or
    /// with ``PurchaseFlowError/Code/recoveryInProgress``.
    public func purchase(productID: String) async -> PurchaseResult {
        if let refusal = refusal() { return .failed(refusal) }
        return await base.purchase(productID: productID)
    }

    /// Buys a product with options, unless a limit or a recovery forbids it.
    public func purchase(productID: String, options: PurchaseOptions) async -> PurchaseResult {
        if let refusal = refusal() { return .failed(refusal) }
        return await base.purchase(productID: productID, options: options)
    }

    /// Buys a product with options, and returns what is needed to count each sale once, unless a limit or a recovery
    /// forbids it.
    public func countedPurchase(productID: String, options: PurchaseOptions) async -> CountedPurchase {
        if let refusal = refusal() { return CountedPurchase(.failed(refusal)) }
        return await base.countedPurchase(productID: productID, options: options)
    }

    /// Counts a purchase, and returns the reason that it is not made; nil if it may begin.
    private func refusal() -> PurchaseFlowError? {
        // Before the limit, because the customer cannot help a recovery and should not use up attempts.
        guard !recovery.isLocked else {
            return PurchaseFlowError(.recoveryInProgress, "a recovery of the purchases is in progress")
        }
        do throws(PurchaseFlowError) {
            try count(purchases)
            return nil
        } catch {
            return error
        }
    }

    /// Fetches the complete purchase history, unless the limit forbids it.
    ///
    /// - Throws: ``PurchaseFlowError`` with the code ``PurchaseFlowError/Code/rateLimited``, or the error of the
    ///   service.
    public func requestAllPurchaseHistory() async throws -> RestoredHistory {
        try count(restores)
        return try await base.requestAllPurchaseHistory()
    }

    private func count(_ limiter: RateLimiter) throws(PurchaseFlowError) {
        do throws(RateLimitError) {
            try limiter.countCall()
        } catch {
            throw PurchaseFlowError(.rateLimited, error.message, underlying: error)
        }
    }
}

// Passed on unchanged.
extension PacedPurchaseService {
    /// Loads the products with these ids.
    public func products(for ids: [String]) async throws -> [Product] { try await base.products(for: ids) }

    /// Processes the store's updates until the task is cancelled.
    public func listenForTransactions(
        handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never> { base.listenForTransactions(handler: handler) }

    /// Returns the transactions of the store's current entitlements.
    public func currentEntitlements() async -> [VerificationResult<Transaction>] { await base.currentEntitlements() }

    /// Waits until a purchase is handed over.
    public func waitUntilHandedOver(productID: String) async -> Bool {
        await base.waitUntilHandedOver(productID: productID)
    }

    /// Waits until the purchase of a transaction is handed over.
    public func waitUntilHandedOver(productID: String, transactionID: String) async -> Bool {
        await base.waitUntilHandedOver(productID: productID, transactionID: transactionID)
    }

    /// Returns the input of an ``EntitlementProjection``.
    public func evidence() async throws(LedgerError) -> PurchaseEvidence { try await base.evidence() }

    /// Returns the evidence within the deadline of a query.
    public func evidence(
        late: @escaping @Sendable (PurchaseEvidence) async -> Void
    ) async throws(LedgerError) -> PurchaseEvidence { try await base.evidence(late: late) }

    /// Returns what is recorded, without asking the store.
    public func rememberedEvidence() async throws(LedgerError) -> PurchaseEvidence? {
        try await base.rememberedEvidence()
    }

    /// Returns the result that a purchase has without a sale; it is not limited.
    public func resultWithoutSale(productID: String, options: PurchaseOptions) async -> PurchaseResult? {
        await base.resultWithoutSale(productID: productID, options: options)
    }

    /// Brings the recorded purchases of a user up to date with what the verifier says now.
    public func reviewPurchases(of user: AppUser) async throws(LedgerError) -> [UnverifiedPurchase]? {
        try await base.reviewPurchases(of: user)
    }

    /// Restores an app receipt; it is not limited, because it asks neither the store nor the customer.
    public func restore(appReceipt bytes: [UInt8]) async throws -> VerificationResult<RestoredAppReceipt> {
        try await base.restore(appReceipt: bytes)
    }

    /// Restores the app transaction; it is not limited.
    public func restoreAppTransaction() async throws -> VerificationResult<RestoredAppReceipt>? {
        try await base.restoreAppTransaction()
    }

    /// Returns the purchases that await something outside of the app.
    public func pendingPurchases() async throws(LedgerError) -> [PendingPurchase] { try await base.pendingPurchases() }

    /// Forgets a pending purchase.
    public func forgetPendingPurchase(productID: String) async throws(LedgerError) {
        try await base.forgetPendingPurchase(productID: productID)
    }

    /// Resumes every purchase that was begun and not finished.
    public func resumeUnfinishedPurchases() async { await base.resumeUnfinishedPurchases() }
}
