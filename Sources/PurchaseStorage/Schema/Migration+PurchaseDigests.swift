import PurchaseCore
import SQLite

extension Migration {
    /// The purchases of fulfilments and claims as keyed digests.
    ///
    /// The deletion of a user finds these rows by the entries of the journal. A row whose entry was lost with a damaged
    /// file is not found any more, so it must not contain the id of the transaction.
    static let purchaseDigests = Migration(
        version: 7,
        statements: ["fulfilments", "claims"].map {
            "ALTER TABLE \($0) RENAME COLUMN purchase_key TO purchase_digest"
        },
        formerColumns: [
            "fulfilments": ["purchase_key", "fulfilment", "product_id", "quantity", "seal"],
            "claims": ["number", "purchase_key", "start_at", "end_at", "follows_unanswered"],
        ],
        convert: { (connection, key) throws(DatabaseError) in
            let table = SealedTable("fulfilments", ["purchase_digest", "fulfilment", "product_id", "quantity"])
            // A row that was changed keeps its wrong seal.
            var changed: [SQLiteValue] = []
            for row in try table.rows("", in: connection, key, onDamage: { changed.append($0) }) {
                let digest = try key.digest(ofPurchase: row[0])
                try table.replace(row[0], by: [digest] + row.dropFirst(), in: connection, key)
            }
            let claimed = try connection.rows("SELECT purchase_digest FROM claims") { (row) throws(DatabaseError) in
                try row.value(0)
            }
            for (name, purchases) in [("fulfilments", changed), ("claims", claimed)] {
                for purchase in purchases {
                    try connection.execute(
                        "UPDATE \(name) SET purchase_digest = ? WHERE purchase_digest = ?",
                        [try key.digest(ofPurchase: purchase), purchase])
                }
            }
        })
}
