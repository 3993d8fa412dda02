internal import PurchaseCore
internal import ReceiptTypes

/// An open ledger, and a function that opens its storage once more; nil for a ledger in memory.
struct OpenLedger: Sendable {
    let ledger: any PurchaseLedger
    let again: (@Sendable () async throws -> OpenLedger)?
}

/// A ledger under test, with transactions whose errors are mismatches.
struct Trial: Sendable {
    /// What all trials of a run have in common.
    struct Source: Sendable {
        let make: @Sendable () async throws -> OpenLedger
        let seeds: [UInt64]
    }

    let opened: OpenLedger
    let source: Source

    static let step = LedgerStep(rawValue: "check")

    /// Returns a trial over a new, empty ledger.
    func fresh() async throws -> Trial { Trial(opened: try await source.make(), source: source) }

    /// Whether the storage can be opened again.
    var canReopen: Bool { opened.again != nil }

    /// Returns a trial over another ledger with the same storage, as a new or a second process has it.
    func again() async throws -> Trial {
        guard let again = opened.again else {
            throw Mismatch("opening the storage again", expected: "a way to open it", found: "none")
        }
        return Trial(opened: try await again(), source: source)
    }

    /// Runs `body` in one transaction.
    @discardableResult
    func change<Value: Sendable>(
        _ situation: String, _ body: @escaping @Sendable (inout any LedgerRows) throws -> Value
    ) async throws -> Value {
        try await call(situation) { () throws(LedgerError) in
            try await opened.ledger.transact(Self.step) { (rows: inout any LedgerRows) throws(LedgerError) in
                try Self.result { try body(&rows) }
            }
        }
    }

    /// Runs `body` over one state of the rows.
    func read<Value: Sendable>(
        _ situation: String, _ body: @escaping @Sendable (any LedgerRows) throws -> Value
    ) async throws -> Value {
        try await call(situation) { () throws(LedgerError) in
            try await opened.ledger.read(Self.step) { (rows) throws(LedgerError) in
                try Self.result { try body(rows) }
            }
        }
    }

    /// Makes a change in a transaction whose body throws at the end, and checks that its error is thrown.
    func undo(
        _ situation: String, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Void
    ) async throws {
        let refusal = LedgerError(LedgerError.Code(rawValue: "refused"), "the body refuses")
        do throws(LedgerError) {
            try await opened.ledger.transact(Self.step) { (rows: inout any LedgerRows) throws(LedgerError) in
                try body(&rows)
                throw refusal
            }
        } catch {
            return try expect(
                "\(error.code.rawValue): \(error.message)", "\(refusal.code.rawValue): \(refusal.message)",
                "the error of \(situation)")
        }
        throw Mismatch("the error of \(situation)", expected: refusal.description, found: "no error")
    }

    /// Returns everything that the rows return for names.
    func snapshot(_ names: Snapshot.Names) async throws -> String {
        try await read("reading all rows") { try Snapshot.text(of: $0, names) }
    }

    private func call<Value>(
        _ situation: String, _ body: () async throws(LedgerError) -> Result<Value, Mismatch>
    ) async throws -> Value {
        let result: Result<Value, Mismatch>
        do throws(LedgerError) {
            result = try await body()
        } catch {
            throw Mismatch(situation, expected: "no error", found: error.description)
        }
        return try result.get()
    }

    private static func result<Value>(_ body: () throws -> Value) throws(LedgerError) -> Result<Value, Mismatch> {
        do {
            return .success(try body())
        } catch let mismatch as Mismatch {
            return .failure(mismatch)
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerError(.notReadable, "\(error)")
        }
    }
}
