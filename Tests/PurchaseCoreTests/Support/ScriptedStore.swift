import PurchaseCore
import ReceiptTypes

/// A store in memory with scripted answers. It survives the service, as a real store survives a process.
actor ScriptedStore: Store {
    nonisolated let verifier: ScriptedVerifier
    private(set) var sales: [String] = []
    private(set) var finished: [String] = []
    private(set) var unfinished: [SignedTransaction] = []
    private(set) var past: [String: SignedTransaction] = [:]
    private var order: [String] = []
    private(set) var entitled: [String: SignedTransaction] = [:]
    private var statuses: [SignedSubscriptionStatus] = []
    private(set) var entitlementRequests = 0
    private(set) var historyRequests = 0
    private var entitlementGate: Gate?
    private(set) var productRequests: [[String]] = []
    private var answers: [String: Result<StorePurchase, StoreError>] = [:]
    private var failure: StoreError?
    private var finishFailure: StoreError?
    private var purchaseGate: Gate?
    private var lastNumber = 0
    private nonisolated let broadcaster = UpdateBroadcaster()
    private(set) var purchaseOptions: [PurchaseOptions] = []

    init(verifier: ScriptedVerifier = ScriptedVerifier()) {
        self.verifier = verifier
    }

    // MARK: Scripting

    func answer(_ productID: String, _ answer: Result<StorePurchase, StoreError>?) { answers[productID] = answer }
    func fail(_ error: StoreError?) { failure = error }
    func failToFinish(_ error: StoreError?) { finishFailure = error }
    func hold(_ gate: Gate?) { purchaseGate = gate }
    func setStatuses(_ statuses: [SignedSubscriptionStatus]) { self.statuses = statuses }
    func setEntitled(_ transactions: [SignedTransaction]) {
        entitled = Dictionary(transactions.map { ($0.productID, $0) }, uniquingKeysWith: { $1 })
    }
    func holdEntitlements(_ gate: Gate?) { entitlementGate = gate }

    /// Switches to a customer without purchases.
    func switchCustomer() {
        entitled = [:]
        past = [:]
        order = []
        unfinished = []
        statuses = []
    }

    func remember(_ transaction: SignedTransaction) {
        if past[transaction.transactionID] == nil { order.append(transaction.transactionID) }
        past[transaction.transactionID] = transaction
    }

    /// Delivers a transaction as an update, and lists it as unfinished until it is finished.
    func deliver(_ transaction: SignedTransaction) {
        unfinished.removeAll { $0.transactionID == transaction.transactionID }
        unfinished.append(transaction)
        remember(transaction)
        broadcaster.send(.transaction(transaction))
    }

    nonisolated func send(_ update: StoreUpdate) { broadcaster.send(update) }
    nonisolated func endUpdates() { broadcaster.end() }

    // MARK: Store

    func products(for ids: [String]) throws(StoreError) -> [Product] {
        productRequests.append(ids)
        if let failure { throw failure }
        return ids.filter { !$0.hasPrefix("unknown") }.map { Sample.product($0) }.reversed()
    }

    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        purchaseOptions.append(options)
        await purchaseGate?.pass()
        if let failure { throw failure }
        if let answer = answers[productID] { return try answer.get() }
        lastNumber += 1
        sales.append(productID)
        let transaction = verifier.sign(
            Sample.payload("sale-\(lastNumber)", productID) { $0.appAccountToken = options.appAccountToken })
        unfinished.append(transaction)
        remember(transaction)
        if Sample.type(of: productID) != .consumable { entitled[productID] = transaction }
        return .success(transaction)
    }

    nonisolated func updates() -> AsyncStream<StoreUpdate> { broadcaster.stream() }

    func unfinishedTransactions() throws(StoreError) -> [SignedTransaction] {
        if let failure { throw failure }
        return unfinished
    }

    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        entitlementRequests += 1
        if let failure { throw failure }
        let answer = entitled.sorted { $0.key < $1.key }.map(\.value)
        await entitlementGate?.pass()
        return answer
    }

    func subscriptionStatuses() throws(StoreError) -> [SignedSubscriptionStatus] {
        if let failure { throw failure }
        return statuses
    }

    func history() throws(StoreError) -> [SignedTransaction] {
        historyRequests += 1
        if let failure { throw failure }
        return order.compactMap { past[$0] }
    }

    func finish(transactionID: String) throws(StoreError) {
        if let finishFailure { throw finishFailure }
        if let failure { throw failure }
        finished.append(transactionID)
        unfinished.removeAll { $0.transactionID == transactionID }
    }

    func synchronize() throws(StoreError) {
        if let failure { throw failure }
    }
}
