/// A value of a column: what a statement binds and a row returns.
package enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    package init(_ text: String?) {
        self = text.map(SQLiteValue.text) ?? .null
    }

    package init(_ integer: Int64?) {
        self = integer.map(SQLiteValue.integer) ?? .null
    }
}

/// A value of the current row, whose bytes belong to SQLite until the next step.
package enum BorrowedValue: ~Escapable {
    case null
    case integer(Int64)
    /// The bytes of a text; in a damaged file they may not be UTF-8.
    case text(RawSpan)
    case blob(RawSpan)
}
