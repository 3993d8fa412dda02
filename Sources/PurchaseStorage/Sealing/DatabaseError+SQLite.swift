package import PurchaseCore
package import SQLite

typealias SQLiteConnection = Connection<DatabaseErrorCode>
typealias SQLiteRow = Row<DatabaseErrorCode>

extension DatabaseErrorCode: SQLiteErrors {
    package static func failure(_ error: SQLiteError) -> DatabaseError {
        DatabaseError(Self(rawValue: error.code.rawValue), error.message, underlying: error.underlying)
    }

    package static func isBusy(_ failure: DatabaseError) -> Bool { failure.code == .busy }
}

extension DatabaseError {
    /// Whether the content of the file explains the error: SQLite has no code of its own for a damaged name in the
    /// schema.
    var isOfDamage: Bool { code == .damaged || code == .misuse }
}
