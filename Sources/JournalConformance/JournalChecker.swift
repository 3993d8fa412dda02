public import PurchaseCore

/// Checks that a journal keeps the rules of `PurchaseLedger`.
///
/// ```swift
/// let checker = JournalChecker { InMemoryLedger() }
/// for violation in await checker.violations() { print(violation) }
/// ```
///
/// It needs no test framework: the violations are values, and a test expects none.
public struct JournalChecker: Sendable {
    private let make: @Sendable () async throws -> OpenJournal
    /// What the journals can do besides being made.
    private let abilities: Set<JournalRule.Requirement>

    /// Creates a checker of a journal that opens a storage, such as the path of a file.
    ///
    /// - Parameters:
    ///   - isShared: Whether two open journals can use one storage at the same time, as two processes do.
    ///   - storage: Makes a new, empty storage. It is called many times.
    ///   - open: Opens a storage, also one that has content. The journal that was open before is not called again.
    public init<Storage: Sendable>(
        isShared: Bool = false,
        storage: @escaping @Sendable () async throws -> Storage,
        open: @escaping @Sendable (Storage) async throws -> any PurchaseLedger
    ) {
        abilities = isShared ? [.nothing, .reopening, .sharing] : [.nothing, .reopening]
        @Sendable func opened(_ storage: Storage) async throws -> OpenJournal {
            let again: @Sendable () async throws -> OpenJournal = { try await opened(storage) }
            return OpenJournal(journal: try await open(storage), reopen: again, share: isShared ? again : nil)
        }
        make = { try await opened(try await storage()) }
    }

    /// Creates a checker of a journal that is in memory, or that must be closed before its storage is opened again.
    ///
    /// - Parameters:
    ///   - reopen: Closes a journal and opens its storage again; nil for a journal in memory. It is called with each
    ///     journal at most once.
    ///   - share: Opens the storage of a journal for a second time while the journal stays open, as another process
    ///     does; nil for a journal that cannot be shared.
    ///   - make: Makes an empty journal with a storage of its own. It is called many times.
    public init(
        reopen: (@Sendable (any PurchaseLedger) async throws -> any PurchaseLedger)? = nil,
        share: (@Sendable (any PurchaseLedger) async throws -> any PurchaseLedger)? = nil,
        make: @escaping @Sendable () async throws -> any PurchaseLedger
    ) {
        var abilities: Set = [JournalRule.Requirement.nothing]
        if reopen != nil { abilities.insert(.reopening) }
        if share != nil { abilities.insert(.sharing) }
        self.abilities = abilities
        @Sendable func opened(_ journal: any PurchaseLedger) -> OpenJournal {
            OpenJournal(journal: journal, reopen: opening(journal, reopen), share: opening(journal, share))
        }
        @Sendable func opening(
            _ journal: any PurchaseLedger,
            _ open: (@Sendable (any PurchaseLedger) async throws -> any PurchaseLedger)?
        ) -> (@Sendable () async throws -> OpenJournal)? {
            guard let open else { return nil }
            return { opened(try await open(journal)) }
        }
        self.make = { opened(try await make()) }
    }

    static let checks =
        DeliveryRules.all + VerificationRules.all + RecordingRules.all + ClaimRules.all + MemoryRules.all
        + CompactionRules.all + ParallelRules.all + DurabilityRules.all

    /// All rules of the port, in the order in which they are checked.
    public static let rules = checks.map(\.rule)

    /// The rules that this checker checks: those for which its journals can do what the check needs.
    public var checkedRules: [JournalRule] { checks.map(\.rule) }

    private var checks: [Check] {
        Self.checks.filter { check in
            abilities.contains(check.rule.requirement)
        }
    }

    /// Checks the rules one after the other, and returns at most one violation of each rule and store.
    ///
    /// It waits for every call of the journal, so a journal that never answers needs a deadline of the test.
    ///
    /// - Parameter names: The names of the rules to check; nil for all of ``checkedRules``.
    public func violations(ofRules names: Set<String>? = nil) async -> [JournalViolation] {
        let source = Trial.Source(make: make)
        var violations: [JournalViolation] = []
        for check in checks where names?.contains(check.rule.name) ?? true {
            violations += await check.violations(source)
        }
        return violations
    }
}
