/// A ledger in memory, for tests and for systems without storage.
///
/// > Important: Its content is lost with the process. The store delivers unfinished transactions again, but not
/// > finished consumables.
public actor InMemoryLedger: PurchaseLedger {
    private var rows = InMemoryRows()

    /// Creates an empty ledger.
    public init() {}

    /// Runs `body` over the rows; after an error, they are as they were.
    public func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        // Taken out, so that a change does not copy all rows.
        var changed: any LedgerRows = rows
        rows = InMemoryRows()
        defer { if let changed = changed as? InMemoryRows { rows = changed.committed } }
        do throws(LedgerError) {
            return try body(&changed)
        } catch {
            if let undone = (changed as? InMemoryRows)?.undone { changed = undone }
            throw error
        }
    }

    /// Runs `body` over the rows.
    public func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        try body(rows)
    }
}
