extension Migration {
    /// The check of the key, the signed texts, the journal of the purchase service, and what belongs to it.
    ///
    /// Signed texts are encrypted and stored once, under the SHA-256 digest of the text that identifies the delivery.
    /// Each other row has a seal over its columns, so also over the digest of its text. Times are milliseconds since
    /// 1970.
    static let journal = Migration(
        version: 1,
        statements: [
            """
            CREATE TABLE key_check (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                seal BLOB NOT NULL
            ) STRICT
            """,
            """
            CREATE TABLE signed_texts (
                digest BLOB PRIMARY KEY NOT NULL CHECK (length(digest) = 32),
                sealed BLOB NOT NULL
            ) STRICT
            """,
            """
            CREATE TABLE journal_entries (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                text_digest BLOB NOT NULL UNIQUE REFERENCES signed_texts (digest),
                store TEXT NOT NULL CHECK (store IN ('app-store', 'google-play')),
                transaction_id TEXT NOT NULL,
                product_id TEXT NOT NULL,
                objection TEXT,
                source TEXT NOT NULL,
                observed_at INTEGER NOT NULL,
                stage INTEGER NOT NULL CHECK (stage BETWEEN 0 AND 4),
                quarantine_reason TEXT,
                account TEXT,
                verified_id TEXT,
                common_digest BLOB,
                purchase_key TEXT,
                facts_digest BLOB,
                signed_date INTEGER,
                seal BLOB NOT NULL,
                CHECK ((verified_id IS NULL) = (purchase_key IS NULL)),
                CHECK (stage = 0 OR verified_id IS NOT NULL)
            ) STRICT
            """,
            "CREATE INDEX journal_entries_by_verified_id ON journal_entries (verified_id)",
            "CREATE INDEX journal_entries_by_purchase_key ON journal_entries (purchase_key)",
            """
            CREATE TABLE fulfilments (
                purchase_key TEXT PRIMARY KEY NOT NULL,
                fulfilment TEXT NOT NULL CHECK (fulfilment IN ('granted', 'revoked')),
                product_id TEXT,
                quantity INTEGER,
                seal BLOB NOT NULL
            ) STRICT
            """,
            """
            CREATE TABLE claims (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                purchase_key TEXT NOT NULL UNIQUE,
                start_at INTEGER NOT NULL,
                end_at INTEGER NOT NULL,
                follows_unanswered INTEGER NOT NULL CHECK (follows_unanswered IN (0, 1))
            ) STRICT
            """,
            """
            CREATE TABLE renewal_infos (
                original_id TEXT PRIMARY KEY NOT NULL,
                signed_date INTEGER NOT NULL,
                text_digest BLOB NOT NULL REFERENCES signed_texts (digest),
                seal BLOB NOT NULL
            ) STRICT
            """,
            "CREATE INDEX renewal_infos_by_text ON renewal_infos (text_digest)",
            """
            CREATE TABLE journal_memory (
                name TEXT PRIMARY KEY NOT NULL,
                sealed BLOB NOT NULL
            ) STRICT
            """,
        ])
}
