import PurchaseCore
import SQLite

extension DatabaseSchema {
    /// Checks that a file is new or a database of this package that this version can use; the file does not change.
    ///
    /// - Returns: Whether the file has the tables; false for a new file.
    /// - Throws: `DatabaseError` with the code `newer-schema`, `other-program`, `wrong-key` or `damaged`, or
    ///   `foreign-log` if the log beside the file is that of another database.
    @discardableResult
    static func check(_ connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) -> Bool {
        do throws(DatabaseError) {
            let hasTables = try checkView(connection, key)
            guard !hasTables, hasForeignLog(connection, key) else { return hasTables }
        } catch {
            guard [.otherProgram, .wrongKey].contains(error.code), hasForeignLog(connection, key) else { throw error }
        }
        let log = connection.path + SQLiteFiles.log
        throw DatabaseError(.foreignLog, "\(log) is the write-ahead log of another database")
    }

    /// Returns whether the file without its log is a database of the key.
    ///
    /// A log with which it is none is then that of another database: SQLite reads each log that has the name.
    private static func hasForeignLog(_ connection: SQLiteConnection, _ key: DatabaseKey) -> Bool {
        // The file's own header first: opening the file again would end the locks of other connections of this process.
        let id = applicationID
        let bytes = [UInt8(id >> 24 & 255), UInt8(id >> 16 & 255), UInt8(id >> 8 & 255), UInt8(id & 255)]
        guard SQLiteFiles.hasContent(connection.path + SQLiteFiles.log),
            let header = connection.fileHeader, header[68..<72].elementsEqual(bytes),
            let file = try? SQLiteConnection(path: connection.path, busyTimeout: 0, mode: .examineWithoutLog)
        else { return false }
        return (try? KeyCheck.verify(key, in: file)) != nil
    }

    /// Checks the database that the file and its log have together.
    private static func checkView(_ connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) -> Bool {
        try connection.read { () throws(DatabaseError) in
            // The header is not under a seal, so one that contradicts the sealed version is damaged.
            let answer = try? KeyCheck.answer(key, in: connection)
            let sealed: Int64? = if case .key(let schema)? = answer { schema } else { nil }
            if let sealed, sealed > version { throw newerSchema(sealed) }
            let found: Int64
            do throws(DatabaseError) {
                found = try version(of: connection)
            } catch {
                guard sealed != nil else { throw error }
                throw DatabaseError(.damaged, "the header is damaged: \(error.message)")
            }
            guard found > 0 else { return false }
            do throws(DatabaseError) {
                try KeyCheck.verify(key, in: connection)
            } catch {
                guard error.code == .misuse else { throw error }
                throw DatabaseError(.damaged, "the table of the key's check is missing", underlying: error)
            }
            if let sealed, sealed != found {
                throw DatabaseError(.damaged, "the header has schema version \(found) instead of \(sealed)")
            }
            try checkObjects(connection)
            return true
        }
    }

    /// Returns the version of a file's schema; 0 for a new file.
    static func version(of connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
        let found = try integer("PRAGMA user_version", connection)
        let application = try integer("PRAGMA application_id", connection)
        let tables = try integer("SELECT count(*) FROM sqlite_schema", connection)
        guard
            (application == applicationID && found > 0) || (application == 0 && found == 0 && tables == 0)
        else {
            throw DatabaseError(.otherProgram, "the file is a database of another program")
        }
        guard found <= version else { throw newerSchema(found) }
        return found
    }

    private static func newerSchema(_ found: Int64) -> DatabaseError {
        DatabaseError(
            .newerSchema,
            "the database has schema version \(found), and this program knows versions up to \(version)")
    }

    private static func integer(_ sql: String, _ connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
        try connection.first(sql) { (row) throws(DatabaseError) in try row.integer(0) } ?? 0
    }

    // MARK: Tables and indexes

    /// Checks that a database has its tables and indexes as ``create(in:_:)`` makes them.
    private static func checkObjects(_ connection: SQLiteConnection) throws(DatabaseError) {
        guard let expectedObjects else { return }
        guard try expectedObjects.isSubset(of: objects(connection)) else {
            throw DatabaseError(.damaged, "a table or an index is missing or was changed")
        }
    }

    /// The definitions of a new database; nil if it cannot be made in memory.
    private static let expectedObjects: Set<String>? = {
        guard let key = try? DatabaseKey.random(), let key = DatabaseKey(key),
            let connection = try? SQLiteConnection(path: ":memory:", busyTimeout: 0),
            (try? create(in: connection, key)) != nil
        else { return nil }
        return try? objects(connection)
    }()

    private static func objects(_ connection: SQLiteConnection) throws(DatabaseError) -> Set<String> {
        let objects = try connection.rows("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema") {
            (row) throws(DatabaseError) in try row.text(0)
        }
        return Set(objects)
    }
}
