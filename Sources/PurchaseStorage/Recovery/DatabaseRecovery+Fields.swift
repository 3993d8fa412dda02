import PurchaseCore
import ReceiptTypes

// A report is one sealed row: its columns, and a list of fields with the number of rows for each table at its end.
extension DatabaseRecovery {
    static let table = SealedTable("recoveries", ["id", "recovered_at", "is_finished"])
    private static let contentName = "recovery"

    /// Inserts a recovery that is not finished.
    func insert(into connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) {
        try Self.table.insert(values(isFinished: false), content: content, into: connection, key)
    }

    /// Stores that a recovery is finished.
    func storeAsFinished(in connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) {
        try Self.table.replace(
            .integer(id), by: values(isFinished: true), content: content, in: connection, key)
    }

    private func values(isFinished: Bool) -> [SQLiteValue] {
        [.integer(id), .integer(date.millisecondsSince1970), .integer(isFinished ? 1 : 0)]
    }

    private var content: [UInt8] {
        var fields: [SQLiteValue] = [
            .text(finding.rawValue), .text(detail), .text(damagedPath), .integer(Int64(rejectedRows)),
        ]
        for (table, count) in salvagedRows.sorted(by: { $0.key < $1.key }) {
            fields += [.text(table), .integer(Int64(count))]
        }
        return SealedFields(of: Self.contentName, fields).bytes
    }

    /// Reads a row; nil if a value is not one that this version writes.
    init?(_ columns: FieldReader, _ content: RawSpan) {
        var columns = columns
        guard let id = columns.integer(), let date = columns.timestamp(),
            var fields = FieldReader(content, of: Self.contentName),
            let finding = fields.text(), let detail = fields.text(), let damagedPath = fields.text(),
            let rejectedRows = fields.int()
        else { return nil }
        var salvagedRows: [String: Int] = [:]
        while !fields.isEmpty {
            guard let table = fields.text(), let count = fields.int()
            else { return nil }
            salvagedRows[table] = count
        }
        self.init(
            id: id, finding: Finding(rawValue: finding), detail: detail, date: date, damagedPath: damagedPath,
            salvagedRows: salvagedRows, rejectedRows: rejectedRows)
    }
}
