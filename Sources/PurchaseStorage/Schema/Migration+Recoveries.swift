extension Migration {
    /// The recoveries of the database, each with its report in its seal.
    ///
    /// From this version on, the check of the key contains the version of the schema, so that a damaged header is not
    /// taken for a file of another program or of a newer version.
    static let recoveries = Migration(
        version: 4,
        statements: [
            """
            CREATE TABLE recoveries (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                recovered_at INTEGER NOT NULL,
                is_finished INTEGER NOT NULL CHECK (is_finished IN (0, 1)),
                seal BLOB NOT NULL
            ) STRICT
            """
        ])
}
