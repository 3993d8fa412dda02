extension Migration {
    /// The entries of the log, the analytics events that wait for their delivery, how far the events of purchases were
    /// read for them, and the alerts that were raised.
    ///
    /// Times are milliseconds since 1970. The content of an entry and of an event is in its seal. The id of a case is a
    /// keyed digest of what it is about.
    static let observability = Migration(
        version: 6,
        statements: [
            """
            CREATE TABLE log_entries (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                logged_at INTEGER NOT NULL,
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
        ])
}
