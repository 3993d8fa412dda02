import PurchaseCore
import PurchaseStorage
import ReceiptTypes

/// A ledger whose records of purchases a test can make fail.
struct FailingLedger: PurchaseLedger {
    private struct State {
        var write, read: DatabaseError?
        var hangs = false
    }

    private let base: DatabaseLedger
    private let state = Locked(State())

    init(_ base: DatabaseLedger) {
        self.base = base
    }

    /// Makes it fail to record and to change purchases; nil ends that.
    func failWrites(_ error: DatabaseError?) { state.withLock { $0.write = error } }
    /// Makes it fail to read purchases; nil ends that.
    func failReads(_ error: DatabaseError?) { state.withLock { $0.read = error } }
    /// Makes a read of purchases hang until its caller is cancelled.
    func hangReads(_ hangs: Bool) { state.withLock { $0.hangs = hangs } }

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        if [.record, .changePurchase].contains(step), let error = state.withLock({ $0.write }) {
            throw LedgerError(.notWritten, error.message, underlying: error)
        }
        return try await base.transact(step, body)
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        if step == .readPurchases {
            if state.withLock({ $0.hangs }) { for await _ in AsyncStream<Void>.makeStream().stream {} }
            if let error = state.withLock({ $0.read }) {
                throw LedgerError(.notReadable, error.message, underlying: error)
            }
        }
        return try await base.read(step, body)
    }

    func changes() -> AsyncStream<Void> { base.changes() }
}
