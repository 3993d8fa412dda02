public import PurchaseCore
public import ReceiptTypes
internal import ReceiptVerification
import SQLite

/// The log of a ``PurchaseDatabase``: the entries of a `SupportLog`, and the cases of a `PurchaseMonitor`.
///
/// The newest entries are kept, up to a number and an age. They are encrypted in the file, and those of the time when a
/// user was signed in, or about one of the user's transactions, are deleted with the user. A row that another program
/// has changed is not returned and is reported to the database's `onDamage`.
public struct DatabaseLog: LogStorage, AlertCases {
    /// The database of the log.
    public let database: PurchaseDatabase
    private let limit: Int
    private let longestAge: Int64
    private let environment: PurchaseEnvironment

    /// The number of reported cases that are remembered.
    static let caseLimit = 10_000

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - limit: The largest number of kept entries, at least one.
    ///   - longestAge: The milliseconds after which an entry is deleted: by default 30 days. They are counted to the
    ///     last entry that is at least a day older than the newest one, and not to the clock, which can be ahead: what
    ///     it shows for less than a day deletes nothing. After a clock that was ahead for longer, the limit alone
    ///     bounds the later entries until their dates pass what it showed.
    ///   - environment: The clock, for the date of an export.
    public init(
        _ database: PurchaseDatabase, limit: Int = 2_000, longestAge: Int64 = 30 * 86_400_000,
        environment: PurchaseEnvironment = .system
    ) {
        self.database = database
        self.limit = max(1, limit)
        self.longestAge = max(0, longestAge)
        self.environment = environment
    }

    // MARK: Entries

    /// Stores entries in their order, and deletes the oldest ones beyond the bounds.
    public func append(_ entries: [LogEntry]) async throws(DatabaseError) {
        try await database.write { [limit, longestAge] (database) throws(DatabaseError) in
            for entry in entries { try database.appendLogEntry(entry) }
            try database.deleteLogEntries(keeping: limit, longestAge)
        }
    }

    /// Returns the kept entries, the oldest first.
    public func logEntries() async throws(DatabaseError) -> [LogEntry] {
        try await database.read { (database) throws(DatabaseError) in
            try database.storedLogEntries().map(\.entry)
        }
    }

    /// Deletes all entries.
    public func removeLogEntries() async throws(DatabaseError) {
        try await database.write { (database) throws(DatabaseError) in
            try database.connection.execute("DELETE FROM log_entries")
            return ()
        }
    }

    /// Writes the kept entries to a new file with mode 0600, as one JSON document for support.
    ///
    /// - Parameters:
    ///   - path: The path of the file, in a folder that other users cannot change.
    ///   - facts: Facts of the app, such as its version, under names of its own. They are written as they are.
    /// - Throws: A `DatabaseError`, with the code `not-opened` if something has the path already, which then stays as
    ///   it is.
    public func export(to path: String, facts: [String: String] = [:]) async throws(DatabaseError) {
        let document = try await exportedLog(facts: facts, at: environment.clock())
        try DatabaseError.converting { () throws(FileError) in
            let parts = try PrivateFolder.parts(of: path)
            let folder = try PrivateFolder(parts.folder, creating: true)
            folder.removeUnfinished(for: parts.name)
            guard try folder.create(parts.name, document) else { throw FileError(code: .exists, path: path) }
        }
    }

    // MARK: Cases

    /// Returns the id of a subject's case, a keyed digest; nil if the case was reported.
    public func unreportedCase(of subject: String) async throws(DatabaseError) -> String? {
        try await database.read { (database) throws(DatabaseError) in
            let id = try database.caseID(of: subject)
            return try database.isReported(id) ? nil : id
        }
    }

    /// Notes that a case was reported.
    public func markReported(_ id: String, at date: Timestamp) async throws(DatabaseError) {
        try await database.write { (database) throws(DatabaseError) in
            try database.storeReported(id, at: date, keeping: Self.caseLimit)
        }
    }
}
