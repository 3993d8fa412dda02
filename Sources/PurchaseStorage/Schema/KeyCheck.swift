import PurchaseCore

/// The row that shows whether a key is the one that a database was written with.
///
/// With another key every row has a wrong seal. Without this check the rows would be ignored, and then overwritten.
enum KeyCheck {
    private static let table = SealedTable("key_check", ["id"])

    /// Inserts the row; part of the transaction that creates the database.
    static func insert(_ key: DatabaseKey, into connection: SQLiteConnection) throws(DatabaseError) {
        try table.insert([.integer(1)], into: connection, key)
    }

    /// Checks a key.
    ///
    /// - Throws: `DatabaseError` with the code `wrong-key`, or with `damaged` if the row is missing.
    static func verify(_ key: DatabaseKey, in connection: SQLiteConnection) throws(DatabaseError) {
        var hasOtherKey = false
        let rows = try table.rows("WHERE id = 1", in: connection, key) { _ in hasOtherKey = true }
        if hasOtherKey { throw DatabaseError(.wrongKey, "the database was written with another key") }
        if rows.isEmpty { throw DatabaseError(.damaged, "the check of the database's key is missing") }
    }
}
