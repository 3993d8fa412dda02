import LedgerConformance
import PurchaseCore
import Testing

@testable import Explore

/// A ledger over the rows of the explorer.
private actor ValueLedger: PurchaseLedger {
    private var rows = ValueRows()

    func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        var changed: any LedgerRows = rows
        let value = try body(&changed)
        if let changed = changed as? ValueRows { rows = changed.committed }
        return value
    }

    func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        try body(rows)
    }
}

@Suite("Rows of the explorer")
struct ValueRowsTests {
    @Test("the rows keep every rule of the ledger's port")
    func conformance() async {
        let checker = LedgerChecker(isShared: true, storage: { ValueLedger() }, open: { $0 })
        for violation in await checker.violations() { Issue.record("\(violation)") }
    }
}
