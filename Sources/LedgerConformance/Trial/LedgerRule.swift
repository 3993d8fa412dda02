/// A promise of `PurchaseLedger` or `LedgerRows`, and the name under which a violation of it is reported.
public struct LedgerRule: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// The stable name in kebab case, such as `all-or-nothing`.
    public let name: String
    /// What a ledger promises, in one sentence.
    public let statement: String
    /// What a check of the rule needs besides an empty ledger.
    public let requirement: Requirement

    /// What a check of a rule needs besides an empty ledger.
    public enum Requirement: String, Sendable, Hashable, CaseIterable {
        /// The check needs nothing else.
        case nothing
        /// The check opens the storage of a ledger again.
        case reopening
        /// The check uses two ledgers over one storage.
        case sharing
    }

    init(_ name: String, _ statement: String, requires requirement: Requirement = .nothing) {
        self.name = name
        self.statement = statement
        self.requirement = requirement
    }

    /// The name, which is unique.
    public var id: String { name }
    /// The name and the statement.
    public var description: String { "\(name): \(statement)" }
}

/// An observation that breaks a rule of the port.
public struct LedgerViolation: Sendable, Hashable, CustomStringConvertible {
    /// The broken rule.
    public let rule: LedgerRule
    /// What the check did, in one phrase.
    public let situation: String
    /// What the rule promises in this situation.
    public let expected: String
    /// What the ledger did.
    public let found: String

    /// Several lines for a person.
    public var description: String {
        "\(rule)\n  situation: \(situation)\n  expected:  \(expected)\n  found:     \(found)"
    }
}
