internal import ReceiptTypes

/// Sells one-time products: it lets the customer confirm, buys, and reports the result with the recorded purchase.
///
/// It stands over a ``PurchaseServicing``, which verifies, records and hands over, and over the ``PurchaseRecords`` of
/// one user in the ledger of that service. Once started, purchases that arrive any other way are shown too. One
/// purchase runs at a time, and none is ever repeated. The limits and the lock of a recovery are the service's
/// ``PurchasePacing``.
///
/// ```swift
/// let flow = OneTimePurchaseFlow(
///     service: service, records: records, entitlements: entitlementStore, confirmation: dialogue,
///     repository: repository, flags: { flags })
/// flow.start()
/// let result = await flow.purchaseProduct("com.example.export")
/// switch result.outcome {
/// case .success, .alreadyOwned: show("Export is unlocked.")
/// case .cancelled: break
/// case .pending(let reason): show(reason)  // do not offer to buy again
/// case .failed: show(result.error?.userMessage(languages: preferredLanguages).text ?? "")
/// }
/// ```
@MainActor
public final class OneTimePurchaseFlow {
    /// What the flow is doing, for a screen that shows progress and disables its buttons.
    public private(set) var activity = OneTimeActivity() {
        didSet { if activity != oldValue { activityObservers.send(activity) } }
    }

    let service: any PurchaseServicing
    let records: PurchaseRecords
    let entitlements: any EntitlementProviding
    let retry: NetworkRetry
    let platform: PurchaseError.Platform?
    let environment: PurchaseEnvironment
    let deadlines: PurchaseDeadlines
    private let confirmation: any PurchaseConfirming
    private let repository: PurchaseRepository
    private let flags: @Sendable () -> FeatureFlags
    private let activityObservers = Broadcast<OneTimeActivity>()
    private var running: (productID: String, options: PurchaseOptions, task: Task<PurchaseReport, Never>)?
    var runningRestore: Task<OneTimeRestoreResult, Never>?
    /// The number of restores that have begun.
    var restoreCount = 0
    private var listener: Task<Void, Never>?

    /// The milliseconds for the customer's answer to the confirmation: ten minutes.
    static let confirmationDeadline: Int64 = 600_000
    /// The retry of a restore. Its total time is longer than the customer may take for the store's password.
    public nonisolated static let defaultRetry = NetworkRetry(
        schedule: BackoffSchedule(attempts: 3, totalMilliseconds: 900_000))

    /// Creates a flow; it does nothing until one of its methods is called.
    ///
    /// - Parameters:
    ///   - service: The service that buys.
    ///   - records: The recorded purchases of the user that the service has, in the ledger of the service. A purchase
    ///     that another ledger records is a success with an error that says so.
    ///   - entitlements: Refreshed when a purchase has changed what the customer owns. Its catalog says what a product
    ///     unlocks; without one, every product is sold.
    ///   - confirmation: Asks the customer before the store is asked; ``ConfirmedByStore`` leaves it to the store's
    ///     sheet.
    ///   - repository: Loads the product that the customer is asked about; by default one without a cache.
    ///   - flags: Called before and after the confirmation of a purchase. By default, purchases are switched on.
    ///   - retry: Repeats a restore that fails with a network error.
    ///   - platform: The platform of the store, for the errors.
    ///   - deadlines: The deadlines of the service.
    ///   - environment: The log of failed purchases and restores, the timer of the deadlines, and the clock.
    public init(
        service: any PurchaseServicing,
        records: PurchaseRecords,
        entitlements: any EntitlementProviding,
        confirmation: any PurchaseConfirming,
        repository: PurchaseRepository? = nil,
        flags: @escaping @Sendable () -> FeatureFlags = { .allEnabled },
        retry: NetworkRetry = OneTimePurchaseFlow.defaultRetry,
        platform: PurchaseError.Platform? = nil,
        deadlines: PurchaseDeadlines = PurchaseDeadlines(),
        environment: PurchaseEnvironment = .system
    ) {
        self.service = service
        self.deadlines = deadlines
        self.records = records
        self.entitlements = entitlements
        self.confirmation = confirmation
        self.repository =
            repository ?? PurchaseRepository(service: service, platform: platform, environment: environment)
        self.flags = flags
        self.retry = retry
        self.platform = platform
        self.environment = environment
    }

