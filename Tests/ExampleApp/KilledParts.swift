import Foundation
import LocalStore
import PurchaseCore
import ReceiptTypes

/// Counts steps, and ends the process before one of them.
///
/// The end is a signal that kills the process, or, in a test that goes on, an error of every call from then on: what
/// was not written by then is never written.
final class KillSwitch: Sendable {
    private struct State {
        var count = 0
        var last: Int
    }

    private let state: Locked<State>
    private let killsProcess: Bool

    init(_ step: Int, killsProcess: Bool = true) {
        state = Locked(State(last: step))
        self.killsProcess = killsProcess
    }

    var passed: Int { state.withLock { $0.count } }

    /// Ends the process at a step from now on: 1 is the next one.
    func kill(at step: Int) { state.withLock { $0.last = $0.count + step } }

    /// Counts a step, and returns whether the process goes on.
    private func pass(_ name: String) -> Bool {
        let (step, last) = state.withLock { state in
            state.count += 1
            return (state.count, state.last)
        }
        guard killsProcess else { return last == 0 || step < last }
        guard step == last else { return true }
        // Not print, which keeps lines in a buffer.
        FileHandle.standardOutput.write(Data("killed \(name)\n".utf8))
        _ = Foundation.kill(getpid(), SIGKILL)
        return false
    }

    /// Runs a call with a step before and after it; `error` is thrown once the process has ended.
    func around<Value, Failure: Error>(
        _ name: String, orThrow error: @autoclosure () -> Failure, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard pass("before \(name)") else { throw error() }
        let value = try await body()
        guard pass("after \(name)") else { throw error() }
        return value
    }
}

/// The error of a call in a process that has ended.
struct Killed: Error {}

/// A fulfiller that writes each order to a file once.
struct Ledger: PurchaseFulfilling {
    let path: String
    let kill: KillSwitch

    func fulfil(_ order: FulfilmentOrder) async throws {
        try await kill.around("fulfil", orThrow: Killed() as any Error) { () async throws in
            let line = "\(order.transaction.productID) \(order.key) \(order.quantity)"
            guard try !lines().contains(line) else { return }
            try Data(((try lines() + [line]).joined(separator: "\n")).utf8)
                .write(to: URL(fileURLWithPath: path), options: .atomic)
        }
    }

    /// The products and quantities of all orders.
    func orders() throws -> [String] {
        try lines().map { line in
            let words = line.split(separator: " ")
            return "\(words.first ?? "") \(words.last ?? "")"
        }.sorted()
    }

    private func lines() throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}

/// A store with a step before and after each call, which remembers its sales when the process is killed.
struct KilledStore: Store {
    let base: any Store
    /// Writes the state of the store; nil if the store outlives the app.
    let saving: (@Sendable () throws(StoreSimulatorError) -> Void)?
    let kill: KillSwitch

    private func run<Value>(
        _ name: String, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await kill.around(name, orThrow: StoreError(.network, "killed"), body)
    }

    private func save() throws(StoreError) {
        do throws(StoreSimulatorError) {
            try saving?()
        } catch {
            throw StoreError(.system, "\(error)", underlying: error)
        }
    }

    func products(for ids: [String]) async throws(StoreError) -> [Product] {
        try await run("products") { () async throws(StoreError) in try await base.products(for: ids) }
    }

    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        try await run("purchase") { () async throws(StoreError) in
            let answer = try await base.purchase(productID, options: options)
            try save()
            return answer
        }
    }

    func updates() -> AsyncStream<StoreUpdate> { base.updates() }

    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
        try await run("unfinished") { () async throws(StoreError) in try await base.unfinishedTransactions() }
    }

    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        try await run("entitlements") { () async throws(StoreError) in try await base.currentEntitlements() }
    }

    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
        try await run("statuses") { () async throws(StoreError) in try await base.subscriptionStatuses() }
    }

    func history() async throws(StoreError) -> [SignedTransaction] {
        try await run("history") { () async throws(StoreError) in try await base.history() }
    }

    func finish(transactionID: String) async throws(StoreError) {
        try await run("finish") { () async throws(StoreError) in
            try await base.finish(transactionID: transactionID)
            try save()
        }
    }

    func synchronize() async throws(StoreError) {
        try await run("synchronize") { () async throws(StoreError) in try await base.synchronize() }
    }
}
