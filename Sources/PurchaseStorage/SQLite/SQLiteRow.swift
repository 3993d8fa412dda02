import PurchaseCore

/// The current row of a query; it is valid only inside the closure that receives it.
///
/// Tables are STRICT, so a column of an unexpected type means that the file is damaged.
struct SQLiteRow: ~Copyable {
    private let statement: SQLiteStatement

    init(_ statement: SQLiteStatement) {
        self.statement = statement
    }

    borrowing func integer(_ column: Int32) throws(DatabaseError) -> Int64 {
        guard let value = statement.integer(column) else { throw Self.unexpected(column) }
        return value
    }

    borrowing func text(_ column: Int32) throws(DatabaseError) -> String {
        guard let value = statement.text(column) else { throw Self.unexpected(column) }
        return value
    }

    borrowing func blob(_ column: Int32) throws(DatabaseError) -> [UInt8] {
        guard let value = statement.blob(column) else { throw Self.unexpected(column) }
        return value
    }

    borrowing func optionalInteger(_ column: Int32) throws(DatabaseError) -> Int64? {
        statement.isNull(column) ? nil : try integer(column)
    }

    borrowing func optionalText(_ column: Int32) throws(DatabaseError) -> String? {
        statement.isNull(column) ? nil : try text(column)
    }

    borrowing func optionalBlob(_ column: Int32) throws(DatabaseError) -> [UInt8]? {
        statement.isNull(column) ? nil : try blob(column)
    }

    /// Returns the value of a column of any type.
    borrowing func value(_ column: Int32) throws(DatabaseError) -> SQLiteValue {
        guard let value = statement.value(column) else { throw Self.unexpected(column) }
        return value
    }

    /// Calls `body` with the value of a column of any type, which it does not copy.
    borrowing func withValue<Result>(
        _ column: Int32, _ body: (BorrowedValue) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        guard let result = try statement.withValue(column, body) else { throw Self.unexpected(column) }
        return result
    }

    private static func unexpected(_ column: Int32) -> DatabaseError {
        DatabaseError(.damaged, "column \(column) of a row has an unexpected type")
    }
}
