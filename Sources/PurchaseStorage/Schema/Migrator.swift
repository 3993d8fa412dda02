import PurchaseCore
import SQLite

/// Brings the schema of a database file to the newest version.
struct Migrator {
    /// The migrations in ascending order of their versions.
    var migrations = Migration.all

    /// Checks that a file is new or a database of this package that this version can use; the file does not change.
    ///
    /// - Returns: The version of the schema; 0 for a new file.
    /// - Throws: `DatabaseError` with the code `newer-schema`, `other-program`, `wrong-key` or `damaged`, or
    ///   `foreign-journal` if the log beside the file is that of another database.
    func check(_ connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) -> Int64 {
        do throws(DatabaseError) {
            let version = try checkView(connection, key)
            guard version == 0, hasForeignLog(connection, key) else { return version }
        } catch {
            guard [.otherProgram, .wrongKey].contains(error.code), hasForeignLog(connection, key) else { throw error }
        }
        let log = connection.path + SQLiteFiles.log
        throw DatabaseError(.foreignJournal, "\(log) is the write-ahead log of another database")
    }

    /// Returns whether the file without its log is a database of the key.
    ///
    /// A log with which it is none is then that of another database: SQLite reads each log that has the name.
    private func hasForeignLog(_ connection: SQLiteConnection, _ key: DatabaseKey) -> Bool {
        // The file's own header first: opening the file again would end the locks of other connections of this process.
        let id = Migration.applicationID
        let bytes = [UInt8(id >> 24 & 255), UInt8(id >> 16 & 255), UInt8(id >> 8 & 255), UInt8(id & 255)]
        guard SQLiteFiles.hasContent(connection.path + SQLiteFiles.log),
            let header = connection.fileHeader, header[68..<72].elementsEqual(bytes),
            let file = try? SQLiteConnection(path: connection.path, busyTimeout: 0, mode: .examineWithoutLog)
        else { return false }
        return (try? KeyCheck.verify(key, in: file)) != nil
    }

    /// Checks the database that the file and its log have together.
    private func checkView(_ connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) -> Int64 {
        try connection.read { () throws(DatabaseError) in
            // The header is not under a seal, so one that contradicts the sealed version is damaged.
            let answer = try? KeyCheck.answer(key, in: connection)
            let sealed: Int64? = if case .key(let schema)? = answer { schema } else { nil }
            if let sealed, sealed > newest { throw newerSchema(sealed) }
            let version: Int64
            do throws(DatabaseError) {
                version = try self.version(connection)
            } catch {
                guard sealed != nil else { throw error }
                throw DatabaseError(.damaged, "the header is damaged: \(error.message)")
            }
            guard version > 0 else { return 0 }
            do throws(DatabaseError) {
                try KeyCheck.verify(key, in: connection)
            } catch {
                guard error.code == .misuse else { throw error }
                throw DatabaseError(.damaged, "the table of the key's check is missing", underlying: error)
            }
            if let sealed, sealed != version {
                throw DatabaseError(.damaged, "the header has schema version \(version) instead of \(sealed)")
            }
            try checkSchema(connection, version)
            return version
        }
    }

    /// Brings the schema to the newest version; a new file gets the check of its key.
    ///
    /// All steps are one transaction, in which the version is read again: of several processes that open the file at
    /// the same time, one migrates it.
    func migrate(_ connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) {
        guard try version(connection) < newest else { return }
        try connection.write { () throws(DatabaseError) in
            let version = try version(connection)
            guard version < newest else { return }
            // Another process can have created the database with another key a moment ago.
            if version > 0 { try KeyCheck.verify(key, in: connection) }
            for migration in migrations where migration.version > version {
                for statement in migration.statements { try connection.execute(statement) }
                try migration.convert(connection, key)
                for statement in migration.lastStatements { try connection.execute(statement) }
                try connection.execute("PRAGMA user_version = \(migration.version)")
            }
            try KeyCheck.store(key, schema: newest, in: connection)
            try connection.execute("PRAGMA application_id = \(Migration.applicationID)")
        }
    }

    private var newest: Int64 { migrations.last?.version ?? 0 }

    private func version(_ connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
        let version = try integer("PRAGMA user_version", connection)
        let application = try integer("PRAGMA application_id", connection)
        let tables = try integer("SELECT count(*) FROM sqlite_schema", connection)
        guard
            (application == Migration.applicationID && version > 0)
                || (application == 0 && version == 0 && tables == 0)
        else {
            throw DatabaseError(.otherProgram, "the file is a database of another program")
        }
        guard version <= newest else {
            throw newerSchema(version)
        }
        return version
    }

    private func newerSchema(_ version: Int64) -> DatabaseError {
        DatabaseError(
            .newerSchema,
            "the database has schema version \(version), and this program knows versions up to \(newest)")
    }

    private func integer(_ sql: String, _ connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
        try connection.first(sql) { (row) throws(DatabaseError) in try row.integer(0) } ?? 0
    }

    // MARK: Tables and indexes

    /// Checks that a database of the newest version has its tables and indexes as the migrations create them.
    private func checkSchema(_ connection: SQLiteConnection, _ version: Int64) throws(DatabaseError) {
        guard version == newest, version == Migration.all.last?.version, let expected = Self.expectedObjects
        else { return }
        guard try expected.isSubset(of: Self.objects(connection)) else {
            throw DatabaseError(.damaged, "a table or an index is missing or was changed")
        }
    }

    /// The definitions of a new database; nil if it cannot be made in memory.
    private static let expectedObjects: Set<String>? = {
        guard let key = try? DatabaseKey.random(), let key = DatabaseKey(key),
            let connection = try? SQLiteConnection(path: ":memory:", busyTimeout: 0),
            (try? Migrator().migrate(connection, key)) != nil
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
