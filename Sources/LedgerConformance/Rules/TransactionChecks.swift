internal import PurchaseCore

/// The rules of transactions over one ledger, or over two with the same storage.
enum TransactionChecks {
    static let all = [
        Check("all-or-nothing", "a transaction whose body throws changes nothing, and throws the same error", undo),
        Check("parallel", "transactions at the same time lose no change, and give no number twice") {
            try await parallel([$0])
        },
        Check("isolated", "a transaction or a read sees no part of another transaction") { try await isolated([$0]) },
        Check(
            "cancelled", "in a cancelled task, a transaction makes all its changes, or throws and makes none", cancelled
        ),
        Check(
            "shared", "a change through one ledger is seen through another one with the same storage",
            requires: .sharing, shared),
        Check(
            "shared-parallel", "transactions through two ledgers lose no change, and give no number twice",
            requires: .sharing
        ) { try await parallel([$0, try await $0.again()]) },
        Check(
            "shared-isolated", "a transaction or a read sees no part of a transaction through another ledger",
            requires: .sharing
        ) { try await isolated([$0, try await $0.again()]) },
    ]

    private static func undo(_ trial: Trial) async throws {
        let names = Operation.sampleNames
        for operation in Operation.samples {
            let before = try await trial.snapshot(names)
            let situation = "a transaction that throws after: \(operation.description)"
            try await trial.undo(situation, operation.body)
            try expect(try await trial.snapshot(names), before, "the rows after \(situation)")
            try await trial.undo("one that makes all changes and throws") { (rows) throws(LedgerError) in
                for operation in Operation.samples { try operation.body(&rows) }
            }
            try expect(try await trial.snapshot(names), before, "the rows after a transaction with many changes throws")
            try await trial.change(operation.description) { try operation.body(&$0) }
        }
    }

    private static let taskCount = 40

    /// Runs a function in many tasks at once, with the trials in turn, and returns the results in the order of tasks.
    private static func inParallel<Value: Sendable>(
        _ trials: [Trial], _ body: @escaping @Sendable (Trial, Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            for number in 0..<taskCount {
                let trial = trials[number % trials.count]
                group.addTask { (number, try await body(trial, number)) }
            }
            var values: [Int: Value] = [:]
            for try await (number, value) in group { values[number] = value }
            return values.keys.sorted().compactMap { values[$0] }
        }
    }

    private static func parallel(_ trials: [Trial]) async throws {
        let numbers = try await inParallel(trials) { trial, number in
            try await trial.change("a transaction at the same time as others") { rows in
                let delivery = SampleDelivery("\(number)", .verified, .init())
                try rows.insert(delivery.row(in: rows), delivery.content)
                var memory = try rows.memory()
                memory.pending.append(PendingPurchase(productID: "\(number)", since: at(0)))
                try rows.put(memory)
                let claim = try rows.nextClaimNumber()
                let key = PurchaseKey.transaction(id: "\(number)")
                try rows.put(FulfilmentClaim(key: key, number: claim, start: at(0), end: at(0)))
                return claim
            }
        }
        try expect(Set(numbers).count, taskCount, "the number of different claims of \(taskCount) transactions")
        let expected = (0..<taskCount).map { "\($0)" }.sorted()
        for trial in trials {
            try await trial.read("reading what all transactions changed") { rows in
                try expect(
                    try rows.memory().pending.map(\.productID).sorted(), expected,
                    "the pending purchases after each of \(taskCount) transactions added one")
                try expect(
                    try rows.deliveries(ofVersion: "1").compactMap { try rows.content($0.text) }.map(exactText)
                        .sorted(),
                    expected.map { exactText(of: SignedContent.jws($0)) }.sorted(),
                    "the deliveries after each of \(taskCount) transactions inserted one")
            }
        }
    }

    private static func isolated(_ trials: [Trial]) async throws {
        let key = PurchaseKey.transaction(id: "1")
        /// The number in one row and in another, which each transaction puts into both.
        @Sendable func numbers(_ rows: any LedgerRows) throws -> [Int?] {
            let amount = try rows.fulfilment(of: key)
            let first: Int? = if case .granted(_, let number)? = amount { number } else { nil }
            return [first, try rows.memory().pending.first.flatMap { Int($0.productID) }]
        }
        @Sendable func put(_ number: Int, _ rows: inout any LedgerRows) throws(LedgerError) {
            try rows.put(.granted(productID: "coins", quantity: number), of: key)
            try rows.put(LedgerMemory(pending: [PendingPurchase(productID: "\(number)", since: at(0))]))
        }
        let found = try await inParallel(trials) { trial, number in
            switch number % 4 {
            case 0: return try await trial.read("reading two rows", numbers)
            case 1:
                try await trial.undo("a transaction that throws") { (rows) throws(LedgerError) in
                    try put(number, &rows)
                }
                return try await trial.read("reading two rows", numbers)
            default:
                return try await trial.change("changing two rows") { rows in
                    let found = try numbers(rows)
                    try put(number, &rows)
                    return found
                }
            }
        }
        for numbers in found {
            try expect(numbers[1], numbers[0], "the second of two rows that each transaction changes together")
            if let number = numbers[0], number % 4 < 2 {
                throw Mismatch(
                    "two rows that others change", expected: "no change of a transaction that throws",
                    found: "the change \(number)")
            }
        }
    }

    private static func cancelled(_ trial: Trial) async throws {
        let names = Operation.sampleNames
        let ledger = trial.opened.ledger
        for operation in Operation.samples {
            let before = try await trial.snapshot(names)
            let after = await withTaskGroup(of: String?.self) { group in
                group.cancelAll()
                group.addTask {
                    try? await ledger.transact(Trial.step) { (rows: inout any LedgerRows) throws(LedgerError) in
                        try operation.body(&rows)
                        do {
                            return try Snapshot.text(of: rows, names, isOpen: true)
                        } catch {
                            throw LedgerError(.notReadable, "\(error)")
                        }
                    }
                }
                return await group.next() ?? nil
            }
            let found = try await trial.read("reading all rows") { rows in
                after == nil ? try Snapshot.text(of: rows, names) : try Snapshot.text(of: rows, names, isOpen: true)
            }
            try expect(
                found, after ?? before,
                "the rows after a transaction in a cancelled task \(after == nil ? "threw" : "returned")")
        }
    }

    private static func shared(_ first: Trial) async throws {
        var turn = (first, try await first.again())
        let names = Operation.sampleNames
        for operation in Operation.samples {
            try await turn.0.change(operation.description) { try operation.body(&$0) }
            try expect(
                try await turn.1.snapshot(names), try await turn.0.snapshot(names),
                "the rows through another ledger after: \(operation.description)")
            turn = (turn.1, turn.0)
        }
    }
}
