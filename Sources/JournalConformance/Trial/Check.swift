/// A rule, and the function that checks it over an empty journal.
struct Check: Sendable {
    let rule: JournalRule
    /// The stores in whose formats the check runs.
    let stores: [SampleStore]
    let body: @Sendable (Trial) async throws -> Void

    init(
        _ name: String, _ statement: String, requires requirement: JournalRule.Requirement = .nothing,
        in stores: [SampleStore] = SampleStore.allCases,
        _ body: @escaping @Sendable (Trial) async throws -> Void
    ) {
        rule = JournalRule(name, statement, requires: requirement)
        self.stores = stores
        self.body = body
    }

    /// Runs the check for each store and returns the violations, at most one for each store.
    func violations(_ source: Trial.Source) async -> [JournalViolation] {
        var violations: [JournalViolation] = []
        for store in stores {
            do {
                try await body(Trial(opened: try await source.make(), source: source, store: store))
            } catch let mismatch as Mismatch {
                violations.append(
                    JournalViolation(
                        rule: rule, situation: "\(mismatch.situation) (\(store.rawValue))",
                        expected: mismatch.expected, found: mismatch.found))
            } catch {
                violations.append(
                    JournalViolation(
                        rule: rule, situation: "opening a journal (\(store.rawValue))", expected: "a journal",
                        found: "\(error)"))
            }
        }
        return violations
    }
}
