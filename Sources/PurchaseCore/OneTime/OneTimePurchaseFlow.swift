public import ReceiptTypes

/// Sells one-time products: it lets the customer confirm, buys, records what is verified, and says what has happened.
///
/// It stands over a ``PurchaseServicing``, which verifies and hands over, and over the ``PurchaseRecords`` of one user, which
/// it keeps up to date: with its own purchases, and once started also with those that arrive any other way. One purchase
/// runs at a time. Purchases and restores are limited, a recovery refuses purchases, and no purchase is ever repeated.
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
    let records: any PurchaseRecords
    let entitlements: any EntitlementProviding
    let recorder: PurchaseRecorder
    let retry: NetworkRetry
    let restores: RateLimiter
    let platform: PurchaseError.Platform?
    /// The service for purchases, behind the limit and the lock.
    private let paced: PacedPurchaseService
    private let confirmation: any PurchaseConfirming
    private let repository: PurchaseRepository
    private let recovery: RecoveryLock
    private let flags: @Sendable () -> FeatureFlags
    private let log: any PurchaseLog
    private let timer: any PurchaseTimer
    private let activityObservers = Broadcast<OneTimeActivity>()
    private var running: (productID: String, options: PurchaseOptions, task: Task<OneTimePurchaseResult, Never>)?
    var runningRestore: Task<OneTimeRestoreResult, Never>?
    private var listener: Task<Void, Never>?

    /// The milliseconds for the customer's answer to the confirmation: ten minutes.
    static let confirmationDeadline: Int64 = 600_000
    /// The retry of a restore. Its total time is longer than the customer may take for the store's password.
    public nonisolated static let defaultRetry = NetworkRetry(
        schedule: BackoffSchedule(attempts: 3, totalMilliseconds: 900_000))

    /// Creates a flow; it does nothing until one of its methods is called.
    ///
    /// - Parameters:
    ///   - service: The service that buys, without a limit in front of it; the flow adds one.
    ///   - records: The recorded purchases of the user that the service has.
    ///   - entitlements: Refreshed when a purchase has changed what the customer owns. Its catalog says what a product
    ///     unlocks.
    ///   - confirmation: Asks the customer before the store is asked; ``ConfirmedByStore`` leaves it to the store's sheet.
    ///   - repository: Loads the product that the customer is asked about; by default one without a cache.
    ///   - flags: Called once for each purchase. By default, purchases are switched on.
    ///   - purchases: The limiter of purchases.
    ///   - restores: The limiter of restores.
    ///   - recovery: The lock that a recovery holds.
    ///   - retry: Repeats a restore that fails with a network error.
    ///   - platform: The platform of the store, for the errors.
    ///   - log: Receives an event for each purchase and restore that fails, and for each failure of the records.
    ///   - timer: Measures the deadline of the confirmation and the pauses between attempts to record.
    ///   - clock: The device's clock, for the ages of the products of the default repository.
    public init(
        service: any PurchaseServicing,
        records: any PurchaseRecords,
        entitlements: any EntitlementProviding,
        confirmation: any PurchaseConfirming,
        repository: PurchaseRepository? = nil,
        flags: @escaping @Sendable () -> FeatureFlags = { .allEnabled },
        purchases: RateLimiter = RateLimiter(PacedPurchaseService.defaultPurchaseLimit),
        restores: RateLimiter = RateLimiter(PacedPurchaseService.defaultRestoreLimit),
        recovery: RecoveryLock = RecoveryLock(),
        retry: NetworkRetry = OneTimePurchaseFlow.defaultRetry,
        platform: PurchaseError.Platform? = nil,
        log: any PurchaseLog = SilentLog(),
        timer: any PurchaseTimer = SystemTimer(),
        clock: @escaping @Sendable () -> Timestamp = DeviceClock.now
    ) {
        self.service = service
        self.records = records
        self.entitlements = entitlements
        self.confirmation = confirmation
        self.repository = repository ?? PurchaseRepository(service: service, platform: platform, clock: clock)
        self.flags = flags
        self.restores = restores
        self.recovery = recovery
        self.retry = retry
        self.platform = platform
        self.log = log
        self.timer = timer
        paced = PacedPurchaseService(service, purchases: purchases, recovery: recovery)
        recorder = PurchaseRecorder(
            service: service, records: records, catalog: entitlements.catalog, log: log, timer: timer)
    }

    deinit {
        listener?.cancel()
    }

    // MARK: Launch

    /// Records what was bought before and everything that the store delivers from here on; a second call does nothing.
    ///
    /// It resumes unfinished purchases and asks the store for the current entitlements, which shows nothing to the customer.
    /// The complete history needs ``restorePurchases()``.
    ///
    /// - Returns: The first recording, for a caller that waits for it; an empty task for a second call.
    @discardableResult
    public func start() -> Task<Void, Never> {
        guard listener == nil else { return Task {} }
        listener = service.listenForTransactions { [recorder] result in
            if case .verified(let transaction) = result { _ = await recorder.record(transaction.productID) }
        }
        return Task { [service, recorder] in
            _ = await service.currentEntitlements()
            _ = await recorder.record()
        }
    }

    /// Stops recording what the store delivers. The flow can be started again.
    public func stop() {
        listener?.cancel()
        listener = nil
    }

    // MARK: Buying

    /// Buys a product: the customer confirms, the store sells, and the verified purchase is recorded.
    ///
    /// Concurrent calls for the same product and options share one purchase; any other call fails until it has ended. The
    /// customer is not asked to confirm the purchase of a non-consumable that the store lists as owned. If the purchase is
    /// made and cannot be recorded, the outcome stays what it is, ``OneTimePurchaseResult/error`` says so, and the flow
    /// tries again while it exists and when it is started.
    public func purchaseProduct(
        _ productID: String, options: PurchaseOptions = PurchaseOptions()
    ) async -> OneTimePurchaseResult {
        guard flags().purchasesEnabled else { return notAsked(.purchasesDisabled, productID) }
        guard !recovery.isLocked else {
            return notAsked(
                PurchaseFlowError(.recoveryInProgress, "a recovery of the purchases is in progress"), productID)
        }
        if let running {
            guard running.productID.isIdentical(to: productID), running.options == options else {
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

    private func buy(_ productID: String, _ options: PurchaseOptions) async -> OneTimePurchaseResult {
        // The user can change while the customer decides; the service then refuses to sell to the next user.
        var options = options
        options.appAccountToken = options.appAccountToken ?? records.user
        show(.loadingProduct, of: productID)
        var isOwned = false
        switch await ownership(of: productID) {
        case .owned: isOwned = true
        case .unknown(let error): return notAsked(error, productID)
        case .notOwned:
            // Not repeated: the customer waits, and the store decides about a product that could not be loaded.
            let metadata = await repository.loadProductMetadata([productID], repeating: false)
            guard metadata.unknown.isEmpty else {
                let error = StoreError(.productUnavailable, "the store does not sell the product")
                return notAsked(.storeKitError(error), productID)
            }
            show(.confirming, of: productID)
            let proposal = PurchaseProposal(
                productID: productID, item: metadata.items.first, options: options, warning: metadata.error)
            let isConfirmed = await timer.answer(within: Self.confirmationDeadline) { [confirmation] in
                await confirmation.confirm(proposal)
            }
            guard isConfirmed == true else { return OneTimePurchaseResult(outcome: .cancelled, sale: .notSold) }
        }
        show(.purchasing, of: productID)
        let outcome = PurchaseResultMapping.outcome(of: await paced.purchase(productID: productID, options: options))
        return await result(of: outcome, productID, isOwned: isOwned)
    }

    /// Records a purchase, refreshes the entitlements, and returns what has happened.
    ///
    /// - Parameter isOwned: Whether the customer owned the product before, so that the store was not asked to sell it.
    private func result(
        of outcome: PurchaseOutcome, _ productID: String, isOwned: Bool
    ) async -> OneTimePurchaseResult {
        let sale = isOwned && outcome == .pending(.notHandedOver) ? .notSold : OneTimePurchaseResult.Sale(outcome)
        switch outcome {
        case .success, .alreadyOwned, .pending(.notHandedOver):
            show(.recording, of: productID)
            let (purchase, error) = await record(productID)
            await entitlements.refresh()
            return OneTimePurchaseResult(outcome: outcome, sale: sale, purchase: purchase, error: error)
        case .failed(let error):
            return OneTimePurchaseResult(outcome: outcome, sale: sale, error: failure(error, productID))
        case .cancelled, .pending:
            if outcome.changesEntitlements { await entitlements.refresh() }
            return OneTimePurchaseResult(outcome: outcome, sale: sale)
        }
    }

    /// Records the purchases of a product, and returns the latest, or the reason that it is not recorded.
    private func record(_ productID: String) async -> (Purchase?, PurchaseError?) {
        let pass = await recorder.record(productID)
        let latest = pass.purchases.map(\.transaction).latestVersions().filter { !$0.isRevoked }.max {
            ($0.purchaseDate, $0.signedDate) < ($1.purchaseDate, $1.signedDate)
        }
        var cause: (any Error)? = pass.error
        if let latest {
            do throws(DatabaseError) {
                if let purchase = try await records.getPurchase(Purchase.ID(latest)) { return (purchase, nil) }
            } catch {
                cause = cause ?? error
            }
        }
        // Not the class of the cause, which can be retried: the customer would pay again.
        let error = PurchaseFlowError(
            .notRecorded, "the purchase is in the journal and not in the records", underlying: cause)
        return (nil, failure(error, productID))
    }

    // MARK: Ownership

    private enum Ownership {
        case owned, notOwned
        /// It cannot be found out, so the product is not sold.
        case unknown(PurchaseFlowError)
    }

    /// Returns whether the customer owns a non-consumable, according to the records and to the store.
    ///
    /// The store is asked before a product counts as owned, because a refund can have been missed.
    private func ownership(of productID: String) async -> Ownership {
        do {
            let isRecorded = try await records.getAllPurchases().contains { purchase in
                purchase.type == .nonConsumable && purchase.ownership == .purchased && !purchase.isRevoked
                    && purchase.productID.isIdentical(to: productID)
            }
            guard isRecorded else { return .notOwned }
            let evidence = try await service.evidence()
            guard evidence.isStoreReachable else {
                let error = StoreError(.network, "the store does not answer whether the product is still owned")
                return .unknown(.storeKitError(error))
            }
            let listed = Set(evidence.listedTransactionIDs.map(ExactString.init))
            let isListed = evidence.transactions.latestVersions().contains { transaction in
                transaction.kind == .nonConsumable && transaction.ownership == .purchased && !transaction.isRevoked
                    && transaction.productID.isIdentical(to: productID) && listed.contains(ExactString(transaction.id))
            }
            return isListed ? .owned : .notOwned
        } catch {
            // A purchase that could not be recorded is not started.
            return .unknown(PurchaseFlowError(.journalUnavailable, "\(error)", underlying: error))
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
    private func notAsked(_ error: PurchaseFlowError, _ productID: String) -> OneTimePurchaseResult {
        OneTimePurchaseResult(outcome: .failed(error), sale: .notSold, error: failure(error, productID))
    }

    /// Logs a failure, and returns it in the class of the source documents.
    func failure(_ error: any Error, _ productID: String? = nil) -> PurchaseError {
        let failure = PurchaseError(error, platform: platform, productID: productID)
        log.log(PurchaseLogEvent(.flowFailed, productID: productID, detail: failure.description))
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
