/// A rule, and the function that checks it over an empty ledger.
struct Check: Sendable {
    let rule: LedgerRule
    let body: @Sendable (Trial) async throws -> Void

    init(
        _ name: String, _ statement: String, requires requirement: LedgerRule.Requirement = .nothing,
        _ body: @escaping @Sendable (Trial) async throws -> Void
    ) {
        rule = LedgerRule(name, statement, requires: requirement)
        self.body = body
    }

    /// Returns the first violation that the check finds.
    func violation(_ source: Trial.Source) async -> LedgerViolation? {
        do {
            try await body(Trial(opened: try await source.make(), source: source))
            return nil
        } catch let mismatch as Mismatch {
            return LedgerViolation(
                rule: rule, situation: mismatch.situation, expected: mismatch.expected, found: mismatch.found)
        } catch {
            return LedgerViolation(
                rule: rule, situation: "opening a ledger", expected: "a ledger", found: "\(error)")
        }
    }
}
