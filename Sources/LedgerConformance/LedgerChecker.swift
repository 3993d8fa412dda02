public import PurchaseCore

/// Checks that a ledger keeps the promises of `PurchaseLedger` and `LedgerRows`.
///
/// ```swift
/// let checker = LedgerChecker { InMemoryLedger() }
/// for violation in await checker.violations() { print(violation) }
/// ```
///
/// It needs no test framework: the violations are values, and a test expects none.
public struct LedgerChecker: Sendable {
    private let make: @Sendable () async throws -> OpenLedger
    /// What the ledgers can do besides being made.
    private let abilities: Set<LedgerRule.Requirement>
    /// The number of random histories, each with 30 transactions.
    public var historyCount = 10
    /// The seed of the first random history; the others have the numbers after it.
    public var seed: UInt64 = 1

    /// Creates a checker of a ledger that opens a storage, such as the path of a file.
    ///
    /// - Parameters:
    ///   - isShared: Whether two open ledgers can use one storage at the same time, as two processes do.
    ///   - storage: Makes a new, empty storage. It is called many times.
    ///   - open: Opens a storage, also one that has content. Unless `isShared`, the ledger that was open before is not
    ///     used again.
    public init<Storage: Sendable>(
        isShared: Bool = false,
        storage: @escaping @Sendable () async throws -> Storage,
        open: @escaping @Sendable (Storage) async throws -> any PurchaseLedger
    ) {
        abilities = isShared ? [.nothing, .reopening, .sharing] : [.nothing, .reopening]
        @Sendable func opened(_ storage: Storage) async throws -> OpenLedger {
            OpenLedger(ledger: try await open(storage)) { try await opened(storage) }
        }
        make = { try await opened(try await storage()) }
    }

    /// Creates a checker of a ledger in memory.
    ///
    /// - Parameter make: Makes an empty ledger. It is called many times.
    public init(make: @escaping @Sendable () async throws -> any PurchaseLedger) {
        abilities = [.nothing]
        self.make = { OpenLedger(ledger: try await make(), again: nil) }
    }

    static let checks = RowChecks.all + TransactionChecks.all + StorageChecks.all

    /// All rules of the port, in the order in which they are checked.
    public static let rules = checks.map(\.rule)

    /// The rules that this checker checks: those for which its ledgers can do what the check needs.
    public var checkedRules: [LedgerRule] { checks.map(\.rule) }

    private var checks: [Check] { Self.checks.filter { abilities.contains($0.rule.requirement) } }

    /// Checks the rules one after the other, and returns at most one violation of each rule.
    ///
    /// It waits for every transaction, so a ledger that never answers needs a deadline of the test.
    ///
    /// - Parameter names: The names of the rules to check; nil for all of ``checkedRules``.
    public func violations(ofRules names: Set<String>? = nil) async -> [LedgerViolation] {
        let source = Trial.Source(make: make, seeds: (0..<UInt64(clamping: historyCount)).map { seed &+ $0 })
        var violations: [LedgerViolation] = []
        for check in checks where names?.contains(check.rule.name) ?? true {
            if let violation = await check.violation(source) { violations.append(violation) }
        }
        return violations
    }
}
