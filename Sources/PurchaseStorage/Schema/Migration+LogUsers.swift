import PurchaseCore
import SQLite

extension Migration {
    /// The user of each entry of the log as a keyed digest; null in the entries of earlier versions.
    static let logUsers = Migration(
        version: 9,
        statements: ["ALTER TABLE log_entries ADD COLUMN user_digest BLOB"],
        formerColumns: ["log_entries": ["id", "logged_at", "seal"]],
        convert: { (connection, key) throws(DatabaseError) in
            let old = SealedTable("log_entries", ["id", "logged_at"])
            let new = SealedTable("log_entries", ["id", "logged_at", "user_digest"])
            // A row that was changed keeps its wrong seal.
            let rows = try old.rows("", in: connection, key, onDamage: { _ in }) { (columns, content) in
                var columns = columns
                return (columns: columns.values(), content: content.bytes)
            }
            for row in rows {
                try new.replace(
                    row.columns[0], by: row.columns + [.null], content: row.content, in: connection, key)
            }
        })
}
