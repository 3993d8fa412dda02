extension Migration {
    /// The current state of each purchase, the features that it lists, and the events of all purchases.
    ///
    /// A user is stored as a keyed digest. The seal of a purchase contains the reference of its key and its features;
    /// `purchase_features` is an index of those, and its rows unlock nothing. The seal of an event contains the
    /// purchase. Prices are thousandths of the currency, and times are milliseconds since 1970.
    static let purchases = Migration(
        version: 2,
        statements: [
            """
            CREATE TABLE purchases (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                user_digest BLOB NOT NULL CHECK (length(user_digest) = 32),
                transaction_id TEXT NOT NULL,
                store TEXT NOT NULL CHECK (store IN ('app-store', 'google-play')),
                environment TEXT NOT NULL,
                product_id TEXT NOT NULL,
                product_type TEXT NOT NULL,
                purchased_at INTEGER NOT NULL,
                quantity INTEGER NOT NULL CHECK (quantity >= 1),
                remaining_quantity INTEGER NOT NULL CHECK (remaining_quantity BETWEEN 0 AND quantity),
                ownership TEXT NOT NULL,
                price INTEGER,
                currency_code TEXT,
                is_revoked INTEGER NOT NULL CHECK (is_revoked IN (0, 1)),
                revoked_at INTEGER,
                is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
                is_synced INTEGER NOT NULL CHECK (is_synced IN (0, 1)),
                synced_at INTEGER,
                signed_date INTEGER NOT NULL,
                text_digest BLOB NOT NULL REFERENCES signed_texts (digest),
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL,
                seal BLOB NOT NULL,
                UNIQUE (transaction_id, store, environment),
                CHECK (is_synced = (synced_at IS NOT NULL))
            ) STRICT
            """,
            "CREATE INDEX purchases_by_user ON purchases (user_digest, purchased_at)",
            "CREATE INDEX purchases_by_product ON purchases (product_id)",
            "CREATE INDEX purchases_by_sync ON purchases (is_synced)",
            "CREATE INDEX purchases_by_text ON purchases (text_digest)",
            """
            CREATE TABLE purchase_features (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                purchase_id INTEGER NOT NULL REFERENCES purchases (id) ON DELETE CASCADE,
                feature_id TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                UNIQUE (purchase_id, feature_id)
            ) STRICT
            """,
            "CREATE INDEX purchase_features_by_feature ON purchase_features (feature_id)",
            """
            CREATE TABLE purchase_events (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                user_digest BLOB NOT NULL CHECK (length(user_digest) = 32),
                purchase_id INTEGER NOT NULL,
                kind TEXT NOT NULL,
                occurred_at INTEGER NOT NULL,
                seal BLOB NOT NULL
            ) STRICT
            """,
            "CREATE INDEX purchase_events_by_user ON purchase_events (user_digest, id)",
            "CREATE INDEX purchase_events_by_purchase ON purchase_events (purchase_id)",
        ])
}
