import PurchaseCore
import ReceiptTypes
import SQLite

/// The table that finds the purchases that list a feature. It follows from their rows, and has no seals of its own.
enum FeatureIndex {
    static let table = "purchase_features"

    /// Writes the features that a purchase lists, unless the table has exactly these.
    static func write(_ row: PurchaseRow, in connection: SQLiteConnection) throws(DatabaseError) {
        let listed = row.recorded.purchase.listedFeatures
        let indexed = try connection.rows(
            "SELECT feature_id FROM purchase_features WHERE purchase_id = ?", [.integer(row.id)]
        ) { (row) throws(DatabaseError) in try row.text(0) }
        guard Set(indexed) != listed else { return }
        try connection.execute("DELETE FROM purchase_features WHERE purchase_id = ?", [.integer(row.id)])
        for feature in listed {
            try connection.execute(
                "INSERT INTO purchase_features (purchase_id, feature_id, created_at) VALUES (?, ?, ?)",
                [.integer(row.id), .text(feature), .integer(row.updatedAt.millisecondsSince1970)])
        }
    }

    /// Returns the number of a purchase of which the table has other features than it lists; nil if there is none.
    static func wrongPurchase(in connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) -> Int64? {
        var indexed: [Int64: Set<String>] = [:]
        try connection.forEach("SELECT purchase_id, feature_id FROM purchase_features") { (row) throws(DatabaseError) in
            indexed[try row.integer(0), default: []].insert(try row.text(1))
        }
        return try purchases(in: connection, key).first { purchase in
            indexed[purchase.id, default: []] != purchase.recorded.purchase.listedFeatures
        }?.id
    }

    /// Returns the purchases of all users whose seals are right.
    static func purchases(in connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) -> [PurchaseRow] {
        try PurchaseRow.table.rows("", in: connection, key, onDamage: { _ in }) { PurchaseRow($0, $1, user: nil) }
    }
}
