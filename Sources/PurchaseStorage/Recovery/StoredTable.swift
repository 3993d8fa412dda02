import PurchaseCore
import ReceiptTypes

/// A table of the database as a recovery copies it, row by row, into another file.
struct StoredTable: Sendable {
    let name: String
    let columns: [String]
    /// Returns whether the seal of a row, given as its columns, is right.
    let isSealed: @Sendable ([SQLiteValue], DatabaseKey) throws(DatabaseError) -> Bool
    /// Writes what another table has of a row that was copied.
    var complete: (@Sendable ([SQLiteValue], DatabaseKey, SQLiteConnection) throws(DatabaseError) -> Void)?

    /// The tables in an order in which a row follows those that it refers to.
    static let all: [StoredTable] = [
        signedTexts, StoredTable(EntryRow.table), StoredTable(PurchaseDatabase.fulfilments),
        StoredTable(PurchaseDatabase.renewalInfos), memory, purchases, StoredTable(PurchaseEvent.table),
        StoredTable(DatabaseProducts.table), StoredTable(PurchaseDatabase.tombstones),
        StoredTable(DatabaseRecovery.table),
    ]

    private init(_ table: SealedTable) {
        self.init(name: table.name, columns: table.columns + ["seal"]) { (row, key) throws(DatabaseError) in
            try table.content(ofRow: row, key) != nil
        }
    }

    private init(
        name: String, columns: [String],
        isSealed: @escaping @Sendable ([SQLiteValue], DatabaseKey) throws(DatabaseError) -> Bool
    ) {
        self.name = name
        self.columns = columns
        self.isSealed = isSealed
    }

    private static let signedTexts = StoredTable(name: "signed_texts", columns: ["digest", "sealed"]) {
        (row, key) throws(DatabaseError) in
        guard case .blob(let digest)? = row.first, case .blob(let sealed)? = row.last else { return false }
        return try SignedTextRow.open(sealed, digest, key) != nil
    }

    private static let memory = StoredTable(name: "journal_memory", columns: ["name", "sealed"]) {
        (row, key) throws(DatabaseError) in
        guard row.first == .text("memory"), case .blob(let sealed)? = row.last else { return false }
        return try key.open(sealed, PurchaseDatabase.memoryPlace) != nil
    }

    /// The purchases, whose features are also in an index.
    private static let purchases: StoredTable = {
        var table = StoredTable(PurchaseRow.table)
        table.complete = { (row, key, connection) throws(DatabaseError) in
            guard let content = try PurchaseRow.table.content(ofRow: row, key),
                let purchase = PurchaseRow([SQLiteValue](row.dropLast()), content: content, user: nil)
            else { return }
            for feature in purchase.recorded.purchase.listedFeatures {
                try connection.execute(
                    "INSERT INTO purchase_features (purchase_id, feature_id, created_at) VALUES (?, ?, ?)",
                    [.integer(purchase.id), .text(feature), .integer(purchase.updatedAt.millisecondsSince1970)])
            }
        }
        return table
    }()
}