    deinit {
        listener?.cancel()
    }

    // MARK: Launch

    /// Records what was bought before and everything that the store delivers from here on; a second call does nothing.
    ///
    /// It resumes unfinished purchases and asks the store for the current entitlements, which shows nothing to the
    /// customer. The complete history needs ``restorePurchases()``.
    ///
    /// - Returns: The first recording, for a caller that waits for it; an empty task for a second call.
    @discardableResult
    public func start() -> Task<Void, Never> {
        guard listener == nil else { return Task {} }
        listener = service.listenForTransactions { _ in }
        return Task { [weak self, service] in
            _ = await service.currentEntitlements()
            await self?.review()
        }
    }

    /// Stops listening to the store. The flow can be started again.
    public func stop() {
        listener?.cancel()
        listener = nil
    }

    /// Brings the records up to date with what the verifier says now, as at launch.
    ///
    /// - Returns: The deliveries that the verifier has not decided about; nil if the records are of another user than
    ///   the one that is signed in, or if the ledger fails, which is logged.
    @discardableResult
    package func review() async -> [UnverifiedPurchase]? {
        do throws(LedgerError) {
            return try await service.reviewPurchases(of: records.user)
        } catch {
            environment.log.log(PurchaseLogEvent(.ledgerFailed, error: error))
            return nil
        }
    }

    // MARK: Buying

    /// Buys a product: the customer confirms, the store sells, and the verified purchase is recorded.
    ///
    /// Concurrent calls for the same product and options share one purchase; any other call fails until it has ended.
    /// The customer is not asked to confirm a non-consumable that is owned or a purchase that is pending, nor a
    /// non-consumable or a subscription that would unlock nothing, because the catalog lacks it: that fails with the
    /// code ``PurchaseFlowError/Code/wrongProduct``. If the purchase is made and the records cannot be read, the
    /// outcome stays what it is, and ``PurchaseReport/error`` says so.
    ///
    /// Cancelling the calling task cancels nothing, because other callers can wait for the purchase. A screen that goes
    /// away closes its dialogue, which declines.
    public func purchaseProduct(
        _ productID: String, options: PurchaseOptions = PurchaseOptions()
    ) async -> PurchaseReport {
        if let refusal { return notAsked(refusal, productID) }
        if let running {
            // A dialogue that asks for another purchase would wait for its own end.
            guard !Self.isConfirming, running.productID.isIdentical(to: productID), running.options == options else {
                return notAsked(.purchaseInProgress(running.productID), productID)
            }
            return await running.task.value
        }
        let task = Task {
            let result = await self.buy(productID, options)
            self.running = nil
            self.activity.purchase = nil
            return result
        }
        running = (productID, options, task)
        return await task.value
    }

    /// The reason that nothing is sold now; nil if there is none.
    private var refusal: PurchaseFlowError? { flags().purchasesEnabled ? nil : .purchasesDisabled }

    private func buy(_ productID: String, _ options: PurchaseOptions) async -> PurchaseReport {
        // The user can change while the customer decides; the service then refuses to sell to the next user.
        var options = options
        options.appAccountToken = options.appAccountToken ?? records.user.account
        show(.loadingProduct, of: productID)
        do throws(PurchaseFlowError) {
            try await requireRecords()
        } catch {
            return notAsked(error, productID)
        }
        let warning = Locked<PurchaseError?>(nil)
        var report = await service.countedPurchase(productID: productID, options: options) {
            [options] () async throws(PurchaseFlowError) in
            try await self.confirm(productID, options, warning)
        }
        report.warning = warning.withLock { $0 }
        return await recorded(report)
    }

