import PurchaseCore
import ReceiptTypes

/// Ends a simulated process at a chosen step: from that step on, every call throws and has no effect.
actor CrashSimulator {
    private let crashingAt: Int
    private(set) var steps: [String] = []
    private(set) var hasCrashed = false
    private var isJournalBroken = false
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

    func setJournalBroken(_ isBroken: Bool) { isJournalBroken = isBroken }

    private var journalCalls = 0
    private var failingJournalCall: Int?
    /// The name of the journal call that has failed alone.
    private(set) var failedJournalCall: String?

    /// Makes one call of the journal fail; the number of the first call is 1.
    func failJournal(atCall number: Int) { failingJournalCall = number }

    private var failingJournalCalls: [String: Int] = [:]
    private var journalGates: [String: Gate] = [:]

    /// Makes the next calls of a kind fail.
    func failJournal(_ name: String, count: Int = 1) { failingJournalCalls[name] = count }

    /// Makes the calls of a kind wait at a gate; nil ends that for later calls.
    func holdJournal(_ name: String, at gate: Gate?) { journalGates[name] = gate }

    func requireJournal(_ name: String) async throws(JournalError) {
        await journalGates[name]?.pass()
        journalCalls += 1
        if journalCalls == failingJournalCall { failedJournalCall = name }
        let failing = failingJournalCalls[name] ?? 0
        if failing > 0 { failingJournalCalls[name] = failing - 1 }
        if isJournalBroken || failing > 0 || journalCalls == failingJournalCall {
            throw JournalError(.notWritten, "the disk is full")
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

/// A journal that crashes with the simulated process.
struct CrashingJournal: PurchaseJournal {
    let base: InMemoryJournal
    let simulator: CrashSimulator

    init(_ base: InMemoryJournal, _ simulator: CrashSimulator) {
        self.base = base
        self.simulator = simulator
    }

    private func run<Value: Sendable>(
        _ name: String, _ body: () async throws -> Value
    ) async throws(JournalError) -> Value {
        try await simulator.requireJournal(name)
        do {
            return try await simulator.run("journal.\(name)", body)
        } catch let error as JournalError {
            throw error
        } catch {
            throw JournalError(.notWritten, "crash")
        }
    }

    func observe(
        _ transaction: SignedTransaction, from source: DeliverySource, at now: Timestamp
    ) async throws(JournalError) -> JournalEntry {
        try await run("observe") { await base.observe(transaction, from: source, at: now) }
    }
    func markVerified(_ transaction: Transaction, signedText: String) async throws(JournalError) -> JournalEntry {
        try await run("markVerified") { try await base.markVerified(transaction, signedText: signedText) }
    }
    func quarantine(signedText: String, because code: VerificationFailure.Code) async throws(JournalError) {
        try await run("quarantine") { try await base.quarantine(signedText: signedText, because: code) }
    }
    func record(
        _ transaction: Transaction, signedText: String, for account: UUIDText?
    ) async throws(JournalError) -> RecordOutcome {
        try await run("record") { try await base.record(transaction, signedText: signedText, for: account) }
    }
    func claimFulfilment(
        of key: PurchaseKey, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        try await run("claimFulfilment") { try await base.claimFulfilment(of: key, from: now, until: end) }
    }
    func release(_ claim: FulfilmentClaim) async throws(JournalError) {
        try await run("release") { try await base.release(claim) }
    }
    func compact() async throws(JournalError) {
        try await run("compact") { try await base.compact() }
    }
    func renew(
        _ claim: FulfilmentClaim, from now: Timestamp, until end: Timestamp
    ) async throws(JournalError) -> FulfilmentClaim? {
        try await run("renew") { try await base.renew(claim, from: now, until: end) }
    }
    func markGranted(
        signedText: String, _ fulfilment: FulfilledAmount, under claim: FulfilmentClaim
    ) async throws(JournalError) {
        try await run("markGranted") { try await base.markGranted(signedText: signedText, fulfilment, under: claim) }
    }
    func markFinished(signedText: String) async throws(JournalError) {
        try await run("markFinished") { try await base.markFinished(signedText: signedText) }
    }
    func entries() async throws(JournalError) -> [JournalEntry] {
        try await run("entries") { await base.entries() }
    }
    func recordedEntries(of key: PurchaseKey) async throws(JournalError) -> [JournalEntry] {
        try await run("recordedEntries") { await base.recordedEntries(of: key) }
    }
    func fulfilment(of key: PurchaseKey) async throws(JournalError) -> FulfilledAmount? {
        try await run("fulfilment") { await base.fulfilment(of: key) }
    }
    func record(_ renewalInfo: RenewalInfo, jws: String) async throws(JournalError) {
        try await run("recordRenewal") { await base.record(renewalInfo, jws: jws) }
    }
    func renewalInfos() async throws(JournalError) -> [String] {
        try await run("renewalInfos") { await base.renewalInfos() }
    }
    func memory() async throws(JournalError) -> JournalMemory {
        try await run("memory") { await base.memory() }
    }
    func updateMemory(
        _ change: @Sendable (inout JournalMemory) -> Void
    ) async throws(JournalError) -> JournalMemory {
        try await run("updateMemory") { await base.updateMemory(change) }
    }
}

/// A store whose calls crash with the simulated process; the store itself survives.
struct CrashingStore: Store {
    let base: any Store
    let simulator: CrashSimulator
    let journal: InMemoryJournal

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
            let isGranted = await journal.entries().contains {
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
