internal import PurchaseCore

/// Transactions that run over a ledger and over `InMemoryLedger`.
struct History: Sendable {
    /// A transaction, or an opening of the storage.
    struct Step: Sendable {
        var operations: [Operation] = []
        /// Whether the body throws after its operations.
        var isUndone = false
        /// Whether the storage is opened again, in place of a transaction.
        var isReopening = false

        var description: String {
            if isReopening { return "open the storage again" }
            return (operations.map(\.description) + (isUndone ? ["throw"] : [])).joined(separator: ", then ")
        }
    }

    var steps: [Step]
    /// The texts, ids and keys that are looked up after each step.
    let names: Snapshot.Names

    /// The number of the first step after which the rows differ, and the difference.
    struct Failure {
        let index: Int
        let mismatch: Mismatch
    }

    /// Runs the steps over a new ledger, and returns the first difference from `InMemoryLedger`.
    func failure(_ trial: Trial) async throws -> Failure? {
        var trial = try await trial.fresh()
        let expected = Trial(opened: OpenLedger(ledger: InMemoryLedger(), again: nil), source: trial.source)
        for (index, step) in steps.enumerated() {
            do {
                if step.isReopening { trial = try await trial.again() }
                try expect(
                    try await rows(after: step, over: trial), try await rows(after: step, over: expected),
                    "the rows, compared with those of a ledger in memory")
            } catch let mismatch as Mismatch {
                return Failure(index: index, mismatch: mismatch)
            }
        }
        return nil
    }

    /// Runs a step, and returns the rows before the end of its transaction and after it.
    private func rows(after step: Step, over trial: Trial) async throws -> [String] {
        let names = names
        var open = ""
        if step.isUndone {
            try await trial.undo("a transaction that throws") { (rows) throws(LedgerError) in
                for operation in step.operations { try operation.body(&rows) }
            }
        } else if !step.isReopening {
            open = try await trial.change("a transaction") { rows in
                for operation in step.operations { try operation.body(&rows) }
                return try Snapshot.text(of: rows, names, isOpen: true)
            }
        }
        return [open, try await trial.snapshot(names)]
    }
}

extension Check {
    /// Creates a rule whose check makes transactions, and compares the rows with those of a ledger in memory.
    init(_ name: String, _ statement: String, _ names: Snapshot.Names, _ transactions: [[Operation]]) {
        let history = History(steps: transactions.map { History.Step(operations: $0) }, names: names)
        self.init(name, statement) { trial in
            guard let failure = try await history.failure(trial) else { return }
            let mismatch = failure.mismatch
            throw Mismatch(
                "\(mismatch.situation), after transaction \(failure.index + 1): "
                    + history.steps[failure.index].description, expected: mismatch.expected, found: mismatch.found)
        }
    }
}
