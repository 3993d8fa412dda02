extension Migration {
    /// The keys of the databases whose tombstones were imported, each in the seal of its row, under a digest of the
    /// key.
    static let tombstoneKeys = Migration(
        version: 8,
        statements: [
            """
            CREATE TABLE tombstone_keys (
                id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 32),
                seal BLOB NOT NULL
            ) STRICT
            """
        ])
}
