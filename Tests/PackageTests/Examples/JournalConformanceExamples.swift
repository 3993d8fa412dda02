import JournalConformance
import PurchaseCore

// The code of JournalConformance's documentation.

/// `JournalConformance.md`
private func overview() async {
    let checker = JournalChecker(storage: { JournalFile() }, open: { $0.open() })
    for violation in await checker.violations() { print(violation) }
}

/// `JournalChecker`
private func checkInMemory() async {
    let checker = JournalChecker { InMemoryLedger() }
    for violation in await checker.violations() { print(violation) }
}
