import PurchaseCore
import SQLite

/// The tables and indexes of the database.
///
/// Each row has a seal over its columns, apart from the claims, and from the signed texts and the memory, which are
/// encrypted as a whole. A user or an account is a keyed digest. Times are milliseconds since 1970.
enum DatabaseSchema {
    /// The version of the schema, which the file stores as `user_version` and in its ``KeyCheck``.
    static let version: Int64 = 1
    /// The number in the file's header (`application_id`) that marks a database of this package: "PURC".
    static let applicationID: Int64 = 0x5055_5243

    /// Creates the tables and the check of the key in a new file; a file that has them does not change.
    ///
    /// It is one transaction, in which the version is read again: of several processes that open a new file at the same
    /// time, one creates the database.
    static func create(in connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) {
        guard try version(of: connection) == 0 else { return }
        try connection.write { () throws(DatabaseError) in
            guard try version(of: connection) == 0 else { return }
            for statement in [keyCheck] + ledger + purchases + products + recoveries + observability + tombstones {
                try connection.execute(statement)
            }
            try connection.execute("PRAGMA user_version = \(version)")
            try KeyCheck.store(key, schema: version, in: connection)
            try connection.execute("PRAGMA application_id = \(applicationID)")
        }
    }

    private static let keyCheck = """
        CREATE TABLE key_check (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            seal BLOB NOT NULL
        ) STRICT
        """

    /// The signed texts, the ledger of the purchase service, and what belongs to it.
    ///
    /// Signed texts are encrypted and stored once, under the SHA-256 digest of the text that identifies the delivery.
    /// The seal of an entry contains its account. Fulfilments and claims have a keyed digest of their purchase: the
    /// deletion of a user finds these rows by the entries, and a row whose entry was lost with a damaged file must not
    /// contain the id of the transaction.
    private static let ledger = [
        """
        CREATE TABLE signed_texts (
            digest BLOB PRIMARY KEY NOT NULL CHECK (length(digest) = 32),
            sealed BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE deliveries (
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
            account_digest BLOB,
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
        "CREATE INDEX deliveries_by_transaction ON deliveries (transaction_id)",
        "CREATE INDEX deliveries_by_verified_id ON deliveries (verified_id)",
        "CREATE INDEX deliveries_by_purchase_key ON deliveries (purchase_key)",
        "CREATE INDEX deliveries_by_account ON deliveries (account_digest)",
        """
        CREATE TABLE fulfilments (
            purchase_digest TEXT PRIMARY KEY NOT NULL,
            fulfilment TEXT NOT NULL CHECK (fulfilment IN ('granted', 'revoked')),
            product_id TEXT,
            quantity INTEGER,
            seal BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE claims (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            purchase_digest TEXT NOT NULL UNIQUE,
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
        CREATE TABLE memory (
            name TEXT PRIMARY KEY NOT NULL,
            sealed BLOB NOT NULL
        ) STRICT
        """,
    ]

    /// The current state of each purchase, and the events of all purchases.
    ///
    /// The seal of a purchase contains its user, the reference of its key, and the ids of further products; that of an
    /// event contains the purchase. What a product unlocks is in the catalog of the app. Prices are thousandths of the
    /// currency.
    private static let purchases = [
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
    ]

    /// The products that the store has returned, each in its seal.
    private static let products = [
        """
        CREATE TABLE cached_products (
            product_id TEXT PRIMARY KEY NOT NULL,
            loaded_at INTEGER NOT NULL,
            seal BLOB NOT NULL
        ) STRICT
        """
    ]

    /// The recoveries of the database, each with its report in its seal.
    private static let recoveries = [
        """
        CREATE TABLE recoveries (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            recovered_at INTEGER NOT NULL,
            is_finished INTEGER NOT NULL CHECK (is_finished IN (0, 1)),
            seal BLOB NOT NULL
        ) STRICT
        """
    ]

    /// The entries of the log, the analytics events that wait for their delivery, how far the events of purchases were
    /// read for them, and the alerts that were raised.
    ///
    /// The content of an entry and of an event is in its seal. The id of a case is a keyed digest of what it is about.
    private static let observability = [
        """
        CREATE TABLE log_entries (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            logged_at INTEGER NOT NULL,
            user_digest BLOB,
            seal BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE analytics_events (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_digest BLOB NOT NULL CHECK (length(user_digest) = 32),
            event_id TEXT NOT NULL,
            stored_at INTEGER NOT NULL,
            seal BLOB NOT NULL,
            UNIQUE (user_digest, event_id)
        ) STRICT
        """,
        "CREATE INDEX analytics_events_by_user ON analytics_events (user_digest, id)",
        """
        CREATE TABLE analytics_cursors (
            user_digest BLOB PRIMARY KEY NOT NULL CHECK (length(user_digest) = 32),
            last_event_id INTEGER NOT NULL,
            seal BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE reported_cases (
            id TEXT PRIMARY KEY NOT NULL,
            reported_at INTEGER NOT NULL,
            seal BLOB NOT NULL
        ) STRICT
        """,
    ]

    /// What is left of the purchases of a deleted user: keyed digests, each with the last fulfilment in its seal, and
    /// the keys of the databases whose tombstones were imported, each in its seal under a digest of the key.
    private static let tombstones = [
        """
        CREATE TABLE tombstones (
            digest BLOB PRIMARY KEY NOT NULL CHECK (length(digest) = 32),
            seal BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE tombstone_keys (
            id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 32),
            seal BLOB NOT NULL
        ) STRICT
        """,
    ]
}
