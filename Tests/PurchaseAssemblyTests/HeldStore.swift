import PurchaseCore
import ReceiptTypes

/// A store whose answers a test holds back, or makes fail.
final class HeldStore: Store {
    enum Call { case entitlements, history }

    private struct State {
        var held: [Call: [AsyncStream<Void>.Continuation]] = [:]
        var asked: [Call: Int] = [:]
        var failure: StoreError?
    }

    private let base: any Store
    private let state = Locked(State())

    init(_ base: any Store) {
        self.base = base
    }

    /// Holds the answers to a call back from now on.
    func hold(_ call: Call) { state.withLock { $0.held[call] = [] } }

    /// Gives the answers to a call that were held back, and later ones at once.
    func answer(_ call: Call) {
        for waiting in state.withLock({ $0.held.removeValue(forKey: call) }) ?? [] { waiting.finish() }
    }

    /// Makes the history fail; nil ends that.
    func failHistory(_ error: StoreError?) { state.withLock { $0.failure = error } }

    /// The number of times that the store was asked.
    func count(_ call: Call) -> Int { state.withLock { $0.asked[call, default: 0] } }

    /// Returns when the store was asked so many times, or when the caller's time limit has cancelled it.
    func wasAsked(_ call: Call, times: Int = 1) async {
        while count(call) < times, !Task.isCancelled { await Task.yield() }
    }

    private func arrive(_ call: Call) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let isHeld = state.withLock { state in
            state.asked[call, default: 0] += 1
            guard state.held[call] != nil else { return false }
            state.held[call]?.append(continuation)
            return true
        }
        if isHeld { for await _ in stream {} }
    }

    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        await arrive(.entitlements)
        return try await base.currentEntitlements()
    }

    func history() async throws(StoreError) -> [SignedTransaction] {
        await arrive(.history)
        if let failure = state.withLock(\.failure) { throw failure }
        return try await base.history()
    }

    func products(for ids: [String]) async throws(StoreError) -> [Product] { try await base.products(for: ids) }

    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        try await base.purchase(productID, options: options)
    }

    func updates() -> AsyncStream<StoreUpdate> { base.updates() }

    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
        try await base.unfinishedTransactions()
    }

    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
        try await base.subscriptionStatuses()
    }

    func finish(transactionID: String) async throws(StoreError) { try await base.finish(transactionID: transactionID) }

    func synchronize() async throws(StoreError) { try await base.synchronize() }
}
