public import PurchaseCore

/// The ledger of a purchase service in a ``PurchaseDatabase``.
///
/// Any number of services and processes can share one database. A row that another program has changed is ignored and
/// reported to the database's `onDamage`: the purchase counts again once the store has delivered it again.
public struct DatabaseLedger: PurchaseLedger {
    /// The database of the ledger.
    public let database: PurchaseDatabase

    /// Creates a ledger.
    public init(_ database: PurchaseDatabase) {
        self.database = database
    }

    /// Runs `body` in one transaction of the database.
    public func transact<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do throws(DatabaseError) {
            return try await database.write { (session) throws(DatabaseError) in
                try session.changeLedger(body)
            }
        } catch {
            throw (error.underlying as? LedgerError) ?? LedgerError(.notWritten, error.message, underlying: error)
        }
    }

    /// Runs `body` over one state of the database.
    public func read<Value: Sendable>(
        _ step: LedgerStep, _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do throws(DatabaseError) {
            return try await database.read { (session) throws(DatabaseError) in
                try session.changeLedger { (rows: inout any LedgerRows) throws(LedgerError) in try body(rows) }
            }
        } catch {
            throw (error.underlying as? LedgerError) ?? LedgerError(.notReadable, error.message, underlying: error)
        }
    }

    /// Returns a sequence with an element after one or more changes of the purchases, also those that another process
    /// has made.
    public func changes() -> AsyncStream<Void> {
        database.changes.wakeUps { [database] in await database.hasForeignChange() }
    }
}

extension DatabaseSession {
    /// Runs `body` over the rows of the ledger; part of a transaction.
    ///
    /// - Throws: The error of the database; a refusal of `body` is the underlying one of an error that undoes the
    ///   transaction.
    func changeLedger<Value>(
        _ body: (inout any LedgerRows) throws(LedgerError) -> Value
    ) throws(DatabaseError) -> Value {
        var rows: any LedgerRows = DatabaseRows(session: self)
        do throws(LedgerError) {
            return try body(&rows)
        } catch {
            throw (error.underlying as? DatabaseError)
                ?? DatabaseError(.constraint, error.message, underlying: error)
        }
    }
}
