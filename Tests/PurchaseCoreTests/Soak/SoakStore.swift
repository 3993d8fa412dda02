import LocalStore
import PurchaseCore
import ReceiptTypes

@testable import ReceiptVerification

/// One call of a purchase by the app. The store learns from the task which call has asked it to sell.
final class PurchaseCall: Sendable {
    @TaskLocal static var current: PurchaseCall?

    private let sales = Locked(0)

    /// Makes a call; every task that it starts belongs to it.
    static func make(_ body: @escaping @Sendable () async -> Void) async {
        await $current.withValue(PurchaseCall()) { await body() }
    }

    /// Counts a sale, and returns the number of sales of the call so far.
    func countSale() -> Int {
        sales.withLock { sales in
            sales += 1
            return sales
        }
    }
}

/// A simulated store that keeps its commands, so that a second store can run the same ones.
actor RecordedStore {
    struct Command: Sendable {
        let name: String
        let run: @Sendable (inout SimulatorEngine) throws -> Void
    }

    nonisolated let simulator: StoreSimulator
    private(set) var commands: [Command] = []
    /// The sales that no call of a purchase can have asked for, such as the second one of a call.
    private(set) var excessSales: [String] = []

    init(seed: UInt64, signer: SimulatorSigner) {
        var settings = StoreSettings()
        settings.isGracePeriodEnabled = seed.isMultiple(of: 2)
        simulator = StoreSimulator(
            configuration: StoreConfiguration(products: SimulatedPlatform.products), signer: signer,
            state: SimulatorState(
                seed: seed, now: Sample.at(0), app: SimulatedApp(bundleID: "com.example.app"), settings: settings,
                accounts: ["one", "two"]))
    }

    /// Runs a command; one that the store rejects has no effect, here and in the second store.
    func run(_ command: Command) {
        commands.append(command)
        try? simulator.perform { try command.run(&$0) }
    }

    func buy(
        _ productID: String, _ options: PurchaseOptions, on device: StoreSimulator.Customer
    ) async throws(StoreError) -> StorePurchase {
        let order = PurchaseOrder(quantity: options.quantity, appAccountToken: options.appAccountToken)
        commands.append(
            Command(name: "\(device.account) buys \(productID)") { [account = device.account] engine in
                _ = try engine.buy(productID, for: account, order)
            })
        let before = orderCount
        defer { if orderCount > before { countSale(of: productID) } }
        // It runs on this actor and does not suspend, so the commands are kept in the order of their effects, and every
        // new order is one of this purchase.
        return try await device.purchase(productID, options: options)
    }

    /// The number of sales, renewals, and purchases that await an approval.
    private var orderCount: Int {
        let state = simulator.state
        return state.transactions.count + state.pending.count
    }

    /// Counts a sale, or a purchase that will be one when it is approved.
    private func countSale(of productID: String) {
        guard let call = PurchaseCall.current else {
            excessSales.append("\(productID) was sold without a call")
            return
        }
        let count = call.countSale()
        if count > 1 { excessSales.append("\(productID) was sold as sale \(count) of one call") }
    }
}

/// The store as one process of the app sees it: calls can hang or fail, and the customer of the store can change.
final class SoakStore: Store {
    private struct State {
        var customer: StoreSimulator.Customer
        var streams: [AsyncStream<StoreUpdate>.Continuation] = []
        var forwarding: [Task<Void, Never>] = []
    }

    private static let offline = StoreError(.network, "the store cannot be reached")

    private let server: RecordedStore
    private let disturbances: Disturbances
    /// The customer that is signed in to the store on the device.
    private let account: Locked<String>
    private let state: Locked<State>

    init(_ server: RecordedStore, account: Locked<String>, _ disturbances: Disturbances) {
        self.server = server
        self.disturbances = disturbances
        self.account = account
        state = Locked(State(customer: server.simulator.customer(account.withLock { $0 })))
    }

    /// The store for the customer that is signed in now; open streams continue with the updates of that customer.
    private var customer: StoreSimulator.Customer {
        let account = account.withLock { $0 }
        return state.withLock { state in
            if state.customer.account != account {
                let customer = server.simulator.customer(account)
                state.customer = customer
                state.forwarding += state.streams.map { Self.forward(customer, to: $0) }
            }
            return state.customer
        }
    }

    private static func forward(
        _ customer: StoreSimulator.Customer, to stream: AsyncStream<StoreUpdate>.Continuation
    ) -> Task<Void, Never> {
        let updates = customer.updates()
        return Task { for await update in updates { stream.yield(update) } }
    }

    /// Ends the streams of updates, which first get what the store has sent.
    func end() async {
        let (streams, forwarding) = state.withLock { state in
            defer { (state.streams, state.forwarding) = ([], []) }
            return (state.streams, state.forwarding)
        }
        for task in forwarding {
            task.cancel()
            await task.value
        }
        for stream in streams { stream.finish() }
    }

    private func call<Value>(
        _ call: DisturbedCall, _ body: (StoreSimulator.Customer) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await disturbances.call(call, orThrow: Self.offline) { () async throws(StoreError) -> Value in
            try await body(customer)
        }
    }

    func products(for ids: [String]) async throws(StoreError) -> [Product] {
        try await call(.products) { store throws(StoreError) in try await store.products(for: ids) }
    }
    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        try await call(.purchase) { store throws(StoreError) in
            try await server.buy(productID, options, on: store)
        }
    }
    func updates() -> AsyncStream<StoreUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreUpdate.self)
        let customer = customer
        state.withLock { state in
            state.streams.append(continuation)
            state.forwarding.append(Self.forward(customer, to: continuation))
        }
        return stream
    }
    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
        try await call(.unfinished) { store throws(StoreError) in try await store.unfinishedTransactions() }
    }
    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        try await call(.entitlements) { store throws(StoreError) in try await store.currentEntitlements() }
    }
    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
        try await call(.statuses) { store throws(StoreError) in try await store.subscriptionStatuses() }
    }
    func history() async throws(StoreError) -> [SignedTransaction] {
        try await call(.history) { store throws(StoreError) in try await store.history() }
    }
    func finish(transactionID: String) async throws(StoreError) {
        try await call(.finish) { store throws(StoreError) in try await store.finish(transactionID: transactionID) }
    }
    func synchronize() async throws(StoreError) {
        try await call(.synchronize) { store throws(StoreError) in try await store.synchronize() }
    }
}
