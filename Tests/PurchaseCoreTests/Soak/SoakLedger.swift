import PurchaseCore
import ReceiptTypes

/// A ledger whose calls can hang or fail.
struct SoakLedger: PurchaseLedger {
    let base: CrashingLedger
    let disturbances: Disturbances

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        try await disturbed { base throws(JournalError) in try await base.transact(step, body) }
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        try await disturbed { base throws(JournalError) in try await base.read(step, body) }
    }

    private func disturbed<Value>(
        _ call: (CrashingLedger) async throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        try await disturbances.call(.journal, orThrow: JournalError(.notWritten, "the disk is full")) {
            () async throws(JournalError) -> Value in try await call(base)
        }
    }
}
