extension Migration {
    /// The products that the store has returned, each in its seal.
    static let products = Migration(
        version: 3,
        statements: [
            """
            CREATE TABLE cached_products (
                product_id TEXT PRIMARY KEY NOT NULL,
                loaded_at INTEGER NOT NULL,
                seal BLOB NOT NULL
            ) STRICT
            """
        ])
}
