import PurchaseCore
import SQLite

/// The row that shows whether a key is the one that a database was written with, and which schema the file has.
///
/// With another key every row has a wrong seal. Without this check the rows would be ignored, and then overwritten.
enum KeyCheck {
    /// What the row says about a key.
    enum KeyState: Equatable {
        /// The file has no such row.
        case missing
        /// The row was sealed with another key, or was changed.
        case otherKey
        /// The key is right; the row contains the version of the schema.
        case key(schema: Int64)
    }

    private static let table = SealedTable("key_check", ["id"])
    private static let contentName = "schema version"

    /// Stores the row, with the version of the schema; part of the transaction that creates the tables.
    static func store(_ key: DatabaseKey, schema: Int64, in connection: SQLiteConnection) throws(DatabaseError) {
        try connection.execute("DELETE FROM key_check")
        let content = SealedFields(of: contentName, [.integer(schema)]).bytes
        try table.insert([.integer(1)], content: content, into: connection, key)
    }

    /// Reads the row.
    static func answer(_ key: DatabaseKey, in connection: SQLiteConnection) throws(DatabaseError) -> KeyState {
        var hasOtherKey = false
        let states = try table.rows("WHERE id = 1", in: connection, key, onDamage: { _ in hasOtherKey = true }) {
            (_, content) in
            content.readFields(of: contentName) { fields in
                var fields = fields
                return fields.integer().map { KeyState.key(schema: $0) }
            }
        }
        return hasOtherKey ? .otherKey : states.first ?? .missing
    }

    /// Checks a key.
    ///
    /// - Throws: `DatabaseError` with the code `wrong-key`, or with `damaged` if the row is missing, or was changed in
    ///   a file whose signed texts have this key.
    static func verify(_ key: DatabaseKey, in connection: SQLiteConnection) throws(DatabaseError) {
        switch try answer(key, in: connection) {
        case .key: return
        case .missing: throw DatabaseError(.damaged, "the check of the database's key is missing")
        case .otherKey:
            if try SignedTextRow.isReadable(key, in: connection) {
                throw DatabaseError(.damaged, "the check of the database's key was changed")
            }
            throw DatabaseError(.wrongKey, "the database was written with another key")
        }
    }
}
