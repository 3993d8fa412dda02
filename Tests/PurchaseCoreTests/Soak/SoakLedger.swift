import PurchaseCore
import ReceiptTypes

/// A ledger whose calls can hang or fail.
struct SoakLedger: PurchaseLedger {
    let base: CrashingLedger
    let disturbances: Disturbances

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await disturbed { base throws(LedgerError) in try await base.transact(step, body) }
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await disturbed { base throws(LedgerError) in try await base.read(step, body) }
    }

    private func disturbed<Value>(
        _ call: (CrashingLedger) async throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await disturbances.call(.ledger, orThrow: LedgerError(.notWritten, "the disk is full")) {
            () async throws(LedgerError) -> Value in try await call(base)
        }
    }
}
