import PurchaseCore

/// One step of the schema's history. A released migration is never changed; a later one corrects it.
struct Migration: Sendable {
    /// The version of the schema after this step, which the file stores as `user_version`.
    let version: Int64
    /// The statements of the step.
    let statements: [String]
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
    static let all: [Migration] = [journal, purchases, products, recoveries, privacy]
}
