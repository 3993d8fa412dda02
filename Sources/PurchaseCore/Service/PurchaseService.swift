public import ReceiptTypes

/// Buys in a store, takes in what it delivers, and remembers it.
///
/// A purchase's own result, an update, a restored transaction and one that was left unfinished all go the same way: noted,
/// verified, recorded, granted, and only then finished. Each step is durable before the next begins, so that the process
/// may end between any two of them; the next start goes on where this one stopped.
///
/// ```swift
/// let service = PurchaseService(store: store, journal: journal, verifier: ReceiptVerifier(policy: policy), clock: clock)
/// let result = await service.purchase(productID: "com.example.pro.yearly")
/// ```
public actor PurchaseService: PurchaseServicing {
    let store: any Store
    let journal: any PurchaseJournal
    let verifier: any TransactionVerifying
    let fulfiller: any PurchaseFulfilling
    let log: any PurchaseLog
    let clock: @Sendable () -> Timestamp
    /// The account of the app that is signed in; nil where the app has none.
    let account: UUIDText?

    let queue = KeyedQueue()
    /// What was verified, by its text: a text never changes, and verifying it costs more than all the rest.
    var verified: [ExactText: Transaction] = [:]
    /// What is under way for the store's deliveries.
    var deliveries: [Int: Task<Void, Never>] = [:]
    var lastDelivery = 0
    private var current: (productID: String, task: Task<PurchaseResult, Never>)?

    /// Makes a service; it does nothing until it is asked to.
    ///
    /// - Parameters:
    ///   - account: The account of the app that buys. What was bought for another one is not granted, and stays
    ///     unfinished for it. Without an account, whose a purchase is makes no difference.
    ///   - clock: The device's clock. It is not believed when it goes backward.
    public init(
        store: any Store,
        journal: any PurchaseJournal,
        verifier: any TransactionVerifying,
        fulfiller: any PurchaseFulfilling = NoFulfilment(),
        account: UUIDText? = nil,
        log: any PurchaseLog = SilentLog(),
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.journal = journal
        self.verifier = verifier
        self.fulfiller = fulfiller
        self.account = account?.inLowerCase
        self.log = log
        self.clock = clock
    }

    /// Loads the products that the store knows among the ids.
    public nonisolated func products(for ids: [String]) async throws(StoreError) -> [Product] {
        try await store.products(for: ids)
    }

    /// Buys a product.
    ///
    /// Who asks for the same product meanwhile gets the same result, and another product is refused. Whoever stops
    /// waiting does not stop the purchase: the customer may have paid already.
    public func purchase(productID: String) async -> PurchaseResult {
        if let current {
            guard current.productID.isIdentical(to: productID) else {
                return .failed(PurchaseFlowError.purchaseInProgress(current.productID))
            }
            return await current.task.value
        }
        let task = Task {
            let result = await self.buy(productID)
            self.current = nil
            return result
        }
        current = (productID, task)
        return await task.value
    }

    private func buy(_ productID: String) async -> PurchaseResult {
        do throws(JournalError) {
            if try await ownsForEver(productID) { return .success(verified: true) }
        } catch {
            // Nothing is bought that could not be written down.
            note(.journalFailed, productID, detail: error.description)
            return .failed(PurchaseFlowError(.journalUnavailable, error.message, underlying: error))
        }
        do throws(StoreError) {
            switch try await store.purchase(productID, options: PurchaseOptions(appAccountToken: account)) {
            case .userCancelled: return .userCancelled
            case .pending:
                await noteApprovalPending(productID)
                return .pending
            case .success(let transaction):
                return result(of: await ingest(transaction, from: .purchase), askedFor: productID)
            }
        } catch {
            if error.code == .userCancelled { return .userCancelled }
            note(.storeFailed, productID, detail: error.description)
            return .failed(error)
        }
    }

    private func result(of outcome: IngestOutcome, askedFor productID: String) -> PurchaseResult {
        switch outcome {
        case .recorded(let transaction, _):
            guard transaction.productID.isIdentical(to: productID) else {
                return .failed(
                    PurchaseFlowError(.differentProduct, "the store has sold \(transaction.productID)"))
            }
            guard !transaction.isRevoked else {
                return .failed(PurchaseFlowError(.revoked, "the store has paid the purchase back"))
            }
            return .success(verified: true)
        case .refused: return .success(verified: false)
        case .conflict(_, let conflict):
            return .failed(PurchaseFlowError(.conflict, conflict.rawValue))
        case .notRecorded(let error):
            return .failed(PurchaseFlowError(.notRecorded, error.message, underlying: error))
        }
    }

    /// Whether the product is one that is bought once, and was. Everything else the store decides: consumables are bought
    /// again, and a subscription of the same group may be an upgrade.
    private func ownsForEver(_ productID: String) async throws(JournalError) -> Bool {
        try await recordedTransactions().latestVersions().contains {
            $0.type == .nonConsumable && $0.ownership == .purchased && !$0.isRevoked
                && $0.productID.isIdentical(to: productID)
        }
    }

    func note(
        _ kind: PurchaseLogEvent.Kind, _ productID: String? = nil, transactionID: String? = nil, detail: String
    ) {
        log.note(PurchaseLogEvent(kind, productID: productID, transactionID: transactionID, detail: detail))
    }
}
