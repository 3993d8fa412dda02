/// The current row of a query; it is valid only inside the closure that receives it.
///
/// Tables are STRICT, so a column of an unexpected type means that the file is damaged.
package struct Row<Errors: SQLiteErrors>: ~Copyable {
    package typealias Failure = Errors.Failure

    private let statement: SQLiteStatement

    init(_ statement: SQLiteStatement) {
        self.statement = statement
    }

    package borrowing func integer(_ column: Int32) throws(Failure) -> Int64 {
        guard let value = statement.integer(column) else { throw Self.unexpected(column) }
        return value
    }

    package borrowing func text(_ column: Int32) throws(Failure) -> String {
        guard let value = statement.text(column) else { throw Self.unexpected(column) }
        return value
    }

    package borrowing func blob(_ column: Int32) throws(Failure) -> [UInt8] {
        guard let value = statement.blob(column) else { throw Self.unexpected(column) }
        return value
    }

    package borrowing func optionalInteger(_ column: Int32) throws(Failure) -> Int64? {
        statement.isNull(column) ? nil : try integer(column)
    }

    package borrowing func optionalText(_ column: Int32) throws(Failure) -> String? {
        statement.isNull(column) ? nil : try text(column)
    }

    package borrowing func optionalBlob(_ column: Int32) throws(Failure) -> [UInt8]? {
        statement.isNull(column) ? nil : try blob(column)
    }

    /// Returns the value of a column of any type.
    package borrowing func value(_ column: Int32) throws(Failure) -> SQLiteValue {
        guard let value = statement.value(column) else { throw Self.unexpected(column) }
        return value
    }

    /// Calls `body` with the value of a column of any type, which it does not copy.
    ///
    /// Neither the value nor an error of `body` is generic: other modules run this for each column of very many rows.
    package borrowing func withValue(_ column: Int32, _ body: (BorrowedValue) -> Void) throws(Failure) {
        guard statement.withValue(column, body) else { throw Self.unexpected(column) }
    }

    private static func unexpected(_ column: Int32) -> Failure {
        Errors.failure(SQLiteError(.damaged, "column \(column) of a row has an unexpected type"))
    }
}
