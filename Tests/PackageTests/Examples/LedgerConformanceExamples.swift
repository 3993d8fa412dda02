import LedgerConformance
import PurchaseCore

// The code of LedgerConformance's documentation.

/// `LedgerConformance.md`
private func overview() async {
    let checker = LedgerChecker(storage: { KioskFile() }, open: { $0.open() })
    for violation in await checker.violations() { print(violation) }
}

/// `LedgerChecker`
private func checkInMemory() async {
    let checker = LedgerChecker { InMemoryLedger() }
    for violation in await checker.violations() { print(violation) }
}