    /// Loads the product and asks the customer.
    private func confirm(
        _ productID: String, _ options: PurchaseOptions, _ warning: Locked<PurchaseError?>
    ) async throws(PurchaseFlowError) -> Bool {
        let proposal = try await proposal(of: productID, options)
        warning.withLock { $0 = proposal.warning }
        if let product = proposal.item?.product { try requireUse(of: productID, product.type) }
        show(.confirming, of: productID)
        guard await isConfirmed(proposal) else { return false }
        if let refusal { throw refusal }
        if proposal.item == nil { try await requireUse(ofUnloaded: productID) }
        show(.purchasing, of: productID)
        return true
    }

    // MARK: Before the sale

    /// Fails if the records cannot be read: a purchase that could not be recorded is not started.
    private func requireRecords() async throws(PurchaseFlowError) {
        do throws(DatabaseError) {
            _ = try await recordedPurchases()
        } catch {
            throw PurchaseFlowError(.ledgerUnavailable, error.message, underlying: error)
        }
    }

    private func proposal(
        of productID: String, _ options: PurchaseOptions
    ) async throws(PurchaseFlowError) -> PurchaseProposal {
        // Not repeated: the customer waits, and the store decides about a product that could not be loaded.
        let metadata = await repository.loadProductMetadata([productID])
        guard metadata.unknown.isEmpty else {
            throw .storeKitError(StoreError(.productUnavailable, "the store does not sell the product"))
        }
        return PurchaseProposal(
            productID: productID, item: metadata.items.first, options: options, warning: metadata.error)
    }

    /// Fails if the customer would pay and get nothing.
    private func requireUse(of productID: String, _ type: ProductType?) throws(PurchaseFlowError) {
        if let objection = entitlements.catalog?.objection(toSelling: productID, of: type) { throw objection }
    }

    /// Fails if the customer would pay and get nothing for a product that was not loaded before the confirmation.
    ///
    /// Without its kind, a product that the catalog lacks can be a consumable or a mistake, so it is loaded once more.
    private func requireUse(ofUnloaded productID: String) async throws(PurchaseFlowError) {
        guard entitlements.catalog?.objection(toSelling: productID, of: nil) != nil else { return }
        let metadata = await repository.loadProductMetadata([productID])
        if metadata.items.isEmpty, let error = metadata.error {
            throw PurchaseFlowError(.storeKitError, error.message, underlying: error.underlying)
        }
        try requireUse(of: productID, metadata.products.first?.type)
    }

    private func isConfirmed(_ proposal: PurchaseProposal) async -> Bool {
        await Self.$isConfirming.withValue(true) {
            await environment.timer.answer(within: Self.confirmationDeadline) { [confirmation] in
                await confirmation.confirm(proposal)
            }
        } ?? false
    }

    /// Whether the current task is part of a dialogue that confirms a purchase.
    @TaskLocal private static var isConfirming = false

    // MARK: After the sale

    /// Finds what was recorded, refreshes the entitlements, and returns the report with the recorded purchase.
    private func recorded(_ answer: PurchaseReport) async -> PurchaseReport {
        var report = answer
        let productID = report.productID
        switch report.outcome {
        case .success, .alreadyOwned, .pending(.notHandedOver):
            show(.recording, of: productID)
            (report.purchase, report.error) = await recorded(productID, report.transactionID)
            await entitlements.refresh()
        case .failed(let reason):
            report.error = failure(reason, productID)
            // The customer has paid for the other product.
            if reason.code == .differentProduct { await entitlements.refresh() }
        case .cancelled, .pending:
            if report.outcome.changesEntitlements { await entitlements.refresh() }
        }
        return report
    }

