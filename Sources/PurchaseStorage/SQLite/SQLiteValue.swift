/// A value of a column: what a statement binds and a row returns.
enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    init(_ text: String?) {
        self = text.map(SQLiteValue.text) ?? .null
    }

    init(_ integer: Int64?) {
        self = integer.map(SQLiteValue.integer) ?? .null
    }
}
