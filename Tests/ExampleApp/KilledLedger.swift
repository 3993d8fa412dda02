import PurchaseCore
import ReceiptTypes

/// A ledger with a step before and after each transaction.
struct KilledLedger: PurchaseLedger {
    let base: any PurchaseLedger
    let kill: KillSwitch

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await kill.around("ledger.\(step)", orThrow: LedgerError(.notWritten, "killed")) {
            () async throws(LedgerError) in try await base.transact(step, body)
        }
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await base.read(step, body)
    }

    func changes() -> AsyncStream<Void> { base.changes() }
}
