package import PurchaseCore
package import SQLite

typealias SQLiteConnection = Connection<DatabaseError>
typealias SQLiteRow = Row<DatabaseError>

extension DatabaseError: SQLiteFailure {
    package init(_ error: SQLiteError) {
        self.init(
            .init(rawValue: error.code.rawValue), error.message, resultCode: error.resultCode,
            underlying: error.underlying)
    }

    package var isBusy: Bool { code == .busy }

    /// Whether the content of the file explains the error: SQLite has no code of its own for a damaged name in the
    /// schema.
    var isOfDamage: Bool { code == .damaged || code == .misuse }
}
