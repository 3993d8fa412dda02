internal import PurchaseCore
internal import ReceiptTypes

/// Keeps what another ledger keeps, and logs each stage that a delivery reaches.
struct LoggedLedger: PurchaseLedger {
    let base: any PurchaseLedger
    let log: CoreLog

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let (value, changes) = try await base.transact(step) {
            (rows: inout any LedgerRows) throws(LedgerError) -> (Value, [Change]) in
            let before = try rows.deliveries()
            let value = try body(&rows)
            return (value, Self.changes(from: before, to: try rows.deliveries()))
        }
        for change in changes { log.add(.ledger, change.text, isFailure: change.isFailure) }
        return value
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await base.read(step, body)
    }

    func changes() -> AsyncStream<Void> { base.changes() }

    private struct Change: Sendable {
        let text: String
        var isFailure = false
    }

    /// Returns what has become of the deliveries; the preview has few of them.
    private static func changes(from before: [DeliveryRow], to after: [DeliveryRow]) -> [Change] {
        let known = Dictionary(before.map { ($0.text, $0) }, uniquingKeysWith: { first, _ in first })
        return after.compactMap { row in
            let earlier = known[row.text]
            if let reason = row.quarantineReason, reason != earlier?.quarantineReason {
                return Change(text: "quarantined: \(row.productID), \(reason)", isFailure: true)
            }
            guard row.stage != earlier?.stage else { return nil }
            let source = row.stage == .observed ? ", from \(row.source.rawValue)" : ""
            return Change(text: "\(row.stage): \(row.productID), transaction \(row.transactionID)\(source)")
        }
    }
}
