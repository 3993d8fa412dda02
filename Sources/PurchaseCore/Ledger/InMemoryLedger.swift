internal import ReceiptTypes

/// A ledger in memory, for tests and for systems without storage.
///
/// > Important: Its content is lost with the process. The store delivers unfinished transactions again, but not
/// > finished consumables.
public actor InMemoryLedger: PurchaseLedger {
    private var rows = InMemoryRows()
    private let observers = Locked<[Int: AsyncStream<Void>.Continuation]>([:])

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
            let value = try body(&changed)
            for observer in observers.withLock({ Array($0.values) }) { observer.yield() }
            return value
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

    /// Returns a sequence with an element after one or more transactions.
    public nonisolated func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = observers.withLock { observers in
            let number = (observers.keys.max() ?? 0) + 1
            observers[number] = continuation
            return number
        }
        continuation.onTermination = { [observers] _ in
            observers.withLock { $0[number] = nil }
        }
        return stream
    }
}
