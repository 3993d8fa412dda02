public import PurchaseCore
internal import ReceiptVerification
import SQLite

/// The SQLite database of the purchase core: one file, which any number of processes can have open.
///
/// Every transaction is on the disk when its call returns. Signed payloads are encrypted; other columns are readable,
/// and each row has a seal, so a row that another program has changed is ignored and reported.
///
/// A call can wait for another process, up to the busy timeout. It waits on a thread of the database's own, so that
/// other tasks go on. The initializer and ``recover(path:key:busyTimeout:keeping:clock:onDamage:)`` wait on the
/// caller's thread.
public actor PurchaseDatabase {
    private let executor = ThreadExecutor()
    /// The thread of the database.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The path of the database file.
    public nonisolated let path: String
    let file: DatabaseFile
    /// What transactions run on.
    private let session: DatabaseSession
    var connection: SQLiteConnection { session.connection }
    let busyTimeout: Int32
    let key: DatabaseKey
    nonisolated let changes: DatabaseChanges
    private let onDamage: @Sendable (DamagedRow) -> Void
    /// The damaged rows that were reported.
    private var reported: Set<DamagedRow> = []
    /// Whether this object has replaced the file itself, so that another file is expected.
    private var hasReplacedFile = false
    /// Whether another file was found that was not reported yet.
    private var missesReplacement = false
    /// The foreign journals and logs that were set aside and not reported yet.
    private var foreignFiles: [DamagedRow] = []
    /// SQLite's number of the last commit of another connection that was found.
    private var dataVersion: Int64

    /// Opens a database, and creates the file and its folder if they do not exist, with modes 0600 and 0700.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder must be one that other users cannot change.
    ///   - key: The 32 bytes of the database's key. Keep them in a ``SealedStore``, not beside the file.
    ///   - busyTimeout: The longest wait for another process, in milliseconds.
    ///   - eventLimit: The largest number of events of purchases that are kept; of more, the oldest are deleted. At
    ///     least 99 % of the limit stay.
    ///   - searchInterval: The time between two searches for changes of other processes, in milliseconds. There is a
    ///     search only while a sequence of updates is observed.
    ///   - environment: The timer of the search for changes of other processes.
    ///   - onDamage: Receives each row whose seal is wrong, once; the database ignores the row. It also receives
    ///     ``DamagedRow/replacedFile`` when another process has replaced the file. It is called after the transaction
    ///     that has found it. Something with the name of a rollback journal, which the database does not have, and the
    ///     log of another database are set aside and received as ``DamagedRow/foreignFile(_:setAsideAs:)``, during
    ///     the initializer too.
    /// - Throws: A `DatabaseError`.
    public init(
        path: String, key: [UInt8], busyTimeout: Int32 = 5_000, eventLimit: Int = 10_000,
        searchInterval: Int64 = 1_000, environment: PurchaseEnvironment = .system,
        onDamage: @escaping @Sendable (DamagedRow) -> Void = { _ in }
    ) throws(DatabaseError) {
        let key = try Self.checked(key)
        let file = try DatabaseFile(path, lockTimeout: busyTimeout)
        let connection = try Self.connect(file, key, busyTimeout, onDamage)
        self.path = file.path
        self.file = file
        session = DatabaseSession(connection, key, file, eventLimit: max(1, eventLimit))
        self.busyTimeout = busyTimeout
        self.key = key
        changes = DatabaseChanges(timer: environment.timer, interval: searchInterval)
        dataVersion = try Self.dataVersion(connection)
        self.onDamage = onDamage
    }

    /// Returns a key of 32 bytes.
    static func checked(_ key: [UInt8]) throws(DatabaseError) -> DatabaseKey {
        guard let key = DatabaseKey(key) else { throw DatabaseError(.misuse, "the key of a database has 32 bytes") }
        return key
    }

    /// Returns a random key for a new database.
    public static func randomKey() throws(DatabaseError) -> [UInt8] { try DatabaseKey.random() }

    // MARK: Connection

    /// Opens the file, and creates the database.
    private static func connect(
        _ file: DatabaseFile, _ key: DatabaseKey, _ busyTimeout: Int32, _ report: (DamagedRow) -> Void
    ) throws(DatabaseError) -> SQLiteConnection {
        try file.withoutForeignFiles(key, report) { () throws(DatabaseError) in
            try connect(file, key, busyTimeout)
        }
    }

    private static func connect(
        _ file: DatabaseFile, _ key: DatabaseKey, _ busyTimeout: Int32
    ) throws(DatabaseError) -> SQLiteConnection {
        try file.whileOpening { () throws(DatabaseError) in
            try file.requireNotSetAside()
            try file.requireTrusted()
            if let loss = file.loss { throw DatabaseError(.damaged, loss.summary) }
            try file.create()
            let connection = try SQLiteConnection(path: file.path, busyTimeout: busyTimeout)
            // The order matters: a file of another program or of another key is not changed, not even to write-ahead
            // logging, and not by the pages in a log, which may belong to another database.
            let hasLog = SQLiteFiles.hasContent(file.path + SQLiteFiles.log)
            if hasLog { try connection.keepLog(true) }
            try DatabaseSchema.check(connection, key)
            if hasLog { try connection.keepLog(false) }
            try connection.useWriteAheadLog(timeout: busyTimeout)
            // On Apple's systems, only a full synchronization survives a power failure; elsewhere it is the only one.
            for pragma in [
                "synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON", "secure_delete = ON",
                "cell_size_check = ON",
            ] {
                try connection.forEach("PRAGMA \(pragma)") { (_) throws(DatabaseError) in }
            }
            try DatabaseSchema.create(in: connection, key)
            // Another process can have created the database with another key a moment ago.
            try KeyCheck.verify(key, in: connection)
            try file.noteCreation()
            try file.removeUnfinished()
            connection.noteLog()
            connection.closing = { file.whileClosing($0) }
            return connection
        }
    }

    /// Runs `body` while the file is not replaced, on a connection to the file that has the path now.
    func withCurrentFile<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        while true {
            let value = try file.withCurrentFile { () throws(DatabaseError) -> Value? in
                if connection.hasMoved { return nil }
                if connection.hasLostLog { throw DatabaseError(.damaged, DatabaseRecovery.Finding.missingLog.summary) }
                return try body()
            }
            if let value { return value }
            session.connection = try Self.connect(file, key, busyTimeout) { foreignFileSetAside($0) }
            dataVersion = .min
            if hasReplacedFile { hasReplacedFile = false } else { missesReplacement = true }
        }
    }

    // MARK: Transactions

    /// Runs `body` in one transaction that takes the write lock at its start.
    nonisolated func write<Value: Sendable>(
        _ body: @Sendable (DatabaseSession) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        try await reporting { (database, session) throws(DatabaseError) in
            try database.file.lock.writing { () throws(DatabaseError) in
                try session.connection.write { () throws(DatabaseError) in
                    let value = try body(session)
                    try session.deleteReleasedTexts()
                    return value
                }
            }
        }
    }

    /// Runs `body` in one transaction that sees one state of the database.
    nonisolated func read<Value: Sendable>(
        _ body: @Sendable (DatabaseSession) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        try await reporting { (_, session) throws(DatabaseError) in
            try session.connection.read { () throws(DatabaseError) in try body(session) }
        }
    }

    private typealias Transaction<Value> =
        @Sendable (isolated PurchaseDatabase, DatabaseSession) throws(DatabaseError) -> Value

    /// Runs a transaction, and then reports what it has found and changed, outside the transaction and outside the
    /// actor.
    private nonisolated func reporting<Value: Sendable>(
        _ transaction: Transaction<Value>
    ) async throws(DatabaseError) -> Value {
        let (result, findings) = await run(transaction)
        for row in findings.damage { onDamage(row) }
        if findings.hasChangedPurchases { changes.send() }
        return try result.get()
    }

    /// Returns the result of a transaction and its findings, without the damaged rows that were reported before.
    private func run<Value: Sendable>(
        _ transaction: Transaction<Value>
    ) -> (Result<Value, DatabaseError>, DatabaseSession.Findings) {
        session.begin(tracksWrites: !reported.isEmpty)
        let result: Result<Value, DatabaseError>
        do throws(DatabaseError) {
            result = .success(try withCurrentFile { () throws(DatabaseError) in try transaction(self, session) })
        } catch {
            result = .failure(explained(error))
            // The next search for changes repeats what has failed.
            dataVersion = .min
        }
        var findings = session.findings
        if case .failure(let error) = result, error.code == .damaged { findings.damage.append(.file) }
        if missesReplacement {
            missesReplacement = false
            reported.remove(.replacedFile)
            findings.damage.append(.replacedFile)
        }
        findings.damage += foreignFiles
        foreignFiles = []
        findings.damage.removeAll { !reported.insert($0).inserted }
        // A file that can be read again is reported again when it is damaged later.
        if case .success = result { reported.subtract(findings.written.union([.file])) }
        return (result, findings)
    }

    /// Returns what has led to an error for which SQLite has only a general code.
    private func explained(_ error: DatabaseError) -> DatabaseError {
        do throws(DatabaseError) {
            switch error.code {
            case .diskFull:
                // The code of a table without further numbers is that of a full disk.
                guard let table = try RowNumbers.invalidTable(in: connection) else { return error }
                return DatabaseError(.damaged, "the table \(table) has no further numbers", underlying: error)
            case .misuse:
                // A newer version may have changed the schema while it was open.
                try DatabaseSchema.check(connection, key)
                return error
            default: return error
            }
        } catch let reason {
            return [.newerSchema, .damaged].contains(reason.code) ? reason : error
        }
    }

    /// Notes a foreign journal or log that was set aside, which is reported after the next transaction.
    func foreignFileSetAside(_ file: DamagedRow) { foreignFiles.append(file) }

    /// Notes that this object has replaced the file, in which all damaged rows are reported again.
    func hasBeenReplaced() {
        reported = []
        hasReplacedFile = true
    }

    /// Returns whether another connection has changed the database since the last call, or if that cannot be read.
    func hasForeignChange() -> Bool {
        let current = try? withCurrentFile { () throws(DatabaseError) in try Self.dataVersion(connection) }
        guard let version = current else { return true }
        defer { dataVersion = version }
        return version != dataVersion
    }

    private static func dataVersion(_ connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
        try connection.first("PRAGMA data_version") { (row) throws(DatabaseError) in try row.integer(0) } ?? 0
    }
}

