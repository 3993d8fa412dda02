public import ReceiptTypes

/// Buys in a store, processes the store's deliveries, and records them in a journal.
///
/// The answer to a purchase, an update, a restored transaction and an unfinished one take the same path: observed, verified,
/// recorded, granted, and only then finished. Each step is durable before the next one begins, so the process can end
/// between any two of them; the next launch continues there.
///
/// ```swift
/// let service = PurchaseService(
///     store: store, journal: journal, verifier: ReceiptVerifier(policy: policy), clock: clock)
/// let result = await service.purchase(productID: "com.example.pro.yearly")
/// ```
public actor PurchaseService: PurchaseServicing {
    let store: any Store
    let journal: any PurchaseJournal
    let verifier: any TransactionVerifying
    let fulfiller: any PurchaseFulfilling
    let clock: @Sendable () -> Timestamp
    /// The app's user; changed by ``signIn(_:)`` and ``signOut()``.
    var user: AppUser
    private let log: any PurchaseLog

    let queue = KeyedQueue()
    /// The verified transactions by JWS. A JWS never changes, and its verification costs more than everything else here.
    var verified: [ExactString: Transaction] = [:]
    /// The deliveries that are being processed.
    var deliveries: [Int: Task<Void, Never>] = [:]
    var lastDelivery = 0
    /// The number of the last question to the store about the current entitlements, and of the last one with an answer.
    var lastQuestion = 0
    var lastAnsweredQuestion = 0
    /// The purchases for which this service has read the history although the store lists another one of the product.
    var soughtInHistory: Set<ExactString> = []
    /// The last question before each transaction was recorded in this run, by transaction id.
    var questions: [ExactString: Int] = [:]
    /// Whether this service has compacted the journal.
    var hasCompacted = false
    private var current: (productID: String, options: PurchaseOptions, task: Task<PurchaseResult, Never>)?

    /// Creates a service; it does nothing until one of its methods is called.
    ///
    /// - Parameters:
    ///   - store: The store to buy in.
    ///   - journal: The durable record of deliveries. Services that share it hand each purchase over once. Without one,
    ///     the record is lost when the process ends, and a ``PurchaseLogEvent/Kind/notDurable`` event says so.
    ///   - verifier: The verifier of everything that the store has signed.
    ///   - fulfiller: Grants what is not an entitlement, such as coins.
    ///   - account: The app's account that buys. A purchase made for another account is not granted and stays unfinished
    ///     for that account. Without an account, the owner of a purchase is not checked. ``signIn(_:)`` changes it.
    ///   - log: Receives an event for every failure and every recorded transaction.
    ///   - clock: The device's clock. Setting it back has no effect.
    public init(
        store: any Store,
        journal: (any PurchaseJournal)? = nil,
        verifier: any TransactionVerifying,
        fulfiller: any PurchaseFulfilling = NoFulfilment(),
        account: UUIDText? = nil,
        log: any PurchaseLog = SilentLog(),
        clock: @escaping @Sendable () -> Timestamp = DeviceClock.now
    ) {
        self.store = store
        self.journal = journal ?? InMemoryJournal()
        self.verifier = verifier
        self.fulfiller = fulfiller
        user = account.map { .signedIn($0.lowercased) } ?? .noAccounts
        self.log = log
        self.clock = clock
        if journal == nil {
            log.log(PurchaseLogEvent(.notDurable, detail: "no journal was given: records are lost with the process"))
        }
    }

    /// Loads the products with these ids; an id that the store does not know is left out.
    public nonisolated func products(for ids: [String]) async throws(StoreError) -> [Product] {
        try await store.products(for: ids)
    }

    /// Buys one item of a product, without an offer.
    public func purchase(productID: String) async -> PurchaseResult {
        await purchase(productID: productID, options: PurchaseOptions())
    }

    /// Buys a product with options. The service's account is added to options that name none.
    ///
    /// Concurrent callers for the same product and options share one purchase; any other call fails with
    /// ``PurchaseFlowError/Code/purchaseInProgress``. Cancelling a caller does not cancel the purchase, because the customer
    /// may already have paid.
    public func purchase(productID: String, options: PurchaseOptions) async -> PurchaseResult {
        var options = options
        options.appAccountToken = options.appAccountToken?.lowercased ?? user.account
        if let current {
            guard current.productID.isIdentical(to: productID), current.options == options else {
                return .failed(PurchaseFlowError.purchaseInProgress(current.productID))
            }
            return await current.task.value
        }
        let task = Task { [options] in
            let result = await self.buy(productID, options)
            self.current = nil
            return result
        }
        current = (productID, options, task)
        return await task.value
    }

    private func buy(_ productID: String, _ options: PurchaseOptions) async -> PurchaseResult {
        let user = user
        switch user {
        case .noAccounts: break
        case .signedOut: return .failed(PurchaseFlowError(.signedOut, "no account is signed in"))
        case .signedIn(let account):
            guard options.appAccountToken == account else {
                return .failed(PurchaseFlowError(.conflict, "the options name another account than the one signed in"))
            }
        }
        do throws(JournalError) {
            if try await ownsNonConsumable(productID) { return .success(verified: true) }
        } catch {
            // A purchase that could not be recorded is not started.
            logEvent(.journalFailed, productID, detail: error.description)
            return .failed(PurchaseFlowError(.journalUnavailable, error.message, underlying: error))
        }
        do throws(StoreError) {
            switch try await store.purchase(productID, options: options) {
            case .userCancelled: return .userCancelled
            case .pending:
                await recordPendingPurchase(productID, of: user)
                return .pending
            case .success(let transaction):
                return result(of: await ingest(transaction, from: .purchase, by: user), requested: productID)
            }
        } catch {
            if error.code == .userCancelled { return .userCancelled }
            logEvent(.storeFailed, productID, detail: error.description)
            return .failed(error)
        }
    }

    private func result(of outcome: IngestOutcome, requested productID: String) -> PurchaseResult {
        switch outcome {
        case .recorded(let transaction, _):
            guard transaction.productID.isIdentical(to: productID) else {
                return .failed(
                    PurchaseFlowError(
                        .differentProduct, "the store sold \(transaction.productID) instead of \(productID)"))
            }
            guard !transaction.isRevoked else {
                return .failed(PurchaseFlowError(.revoked, "the store has refunded the purchase"))
            }
            return .success(verified: true)
        case .unverified(let failure) where failure.code == .purchasePending: return .pending
        case .unverified: return .success(verified: false)
        case .conflict(_, let conflict):
            return .failed(PurchaseFlowError(.conflict, conflict.failure.message))
        case .notRecorded(let error):
            return .failed(PurchaseFlowError(.notRecorded, error.message, underlying: error))
        }
    }

    /// Returns whether the customer owns the product as a non-consumable, which cannot be bought twice.
    ///
    /// The store decides about every other product: consumables can be bought again, and a subscription of the same group can
    /// be an upgrade.
    private func ownsNonConsumable(_ productID: String) async throws(JournalError) -> Bool {
        try await recordedTransactions().latestVersions().contains {
            $0.type == .nonConsumable && $0.ownership == .purchased && !$0.isRevoked
                && $0.productID.isIdentical(to: productID)
        }
    }

    /// Shows a sheet of the store, such as the one to redeem an offer code. Its effect arrives as an update.
    public nonisolated func present(_ sheet: StoreSheet) async throws(StoreError) -> StoreSheetAnswer {
        try await store.present(sheet)
    }

    /// Returns a stream of purchases that the customer begins in the store, such as promoted purchases.
    ///
    /// The app makes each with ``purchase(productID:options:)``, at once or when it is ready.
    public nonisolated func purchaseIntents() -> AsyncStream<PurchaseIntent> { store.purchaseIntents() }

    func logEvent(
        _ kind: PurchaseLogEvent.Kind, _ productID: String? = nil, transactionID: String? = nil, detail: String
    ) {
        log.log(PurchaseLogEvent(kind, productID: productID, transactionID: transactionID, detail: detail))
    }
}
