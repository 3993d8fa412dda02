import PurchaseCore
import SQLite

/// One step of the schema's history. A released migration is never changed; a later one corrects it.
struct Migration: Sendable {
    /// The version of the schema after this step, which the file stores as `user_version`.
    let version: Int64
    /// The statements of the step.
    let statements: [String]
    /// The columns of tables before this step, in the order of their seals, if they have other names or another order
    /// since.
    ///
    /// A damaged file is salvaged with the columns of its version, and migrated afterwards.
    var formerColumns: [String: [String]] = [:]
    /// Changes rows in a way that needs the key of the database.
    var convert: @Sendable (SQLiteConnection, DatabaseKey) throws(DatabaseError) -> Void = {
        (_, _) throws(DatabaseError) in
    }
    /// The statements after ``convert``.
    var lastStatements: [String] = []
}

extension Migration {
    /// The number in the file's header (`application_id`) that marks a database of this package: "PURC".
    static let applicationID: Int64 = 0x5055_5243

    /// All migrations in ascending order of their versions.
    static let all: [Migration] = [
        journal, purchases, products, recoveries, privacy, observability, purchaseDigests, tombstoneKeys, logUsers,
        erasure,
    ]

    /// Returns the columns of a table at an earlier version; nil if they have not changed since.
    static func formerColumns(of table: String, at version: Int64) -> [String]? {
        all.lazy.filter { $0.version > version }.compactMap { $0.formerColumns[table] }.first
    }
}
