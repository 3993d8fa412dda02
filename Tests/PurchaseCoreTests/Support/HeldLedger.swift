import PurchaseCore
import ReceiptTypes

/// A ledger whose reads of purchases a test can hold or make fail.
struct HeldLedger: PurchaseLedger {
    let base: any PurchaseLedger
    private let state = Locked<(gate: Gate?, error: LedgerError?)>((nil, nil))

    init(base: any PurchaseLedger) {
        self.base = base
    }

    /// Makes each read wait at a gate.
    func holdReads(_ gate: Gate?) { state.withLock { $0.gate = gate } }
    /// Makes each read fail; nil ends that.
    func failReads(_ error: LedgerError?) { state.withLock { $0.error = error } }

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await base.transact(step, body)
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let (gate, error) = state.withLock { $0 }
        await gate?.pass()
        if let error { throw error }
        return try await base.read(step, body)
    }

    func changes() -> AsyncStream<Void> { base.changes() }
}
