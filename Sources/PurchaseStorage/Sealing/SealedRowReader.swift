import PurchaseCore
import SQLite

/// Opens the rows of a ``SealedTable`` one after the other.
///
/// Its buffers serve all rows, because a query can have very many of them.
struct SealedRowReader: ~Copyable {
    private let columnCount: Int
    private var opener: SealOpener
    private var fields: SealedFields
    /// The number of bytes before the field of the first column.
    private let start: Int

    init(_ table: SealedTable, _ key: DatabaseKey) throws(DatabaseError) {
        columnCount = table.columns.count
        opener = try key.opener()
        fields = SealedFields(of: table.name, [])
        start = fields.bytes.count
    }

    /// The number of the column that follows the seal.
    var nextColumn: Int32 { Int32(columnCount) + 1 }

    /// The columns of the last row that was opened.
    var columns: FieldReader {
        @_lifetime(borrow self)
        get {
            // Safe: the bytes of an array of UInt8 are initialised and have no padding.
            unsafe FieldReader(fields.bytes.span.bytes, from: start)
        }
    }

    /// The encrypted content of the last row that was opened.
    var content: RawSpan {
        @_lifetime(borrow self)
        get { opener.plaintext }
    }

    /// Opens a row, which begins with the columns of the table and the seal; false if the seal is wrong.
    mutating func open(_ row: borrowing SQLiteRow) throws(DatabaseError) -> Bool {
        fields.truncate(to: start)
        for column in 0..<columnCount {
            try row.withValue(Int32(column)) { fields.append($0) }
        }
        var isOpen: Result<Bool, DatabaseError> = .success(false)
        try row.withValue(Int32(columnCount)) { value in
            guard case .blob(let seal) = value else { return }
            do throws(DatabaseError) {
                isOpen = .success(try opener.open(seal, fields))
            } catch {
                isOpen = .failure(error)
            }
        }
        return try isOpen.get()
    }
}
