import SQLite

extension Migration {
    /// An index for the deletion of a purchase, and whether the file must be rewritten before that leaves nothing.
    ///
    /// Earlier versions wrote pages with copies of rows in their unused parts, see ``ErasingFileSystem``. So a file of
    /// an earlier version gets the row, and the first deletion rewrites the file.
    static let erasure = Migration(
        version: 10,
        statements: [
            "CREATE INDEX journal_entries_by_transaction ON journal_entries (transaction_id)",
            "CREATE TABLE file_rewrites (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT",
            "INSERT INTO file_rewrites (id) SELECT 1 WHERE EXISTS (SELECT 1 FROM key_check)",
        ])
}
