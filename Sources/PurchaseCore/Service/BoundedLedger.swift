/// A ledger whose transactions return within a deadline.
///
/// One that takes longer throws ``LedgerErrorCode/timedOut`` and is cancelled. It can still make its change, so every
/// transaction may be repeated.
struct BoundedLedger: PurchaseLedger {
    let base: any PurchaseLedger
    let deadline: Int64
    let meter: StageMeter

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        guard step == .record else {
            return try await bounded { base throws(LedgerError) in try await base.transact(step, body) }
        }
        return try await meter.measure(.record) { () throws(LedgerError) in
            try await bounded { base throws(LedgerError) in try await base.transact(step, body) }
        }
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await bounded { base throws(LedgerError) in try await base.read(step, body) }
    }

    func changes() -> AsyncStream<Void> { base.changes() }

    private func bounded<Value: Sendable>(
        _ call: @escaping @Sendable (any PurchaseLedger) async throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let answer = await meter.environment.timer.answer(within: deadline) { [base] () -> Result<Value, LedgerError> in
            do throws(LedgerError) {
                return .success(try await call(base))
            } catch {
                return .failure(error)
            }
        }
        guard let answer else {
            throw LedgerError(.timedOut, "the ledger did not answer within \(deadline) ms")
        }
        return try answer.get()
    }
}
