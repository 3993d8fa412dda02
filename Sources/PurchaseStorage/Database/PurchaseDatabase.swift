public import PurchaseCore
internal import ReceiptVerification

/// The SQLite database of the purchase core: one file, which any number of processes can have open.
///
/// Every transaction is on the disk when its call returns. Signed payloads are encrypted; other columns are readable, and
/// each row has a seal, so a row that another program has changed is ignored and reported.
public actor PurchaseDatabase {
    /// The path of the database file.
    public nonisolated let path: String
    let connection: SQLiteConnection
    let key: DatabaseKey
    private let onDamage: @Sendable (DamagedRow) -> Void
    /// The damaged rows that the current transaction has found.
    private var found: [DamagedRow] = []
    /// The damaged rows that were reported.
    private var reported: Set<DamagedRow> = []

    /// Opens a database, and creates the file and its folder if they do not exist, with modes 0600 and 0700.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder must be one that other users cannot change.
    ///   - key: The 32 bytes of the database's key. Keep them in a ``SealedStore``, not beside the file.
    ///   - busyTimeout: The longest wait for another process, in milliseconds.
    ///   - onDamage: Receives each row whose seal is wrong, once; the database ignores the row. It is called after the
    ///     transaction that has found the row.
    /// - Throws: A `DatabaseError`.
    public init(
        path: String, key: [UInt8], busyTimeout: Int32 = 5_000,
        onDamage: @escaping @Sendable (DamagedRow) -> Void = { _ in }
    ) throws(DatabaseError) {
        guard let key = DatabaseKey(key) else { throw DatabaseError(.misuse, "the key of a database has 32 bytes") }
        let path = try DatabaseFile.prepare(path)
        let connection = try SQLiteConnection(path: path, busyTimeout: busyTimeout)
        // The order matters: a file of another program or of another key is not changed, not even to write-ahead logging.
        if try Migrator().check(connection) > 0 { try KeyCheck.verify(key, in: connection) }
        for pragma in ["journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "cell_size_check = ON"] {
            try connection.forEach("PRAGMA \(pragma)") { (_) throws(DatabaseError) in }
        }
        try Migrator().migrate(connection, key)
        // Another process can have created the database with another key a moment ago.
        try KeyCheck.verify(key, in: connection)
        self.path = path
        self.connection = connection
        self.key = key
        self.onDamage = onDamage
    }

    /// Returns a random key for a new database.
    public static func randomKey() throws(DatabaseError) -> [UInt8] { try DatabaseKey.random() }

    // MARK: Transactions

    /// Runs `body` in one transaction that takes the write lock at its start.
    nonisolated func write<Value: Sendable>(
        _ body: @Sendable (isolated PurchaseDatabase) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        try await reportingDamage { (database) throws(DatabaseError) in
            try database.connection.write { () throws(DatabaseError) in try body(database) }
        }
    }

    /// Runs `body` in one transaction that sees one state of the database.
    nonisolated func read<Value: Sendable>(
        _ body: @Sendable (isolated PurchaseDatabase) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        try await reportingDamage { (database) throws(DatabaseError) in
            try database.connection.read { () throws(DatabaseError) in try body(database) }
        }
    }

    /// Runs a transaction, and then reports what it has found, outside the transaction and outside the actor.
    private nonisolated func reportingDamage<Value: Sendable>(
        _ transaction: @Sendable (isolated PurchaseDatabase) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        let (result, damage) = await run(transaction)
        for row in damage { onDamage(row) }
        return try result.get()
    }

    /// Returns the result of a transaction, and the damaged rows that were not reported before.
    private func run<Value: Sendable>(
        _ transaction: @Sendable (isolated PurchaseDatabase) throws(DatabaseError) -> Value
    ) -> (Result<Value, DatabaseError>, [DamagedRow]) {
        let result: Result<Value, DatabaseError>
        do throws(DatabaseError) {
            result = .success(try transaction(self))
        } catch {
            result = .failure(error)
        }
        let damage = found.filter { reported.insert($0).inserted }
        found = []
        return (result, damage)
    }

    /// Reports a damaged row, and ignores it; part of a transaction.
    func report(_ table: String, _ identity: SQLiteValue) { found.append(DamagedRow(table, identity)) }
}

/// A row whose seal does not match its columns: another program has changed it, or the file is damaged.
public struct DamagedRow: Sendable, Hashable {
    /// The table of the row.
    public let table: String
    /// The column that identifies the row, as text.
    public let identity: String

    init(_ table: String, _ identity: SQLiteValue) {
        self.table = table
        self.identity =
            switch identity {
            case .null: "NULL"
            case .integer(let integer): "\(integer)"
            case .text(let text): text
            case .blob(let bytes): SHA256Digest(bytes: bytes)?.description ?? "\(bytes.count) bytes"
            }
    }
}
