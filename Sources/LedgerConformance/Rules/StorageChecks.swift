internal import PurchaseCore

/// The rules of a storage that is opened again.
enum StorageChecks {
    static let all = [
        Check("durable", "each change is there when the storage is opened again", requires: .reopening, durable),
        Check(
            "durable-numbers", "no claim gets a number that one had before the storage was opened again",
            requires: .reopening, numbers),
        Check(
            "random-histories", "random transactions leave the rows that a ledger in memory has", RandomHistory.check),
    ]

    private static func durable(_ trial: Trial) async throws {
        let names = Operation.sampleNames
        let empty = try await trial.snapshot(names)
        var trial = try await trial.again()
        try expect(try await trial.snapshot(names), empty, "the rows of a new storage that was opened again")
        for operation in Operation.samples {
            try await trial.change(operation.description) { try operation.body(&$0) }
            let rows = try await trial.snapshot(names)
            trial = try await trial.again()
            try expect(try await trial.snapshot(names), rows, "the rows opened again after: \(operation.description)")
        }
    }

    private static func numbers(_ trial: Trial) async throws {
        var trial = trial
        var numbers: Set<Int> = []
        for round in 0..<6 {
            let key = PurchaseKey.transaction(id: "\(round % 2)")
            numbers.insert(try await trial.newClaim(of: key, otherThan: numbers))
            if round.isMultiple(of: 2) { try await trial.change("deleting a claim") { try $0.deleteClaim(of: key) } }
            trial = try await trial.again()
        }
    }
}
