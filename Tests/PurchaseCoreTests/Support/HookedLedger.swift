import PurchaseCore

/// A ledger with a function that runs before each transaction, and one that says which find no rows.
struct HookedLedger: PurchaseLedger {
    let base: any PurchaseLedger
    var before: @Sendable (LedgerStep) async throws(LedgerError) -> Void = { _ in }
    var findsNothing: @Sendable (LedgerStep) -> Bool = { _ in false }

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await before(step)
        return try await base.transact(step, body)
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await before(step)
        return try await (findsNothing(step) ? InMemoryLedger() : base).read(step, body)
    }
}
