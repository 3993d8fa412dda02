import PurchaseCore
import SQLite

/// A table of the database as a recovery checks and copies it, row by row.
struct StoredTable: Sendable {
    let name: String
    let columns: [String]
    /// Returns whether the seal of a row, given as its columns, is right.
    let isSealed: @Sendable ([SQLiteValue], DatabaseKey) throws(DatabaseError) -> Bool

    /// The tables in an order in which a row follows those that it refers to.
    static let all: [StoredTable] = [
        signedTexts, StoredTable(DeliveryRow.table), StoredTable(DatabaseSession.fulfilments),
        StoredTable(DatabaseSession.renewalInfos), memory, StoredTable(PurchaseRow.table),
        StoredTable(PurchaseEvent.table), StoredTable(DatabaseProducts.table),
        StoredTable(DatabaseSession.tombstones), StoredTable(DatabaseSession.tombstoneKeys),
        StoredTable(DatabaseRecovery.table),
        StoredTable(DatabaseSession.logEntries), StoredTable(DatabaseSession.analyticsEvents),
        StoredTable(DatabaseSession.analyticsCursors), StoredTable(DatabaseSession.reportedCases),
    ]

    private init(_ table: SealedTable) {
        let hasNumber = table.columns.first == "id"
        self.init(name: table.name, columns: table.columns + ["seal"]) { (row, key) throws(DatabaseError) in
            if hasNumber, case .integer(let number)? = row.first, !RowNumbers.valid.contains(number) { return false }
            return try table.content(ofRow: row, key) != nil
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

    private static let memory = StoredTable(name: "memory", columns: ["name", "sealed"]) {
        (row, key) throws(DatabaseError) in
        guard row.first == .text("memory"), case .blob(let sealed)? = row.last else { return false }
        return try key.open(sealed, DatabaseSession.memoryPlace) != nil
    }
}
