internal import CSQLite
internal import ReceiptTypes
internal import ReceiptVerification

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A connection to a database file, with its prepared statements.
///
/// It throws the errors of the module that uses it. It is not Sendable: the actor that owns it uses it alone.
@safe
package final class Connection<Errors: SQLiteErrors> {
    package typealias Failure = Errors.Failure

    /// What a connection does with its file.
    package enum Mode {
        /// It reads and writes the file, and creates it.
        case use
        /// It only reads a file that exists, and leaves its write-ahead log as it is.
        case examine
        /// It only reads a file that exists and has no write-ahead log, or an empty one, and leaves no log behind.
        case read
        /// It reads a file whose write-ahead log was removed. No other connection may write to it.
        case examineWithoutLog
    }

    private let raw: OpaquePointer
    package let path: String
    /// The write-ahead log and its index when the connection began to use them.
    private var log: LogFiles?
    private var statements: [String: SQLiteStatement] = [:]
    /// Runs the closing of the connection; false if the file can be replaced at the moment, so that the log must stay.
    ///
    /// The last connection finishes the write-ahead log and deletes it by its name, which can be that of another file
    /// then.
    package var closing: (_ close: () -> Void) -> Bool = { close in
        close()
        return true
    }

    /// Opens a file, or creates it.
    ///
    /// - Parameters:
    ///   - path: The file; no part of the path may be a link. ``SQLiteFiles`` says what may be beside it.
    ///   - busyTimeout: The longest wait for the lock of another connection, in milliseconds.
    ///   - mode: What the connection does with the file.
    package init(path: String, busyTimeout: Int32, mode: Mode = .use) throws(Failure) {
        var pointer: OpaquePointer?
        let access =
            switch mode {
            case .use: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .examine, .read: SQLITE_OPEN_READWRITE
            case .examineWithoutLog: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let flags =
            access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE
        let name = mode == .examineWithoutLog ? Self.immutableURI(path) : path
        guard let fileSystem = ErasingFileSystem.name else {
            throw Errors.failure(SQLiteError(.outOfMemory, "the file system of the database cannot be registered"))
        }
        let result = unsafe sqlite3_open_v2(name.systemPath, &pointer, flags, fileSystem)
        guard result == SQLITE_OK, let opened = unsafe pointer else {
            // SQLite returns a connection to close even if opening fails; closing nil does nothing.
            unsafe sqlite3_close_v2(pointer)
            throw Errors.failure(
                SQLiteError(resultCode: result, "the database \(path) cannot be opened", database: path))
        }
        unsafe raw = opened
        self.path = path
        unsafe sqlite3_busy_timeout(raw, busyTimeout)
        try configure()
        if mode == .examine || mode == .examineWithoutLog { try keepLog(true) }
    }

    /// Leaves the write-ahead log as it is when the connection is closed, or moves its pages to the file again.
    package func keepLog(_ keepsLog: Bool) throws(Failure) {
        try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keepsLog ? 1 : 0)
    }

    /// Returns the name under which SQLite reads a file without its log and without locks.
    private static func immutableURI(_ path: String) -> String {
        let escapes: [Unicode.Scalar: String] = ["%": "%25", "?": "%3F", "#": "%23"]
        return "file:\(path.unicodeScalars.map { escapes[$0] ?? String($0) }.joined())?immutable=1"
    }

    deinit {
        statements = [:]
        if closing({ unsafe sqlite3_close_v2(raw) }) { return }
        unsafe purchase_sqlite_configure(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        unsafe sqlite3_close_v2(raw)
    }

    private func configure() throws(Failure) {
        // A file from an attacker must not run code of the schema, and SQL must not write the schema's own tables.
        for (option, value): (Int32, Int32) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
            (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_ENABLE_FKEY, 1), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
            (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        ] {
            try configure(option, value)
        }
    }

    private func configure(_ option: Int32, _ value: Int32) throws(Failure) {
        try check(unsafe purchase_sqlite_configure(raw, option, value), "a connection cannot be configured")
    }

    // MARK: File

    /// Whether the path of the connection no longer names the file that the connection has open.
    package var hasMoved: Bool {
        var hasMoved: Int32 = 0
        let result = unsafe sqlite3_file_control(raw, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return result == SQLITE_OK && hasMoved != 0
    }

    /// The header of the file itself, without the pages in its log; nil if it has none.
    package var fileHeader: [UInt8]? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        var size: Int64 = 0
        var header = [UInt8](repeating: 0, count: 100)
        guard unsafe sqlite3_file_control(raw, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file = unsafe file,
            unsafe purchase_sqlite_read_start(file, &header, Int32(header.count), &size) == SQLITE_OK,
            size >= header.count
        else { return nil }
        return header
    }

    /// The files of a write-ahead log and of its index, which stay as long as a connection has them open.
    private struct LogFiles: Equatable {
        private let log, index: FileIdentity

        init?(of database: String) {
            guard let log = FileIdentity(path: database + SQLiteFiles.log),
                let index = FileIdentity(path: database + SQLiteFiles.logIndex)
            else { return nil }
            (self.log, self.index) = (log, index)
        }
    }

    /// Notes the files of the log, which the connection has opened for its first transaction.
    package func noteLog() { log = LogFiles(of: path) }

    /// Whether the log that was noted, or its index, was removed or replaced.
    ///
    /// SQLite does not look for that: it goes on writing to files that no other connection and no later process sees.
    package var hasLostLog: Bool { log == nil || log != LogFiles(of: path) }

    /// Returns whether another connection, in any process, has a file open; false if that cannot be found out.
    ///
    /// A connection with a write-ahead log keeps a lock on the database file, which excludes the one that is tried
    /// here.
    ///
    /// - Parameter mode: What the attempt does with a log that is there.
    package static func isOpenElsewhere(_ path: String, mode: Mode) -> Bool {
        do throws(Failure) {
            let connection = try Connection(path: path, busyTimeout: 0, mode: mode)
            for sql in ["PRAGMA locking_mode = EXCLUSIVE", "SELECT count(*) FROM sqlite_schema"] {
                try connection.forEach(sql) { (_) throws(Failure) in }
            }
            return false
        } catch {
            return Errors.isBusy(error)
        }
    }

    /// Whether SQLite writes nothing to the file, because of its mode or of its header.
    package var isReadOnly: Bool { unsafe sqlite3_db_readonly(raw, "main") == 1 }

    /// Switches the file to write-ahead logging.
    ///
    /// SQLite does not always wait when two connections switch at the same time, so the wait is here.
    ///
    /// - Parameter timeout: The longest wait for another connection, also in later statements, in milliseconds.
    package func useWriteAheadLog(timeout: Int32) throws(Failure) {
        // Where the file system does not support it, SQLite answers with another mode instead of an error.
        let mode = try switchedJournalMode(timeout: timeout)
        guard mode == "wal" else {
            throw Errors.failure(
                SQLiteError(.notOpened, "the database cannot have a write-ahead log, because of its file system"))
        }
    }

    private func switchedJournalMode(timeout: Int32) throws(Failure) -> String? {
        var waited: Int32 = 0
        unsafe sqlite3_busy_timeout(raw, 0)
        defer { unsafe sqlite3_busy_timeout(raw, timeout) }
        while true {
            do throws(Failure) {
                return try first("PRAGMA journal_mode = WAL") { (row) throws(Failure) in try row.text(0) }
            } catch {
                guard Errors.isBusy(error), waited < timeout else { throw error }
                usleep(1_000)
                waited += 1
            }
        }
    }

    /// Moves the pages of the write-ahead log to the file, and empties the log; false while another connection reads
    /// it.
    package func emptyLog() throws(Failure) -> Bool {
        let isBusy = try first("PRAGMA wal_checkpoint(TRUNCATE)") { (row) throws(Failure) in
            try row.integer(0) != 0
        }
        // A page in memory can have copies of deleted rows in its unused part, which the next change would write to the
        // log.
        try execute("PRAGMA shrink_memory")
        return isBusy == false
    }

    // MARK: Statements

    /// Runs a statement that returns no rows, and returns the number of rows that it changed.
    @discardableResult
    package func execute(_ sql: String, _ values: [SQLiteValue] = []) throws(Failure) -> Int {
        try forEach(sql, values) { (_: borrowing Row<Errors>) throws(Failure) in }
        return unsafe Int(sqlite3_changes64(raw))
    }

    /// Calls `body` with each row of a query.
    package func forEach(
        _ sql: String, _ values: [SQLiteValue] = [],
        _ body: (borrowing Row<Errors>) throws(Failure) -> Void
    ) throws(Failure) {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try check(statement.bind(values), "a value cannot be bound")
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else {
                try check(result, "a statement failed")
                return
            }
            try body(Row<Errors>(statement))
        }
    }

    /// Returns the rows of a query.
    package func rows<Value>(
        _ sql: String, _ values: [SQLiteValue] = [],
        _ make: (borrowing Row<Errors>) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        var rows: [Value] = []
        try forEach(sql, values) { (row: borrowing Row<Errors>) throws(Failure) in rows.append(try make(row)) }
        return rows
    }

    /// Returns the only row of a query; nil if there is none.
    package func first<Value>(
        _ sql: String, _ values: [SQLiteValue] = [],
        _ make: (borrowing Row<Errors>) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try rows(sql, values, make).first
    }

    /// The row number of the last insertion.
    package var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(raw) }

    private func prepared(_ sql: String) throws(Failure) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        var pointer: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(raw, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        try check(result, "a statement cannot be prepared")
        guard let prepared = unsafe pointer else { throw Errors.failure(SQLiteError(.misuse, "a statement is empty")) }
        let statement = unsafe SQLiteStatement(prepared)
        statements[sql] = statement
        return statement
    }

    private func check(_ result: Int32, _ message: String) throws(Failure) {
        guard result == SQLITE_OK else {
            throw Errors.failure(SQLiteError(resultCode: result, message, database: path))
        }
    }

    // MARK: Transactions

    /// Runs `body` in one transaction, which is undone if `body` throws.
    ///
    /// The transaction takes the write lock at its start, so that what `body` reads stays true until it has written.
    package func write<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try transaction("BEGIN IMMEDIATE", "COMMIT", body)
    }

    /// Runs `body` in one read transaction, so that all its queries see the same state; its changes are undone.
    package func read<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try transaction("BEGIN", "ROLLBACK", body)
    }

    private func transaction<Value>(
        _ begin: String, _ end: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try execute(begin)
        do throws(Failure) {
            let value = try body()
            try execute(end)
            return value
        } catch {
            // Some errors, such as a full disk, have already ended the transaction.
            if unsafe sqlite3_get_autocommit(raw) == 0 { _ = try? execute("ROLLBACK") }
            throw error
        }
    }
}
