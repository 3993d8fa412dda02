import PurchaseCore
import ReceiptTypes
import SQLite

extension Migration {
    /// The accounts of the journal as keyed digests, and what is left of the purchases of a deleted user.
    ///
    /// The account itself is in the seal of an entry. A tombstone is a keyed digest of a purchase, and its seal
    /// contains the last fulfilment.
    static let privacy = Migration(
        version: 5,
        statements: ["ALTER TABLE journal_entries ADD COLUMN account_digest BLOB"],
        formerColumns: ["journal_entries": entryColumns + ["seal"]],
        convert: { (connection, key) throws(DatabaseError) in
            let position = 9
            var newColumns = entryColumns
            newColumns[position] = "account_digest"
            let (old, new) = (SealedTable("journal_entries", entryColumns), SealedTable("journal_entries", newColumns))
            // A row that was changed keeps its wrong seal.
            for var row in try old.rows("", in: connection, key, onDamage: { _ in }) {
                let account: String? = if case .text(let text) = row[position] { text } else { nil }
                row[position] = .null
                if let account { row[position] = .blob(try key.digest(ofUser: UUIDText(account).lowercased)) }
                let content = SealedFields(of: "journal entry", [SQLiteValue(account)]).bytes
                try new.replace(row[0], by: row, content: content, in: connection, key)
            }
        },
        lastStatements: [
            "ALTER TABLE journal_entries DROP COLUMN account",
            "CREATE INDEX journal_entries_by_account ON journal_entries (account_digest)",
            """
            CREATE TABLE tombstones (
                digest BLOB PRIMARY KEY NOT NULL CHECK (length(digest) = 32),
                seal BLOB NOT NULL
            ) STRICT
            """,
        ])

    private static let entryColumns = [
        "text_digest", "store", "transaction_id", "product_id", "objection", "source", "observed_at", "stage",
        "quarantine_reason", "account", "verified_id", "common_digest", "purchase_key", "facts_digest", "signed_date",
    ]
}
