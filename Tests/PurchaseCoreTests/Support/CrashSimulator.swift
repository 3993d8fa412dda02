import PurchaseCore
import ReceiptTypes

/// Ends a simulated process at a chosen step: from that step on, every call throws and has no effect.
actor CrashSimulator {
    private let crashingAt: Int
    private(set) var steps: [String] = []
    private(set) var hasCrashed = false
    private var isLedgerBroken = false
    private var interruptions: [String: @Sendable () async -> Void] = [:]

    /// Whether every step lets other tasks run before it returns.
    private nonisolated let yields: Bool

    init(crashingAt step: Int, yields: Bool = false) {
        crashingAt = step
        self.yields = yields
    }

    struct Crash: Error {}

    /// Ends the process now.
    func crash() { hasCrashed = true }

    /// Passes the boundary between two steps, or ends the process there.
    func pass(_ boundary: String) throws(Crash) {
        if hasCrashed { throw Crash() }
        steps.append(boundary)
        guard steps.count <= crashingAt else {
            hasCrashed = true
            throw Crash()
        }
    }

    /// The violations of the order of steps.
    private(set) var violations: [String] = []
    func recordViolation(_ violation: String) { violations.append(violation) }

    /// Runs something before the next call of a step, such as another process that is faster.
    func interrupt(before name: String, _ body: @escaping @Sendable () async -> Void) { interruptions[name] = body }
    private func takeInterruption(before name: String) -> (@Sendable () async -> Void)? {
        interruptions.removeValue(forKey: name)
    }

    func setLedgerBroken(_ isBroken: Bool) { isLedgerBroken = isBroken }

    private var ledgerCalls = 0
    private var failingLedgerCall: Int?
    /// The name of the ledger call that has failed alone.
    private(set) var failedLedgerCall: LedgerStep?

    /// Makes one call of the ledger fail; the number of the first call is 1.
    func failLedger(atCall number: Int) { failingLedgerCall = number }

    private var failingLedgerCalls: [LedgerStep: Int] = [:]
    private var ledgerGates: [LedgerStep: Gate] = [:]

    /// Makes the next calls of a kind fail.
    func failLedger(_ step: LedgerStep, count: Int = 1) { failingLedgerCalls[step] = count }

    /// Makes the calls of a kind wait at a gate; nil ends that for later calls.
    func holdLedger(_ step: LedgerStep, at gate: Gate?) { ledgerGates[step] = gate }

    func requireLedger(_ step: LedgerStep) async throws(LedgerError) {
        await ledgerGates[step]?.pass()
        ledgerCalls += 1
        if ledgerCalls == failingLedgerCall { failedLedgerCall = step }
        let failing = failingLedgerCalls[step] ?? 0
        if failing > 0 { failingLedgerCalls[step] = failing - 1 }
        if isLedgerBroken || failing > 0 || ledgerCalls == failingLedgerCall {
            throw LedgerError(.notWritten, "the disk is full")
        }
    }

    /// Runs a step between two boundaries.
    nonisolated func run<Value: Sendable>(
        _ name: String, _ body: () async throws -> Value
    ) async throws -> Value {
        try await pass("before \(name)")
        await takeInterruption(before: name)?()
        let value = try await body()
        if yields { for _ in 0..<20 { await Task.yield() } }
        try await pass("after \(name)")
        return value
    }
}

/// A ledger that crashes with the simulated process.
struct CrashingLedger: PurchaseLedger {
    let base: InMemoryLedger
    let simulator: CrashSimulator

    init(_ base: InMemoryLedger, _ simulator: CrashSimulator) {
        self.base = base
        self.simulator = simulator
    }

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await run(step) { try await base.transact(step, body) }
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await run(step) { try await base.read(step, body) }
    }

    private func run<Value: Sendable>(
        _ step: LedgerStep, _ body: () async throws -> Value
    ) async throws(LedgerError) -> Value {
        try await simulator.requireLedger(step)
        do {
            return try await simulator.run("ledger.\(step)", body)
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerError(.notWritten, "crash")
        }
    }
}

/// A store whose calls crash with the simulated process; the store itself survives.
struct CrashingStore: Store {
    let base: any Store
    let simulator: CrashSimulator
    let ledger: InMemoryLedger

    private func run<Value: Sendable>(
        _ name: String, _ body: () async throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await simulator.run("store.\(name)", body)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.system, "crash")
        }
    }

    func products(for ids: [String]) async throws(StoreError) -> [Product] {
        try await run("products") { try await base.products(for: ids) }
    }
    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        try await run("purchase") { try await base.purchase(productID, options: options) }
    }
    func updates() -> AsyncStream<StoreUpdate> { base.updates() }
    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
        try await run("unfinished") { try await base.unfinishedTransactions() }
    }
    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        try await run("entitlements") { try await base.currentEntitlements() }
    }
    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
        try await run("statuses") { try await base.subscriptionStatuses() }
    }
    func history() async throws(StoreError) -> [SignedTransaction] {
        try await run("history") { try await base.history() }
    }
    func finish(transactionID: String) async throws(StoreError) {
        try await run("finish") {
            let isGranted = try await ledger.entries().contains {
                $0.transaction.transactionID == transactionID && $0.stage >= .granted
            }
            if !isGranted { await simulator.recordViolation("\(transactionID) was finished before it was granted") }
            try await base.finish(transactionID: transactionID)
        }
    }
    func synchronize() async throws(StoreError) {
        try await run("synchronize") { try await base.synchronize() }
    }
    func present(_ sheet: StoreSheet) async throws(StoreError) -> StoreSheetAnswer {
        try await run("present") { try await base.present(sheet) }
    }
    func purchaseIntents() -> AsyncStream<PurchaseIntent> { base.purchaseIntents() }
}

/// A fulfiller whose calls crash with the simulated process.
struct CrashingFulfiller: PurchaseFulfilling {
    let base: FulfilmentRecorder
    let simulator: CrashSimulator

    func fulfil(_ order: FulfilmentOrder) async throws {
        try await simulator.run("fulfiller.fulfil") { try await base.fulfil(order) }
    }
}
