import PurchaseCore
import SQLite

/// A table whose rows each carry a seal over their columns, which can contain encrypted content besides.
///
/// Another program can change the file, for example with the `sqlite3` shell. It cannot make a seal without the key, so
/// a changed or copied row is found when it is read. A row that was deleted, or put back to an earlier state with its
/// seal, is not found here.
struct SealedTable: Sendable {
    /// The name of the table.
    let name: String
    /// The columns under the seal; the column `seal` follows them.
    let columns: [String]

    private let insertion: String
    private let selection: String
    private let update: String

    /// Creates a table; the first column identifies a row.
    init(_ name: String, _ columns: [String]) {
        self.name = name
        self.columns = columns
        let all = columns + ["seal"]
        let list = all.joined(separator: ", ")
        insertion = "INSERT INTO \(name) (\(list)) VALUES (\(all.map { _ in "?" }.joined(separator: ", ")))"
        selection = Self.selection(name, columns)
        let assignments = all.map { "\($0) = ?" }.joined(separator: ", ")
        update = "UPDATE \(name) SET \(assignments) WHERE \(columns.first ?? "seal") = ?"
    }

    private static func selection(_ name: String, _ columns: [String], and more: [String] = []) -> String {
        let all = (columns + ["seal"]).map { "\(name).\($0)" } + more
        return "SELECT \(all.joined(separator: ", ")) FROM \(name) "
    }

    /// Returns a query of the columns and the seal, and of another column of a joined table; a condition can follow.
    func query(with column: String, _ join: String) -> String {
        "\(Self.selection(name, columns, and: [column]))\(join) "
    }

    /// Inserts a row.
    func insert(
        _ values: [SQLiteValue], content: [UInt8] = [], into connection: SQLiteConnection, _ key: DatabaseKey
    ) throws(DatabaseError) {
        try connection.execute(insertion, values + [.blob(try key.seal(content, fields(values)))])
    }

    /// Replaces the row whose first column has a value.
    func replace(
        _ first: SQLiteValue, by values: [SQLiteValue], content: [UInt8] = [], in connection: SQLiteConnection,
        _ key: DatabaseKey
    ) throws(DatabaseError) {
        try connection.execute(update, values + [.blob(try key.seal(content, fields(values))), first])
    }

    /// Returns the rows of a condition whose seals are right; `onDamage` receives the first column of each other row.
    func rows(
        _ condition: String, _ values: [SQLiteValue] = [], in connection: SQLiteConnection, _ key: DatabaseKey,
        onDamage: (SQLiteValue) -> Void
    ) throws(DatabaseError) -> [[SQLiteValue]] {
        try rows(condition, values, in: connection, key, onDamage: onDamage) { (columns, _) in
            var columns = columns
            return columns.values()
        }
    }

    /// Returns what `make` reads from the columns and the encrypted content of each row of a condition.
    ///
    /// `onDamage` receives the first column of each row whose seal is wrong, and of each for which `make` returns nil.
    func rows<Value>(
        _ condition: String, _ values: [SQLiteValue] = [], in connection: SQLiteConnection, _ key: DatabaseKey,
        onDamage: (SQLiteValue) -> Void, make: (_ columns: FieldReader, _ content: RawSpan) -> Value?
    ) throws(DatabaseError) -> [Value] {
        var rows: [Value] = []
        var reader = try SealedRowReader(self, key)
        try connection.forEach(selection + condition, values) { (row) throws(DatabaseError) in
            if try reader.open(row), let value = make(reader.columns, reader.content) {
                rows.append(value)
            } else {
                onDamage((try? row.value(0)) ?? .null)
            }
        }
        return rows
    }

    /// Returns the encrypted content of a row, given as its columns and its seal; nil if the seal is wrong.
    func content(ofRow row: [SQLiteValue], _ key: DatabaseKey) throws(DatabaseError) -> [UInt8]? {
        guard case .blob(let seal)? = row.last else { return nil }
        return try key.open(seal, fields([SQLiteValue](row.dropLast())))
    }

    private func fields(_ values: [SQLiteValue]) -> SealedFields { SealedFields(of: name, values) }
}
