import PurchaseCore
import ReceiptTypes

/// A store in memory with scripted answers. It survives the service, as a real store survives a process.
actor ScriptedStore: Store {
    enum Call: CaseIterable {
        case products, purchase, unfinished, entitlements, statuses, history, finish, synchronize
    }

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
    private var gates: [Call: Gate] = [:]
    /// The number of calls of each kind.
    private(set) var requests: [Call: Int] = [:]
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
    /// Makes a call wait at a gate, before it has any effect; nil ends that for later calls.
    func hold(_ gate: Gate?, at call: Call = .purchase) { gates[call] = gate }
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
    nonisolated var streamCount: Int { broadcaster.streamCount }
    nonisolated func endUpdates() { broadcaster.end() }

    private func arrive(_ call: Call) async {
        requests[call, default: 0] += 1
        await gates[call]?.pass()
    }

    // MARK: Store

    func products(for ids: [String]) async throws(StoreError) -> [Product] {
        await arrive(.products)
        productRequests.append(ids)
        if let failure { throw failure }
        return ids.filter { !$0.hasPrefix("unknown") }.map { Sample.product($0) }.reversed()
    }

    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        purchaseOptions.append(options)
        await arrive(.purchase)
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

    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
        await arrive(.unfinished)
        if let failure { throw failure }
        return unfinished
    }

    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        await arrive(.entitlements)
        entitlementRequests += 1
        if let failure { throw failure }
        let answer = entitled.sorted { $0.key < $1.key }.map(\.value)
        await entitlementGate?.pass()
        return answer
    }

    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
        await arrive(.statuses)
        if let failure { throw failure }
        return statuses
    }

    func history() async throws(StoreError) -> [SignedTransaction] {
        await arrive(.history)
        historyRequests += 1
        if let failure { throw failure }
        return order.compactMap { past[$0] }
    }

    func finish(transactionID: String) async throws(StoreError) {
        await arrive(.finish)
        if let finishFailure { throw finishFailure }
        if let failure { throw failure }
        finished.append(transactionID)
        unfinished.removeAll { $0.transactionID == transactionID }
    }

    func synchronize() async throws(StoreError) {
        await arrive(.synchronize)
        if let failure { throw failure }
    }
}