    /// Returns what was bought: the purchase of a transaction or, if it is not known, the latest of the product; or the
    /// reason that it is not recorded.
    private func recorded(_ productID: String, _ transactionID: String?) async -> (Purchase?, PurchaseError?) {
        var cause: (any Error)?
        do throws(DatabaseError) {
            let purchase =
                if let transactionID {
                    try await recordedPurchases(ofTransaction: transactionID).first
                } else {
                    try await latestPurchase(of: productID)
                }
            if let purchase { return (purchase, nil) }
        } catch {
            cause = error
        }
        // Not the class of the cause, which can be retried: the customer would pay again.
        let error = PurchaseFlowError(.notRecorded, "the purchase is not in the records", underlying: cause)
        return (nil, failure(error, productID))
    }

    /// Returns the latest purchase of a product; nil while the verifier has not decided about another one, which can be
    /// the one that was just made.
    private func latestPurchase(of productID: String) async throws(DatabaseError) -> Purchase? {
        for open in await review() ?? [] where open.delivery.productID.isIdentical(to: productID) {
            if try await recordedPurchases(ofTransaction: open.delivery.transactionID).isEmpty { return nil }
        }
        return try await recordedPurchases().first { $0.productID.isIdentical(to: productID) && !$0.isRevoked }
    }

    /// Returns the recorded purchases with a transaction id, the latest first.
    func recordedPurchases(ofTransaction transactionID: String) async throws(DatabaseError) -> [Purchase] {
        try await environment.timer.databaseAnswer { [records] () throws(DatabaseError) in
            try await records.getPurchases(ofTransaction: transactionID)
        }
    }

    /// Returns all recorded purchases, the latest first.
    func recordedPurchases() async throws(DatabaseError) -> [Purchase] {
        try await environment.timer.databaseAnswer { [records] () throws(DatabaseError) in
            try await records.getAllPurchases()
        }
    }

    // MARK: Activity and failures

    /// Returns a stream of the activity and every change of it; a slow consumer receives only the latest.
    public func activityUpdates() -> AsyncStream<OneTimeActivity> { activityObservers.stream(from: activity) }

    private func show(_ step: OneTimeActivity.Step, of productID: String) {
        activity.purchase = OneTimeActivity.RunningPurchase(productID: productID, step: step)
    }

    func showRestore(_ isRestoring: Bool) { activity.isRestoring = isRestoring }

    /// Returns the result of a purchase that the service was not asked for.
    private func notAsked(_ error: PurchaseFlowError, _ productID: String) -> PurchaseReport {
        var report = PurchaseReport(productID, .failed(error), sale: .notSold)
        report.error = failure(error, productID)
        return report
    }

    /// Logs a failure, and returns it in the class of the source documents.
    func failure(_ error: any Error, _ productID: String? = nil) -> PurchaseError {
        let failure = PurchaseError(error, platform: platform, productID: productID)
        environment.log.log(PurchaseLogEvent(.flowFailed, error: failure))
        return failure
    }
}

/// What a ``OneTimePurchaseFlow`` is doing.
public struct OneTimeActivity: Sendable, Hashable {
    /// The steps of a purchase.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// The product is loaded, and the store is asked whether the customer owns it.
        case loadingProduct = "loading-product"
        /// The customer is asked to confirm.
        case confirming
        /// The store sells, and the purchase is verified and handed over.
        case purchasing
        /// The purchase is recorded.
        case recording
    }

    /// A purchase with its step.
    public struct RunningPurchase: Sendable, Hashable {
        /// The id of the product.
        public let productID: String
        /// The step.
        public let step: Step
    }

    /// The purchase that runs; nil if none does.
    public internal(set) var purchase: RunningPurchase?
    /// Whether a restore runs.
    public internal(set) var isRestoring = false

    /// Creates an activity in which nothing runs.
    public init() {}

    /// Whether a purchase or a restore runs.
    public var isLoading: Bool { purchase != nil || isRestoring }
}

extension PurchaseLogEvent.Kind {
    /// A purchase or a restore of a ``OneTimePurchaseFlow`` has failed; the detail has the class of the error.
    public static let flowFailed = Self(rawValue: "flow-failed")
}
