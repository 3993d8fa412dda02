import PurchaseCore

/// Brings the schema of a database file to the newest version.
struct Migrator {
    /// The migrations in ascending order of their versions.
    var migrations = Migration.all

    /// Checks that a file is new or a database of this package that this version can use; the file does not change.
    ///
    /// - Returns: The version of the schema; 0 for a new file.
    /// - Throws: `DatabaseError` with the code `newer-schema` or `other-program`.
    func check(_ connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
        try connection.read { () throws(DatabaseError) in try version(connection) }
    }

    /// Brings the schema to the newest version; a new file gets the check of its key.
    ///
    /// All steps are one transaction, in which the version is read again: of several processes that open the file at the
    /// same time, one migrates it.
    func migrate(_ connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) {
        guard try version(connection) < newest else { return }
        try connection.write { () throws(DatabaseError) in
            let version = try version(connection)
            for migration in migrations where migration.version > version {
                for statement in migration.statements { try connection.execute(statement) }
                try connection.execute("PRAGMA user_version = \(migration.version)")
            }
            if version == 0 { try KeyCheck.insert(key, into: connection) }
            try connection.execute("PRAGMA application_id = \(Migration.applicationID)")
        }
    }

    private var newest: Int64 { migrations.last?.version ?? 0 }

    private func version(_ connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
        let version = try integer("PRAGMA user_version", connection)
        let application = try integer("PRAGMA application_id", connection)
        let tables = try integer("SELECT count(*) FROM sqlite_schema", connection)
        guard application == Migration.applicationID || (application == 0 && version == 0 && tables == 0) else {
            throw DatabaseError(.otherProgram, "the file is a database of another program")
        }
        guard version <= newest else {
            throw DatabaseError(
                .newerSchema,
                "the database has schema version \(version), and this program knows versions up to \(newest)")
        }
        return version
    }

    private func integer(_ sql: String, _ connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
        try connection.first(sql) { (row) throws(DatabaseError) in try row.integer(0) } ?? 0
    }
}