/// A row whose seal does not match its columns: another program has changed it, or the file is damaged. Or something
/// else that is wrong with the file, or was beside it.
public struct DamagedRow: Sendable, Hashable {
    /// The file itself, in place of a row: a call has failed with the code `damaged`.
    public static let file = DamagedRow("", .text("the file"))
    /// The file, which another process has recovered or replaced: it is not damaged, but can lack purchases until the
    /// ledger and the store's history are read.
    public static let replacedFile = DamagedRow("", .text("the file, which another process has replaced"))

    /// Something with the name of a rollback journal, which a database with content does not have, or the write-ahead
    /// log of another database. It was renamed, and nothing of the database was changed.
    public static func foreignFile(_ path: String, setAsideAs newPath: String) -> DamagedRow {
        DamagedRow(
            "", .text("\(path) was set aside as \(newPath): it does not belong to the database"), newPath)
    }

    /// The table of the row; empty for the file and for what was beside it.
    public let table: String
    /// The column that identifies the row, as text.
    public let identity: String
    /// The path under which a foreign journal or log was set aside; nil for everything else.
    public let pathSetAside: String?

    init(_ table: String, _ identity: SQLiteValue, _ pathSetAside: String? = nil) {
        self.table = table
        self.pathSetAside = pathSetAside
        self.identity =
            switch identity {
            case .null: "NULL"
            case .integer(let integer): "\(integer)"
            case .text(let text): text
            case .blob(let bytes): SHA256Digest(bytes: bytes)?.description ?? "\(bytes.count) bytes"
            }
    }
}

extension DamagedRow: CustomStringConvertible {
    /// The table and the row, or the file.
    public var description: String { table.isEmpty ? identity : "\(table) \(identity)" }
}
