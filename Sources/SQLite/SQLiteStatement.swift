internal import CSQLite

/// A prepared statement, which a connection keeps and runs again with other values.
///
/// It is a class because the connection's cache and the running query share it; only its connection uses it.
@safe
final class SQLiteStatement {
    private let raw: OpaquePointer

    /// Takes over a statement that SQLite has prepared.
    @unsafe
    init(_ raw: OpaquePointer) {
        unsafe self.raw = raw
    }

    deinit { unsafe sqlite3_finalize(raw) }

    /// Replaces the bound values.
    func bind(_ values: [SQLiteValue]) -> Int32 {
        unsafe sqlite3_clear_bindings(raw)
        guard unsafe Int(sqlite3_bind_parameter_count(raw)) == values.count else { return SQLITE_MISUSE }
        for (offset, value) in values.enumerated() {
            let result = bind(value, at: Int32(offset) + 1)
            guard result == SQLITE_OK else { return result }
        }
        return SQLITE_OK
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(raw, index)
        case .integer(let integer): return unsafe sqlite3_bind_int64(raw, index, integer)
        case .text(let text):
            var text = text
            return text.withUTF8 { bytes in
                // Safe: SQLite copies the bytes before the call returns. An empty string may have no address, which
                // would bind NULL, so it gets one.
                guard let base = bytes.baseAddress else {
                    return unsafe purchase_sqlite_bind_text(raw, index, "", 0)
                }
                return unsafe base.withMemoryRebound(to: CChar.self, capacity: bytes.count) { characters in
                    unsafe purchase_sqlite_bind_text(raw, index, characters, UInt64(bytes.count))
                }
            }
        case .blob(let bytes):
            // Safe: as above; an empty array binds an empty blob, with an address or without.
            return unsafe bytes.withUnsafeBytes { buffer in
                unsafe purchase_sqlite_bind_blob(raw, index, buffer.baseAddress, UInt64(buffer.count))
            }
        }
    }

    /// Runs the statement to its next row or to its end, and returns SQLite's extended result code.
    func step() -> Int32 { unsafe sqlite3_step(raw) }

    /// Ends the run, so that the statement holds no lock and no values.
    func reset() {
        unsafe sqlite3_reset(raw)
        unsafe sqlite3_clear_bindings(raw)
    }

    // MARK: Columns of the current row

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(raw, column) == SQLITE_NULL }

    /// Returns the integer in a column; nil for another type.
    func integer(_ column: Int32) -> Int64? {
        guard unsafe sqlite3_column_type(raw, column) == SQLITE_INTEGER else { return nil }
        return unsafe sqlite3_column_int64(raw, column)
    }

    /// Returns the text in a column; nil for another type and for bytes that are not UTF-8.
    func text(_ column: Int32) -> String? {
        guard unsafe sqlite3_column_type(raw, column) == SQLITE_TEXT else { return nil }
        // Safe: the pointer is valid until the next step; its count is asked for afterwards, as SQLite demands.
        guard let pointer = unsafe sqlite3_column_text(raw, column) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(raw, column))
        return unsafe String(validating: UnsafeBufferPointer(start: pointer, count: count), as: UTF8.self)
    }

    /// Returns the bytes in a column; nil for another type.
    func blob(_ column: Int32) -> [UInt8]? {
        guard unsafe sqlite3_column_type(raw, column) == SQLITE_BLOB else { return nil }
        // Safe: as above; an empty blob has no address.
        let pointer = unsafe sqlite3_column_blob(raw, column)
        let count = unsafe Int(sqlite3_column_bytes(raw, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: pointer, count: count))
    }

    /// Calls `body` with the value in a column, which it does not copy; false for a real number, which no table of ours
    /// has.
    func withValue(_ column: Int32, _ body: (BorrowedValue) -> Void) -> Bool {
        switch unsafe sqlite3_column_type(raw, column) {
        case SQLITE_NULL: body(.null)
        case SQLITE_INTEGER: unsafe body(.integer(sqlite3_column_int64(raw, column)))
        case SQLITE_TEXT:
            // Safe: as above; the span cannot leave `body`.
            guard let pointer = unsafe sqlite3_column_text(raw, column) else { return false }
            let count = unsafe Int(sqlite3_column_bytes(raw, column))
            unsafe body(.text(UnsafeRawBufferPointer(start: pointer, count: count).bytes))
        case SQLITE_BLOB:
            let pointer = unsafe sqlite3_column_blob(raw, column)
            let count = unsafe Int(sqlite3_column_bytes(raw, column))
            unsafe body(.blob(UnsafeRawBufferPointer(start: pointer, count: count).bytes))
        default: return false
        }
        return true
    }

    /// Returns the value in a column; nil for a real number and for text that is not UTF-8, which no table of ours has.
    func value(_ column: Int32) -> SQLiteValue? {
        switch unsafe sqlite3_column_type(raw, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: integer(column).map(SQLiteValue.integer)
        case SQLITE_TEXT: text(column).map(SQLiteValue.text)
        case SQLITE_BLOB: blob(column).map(SQLiteValue.blob)
        default: nil
        }
    }
}
