import PurchaseCore
import ReceiptTypes
import SQLite

// A report is one sealed row: its columns, and a list of fields with the number of rows for each table at its end, and
// then the accounts whose history was read.
extension DatabaseRecovery {
    static let table = SealedTable("recoveries", ["id", "recovered_at", "is_finished"])
    private static let contentName = "recovery"

    /// Inserts a recovery that is not finished.
    func insert(into connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) {
        try Self.table.insert(values(isFinished: false), content: content, into: connection, key)
    }

    /// Stores whether a recovery is finished, and the accounts whose history was read.
    func store(isFinished: Bool, in connection: SQLiteConnection, _ key: DatabaseKey) throws(DatabaseError) {
        try Self.table.replace(
            .integer(id), by: values(isFinished: isFinished), content: content, in: connection, key)
    }

    private func values(isFinished: Bool) -> [SQLiteValue] {
        [.integer(id), .integer(date.millisecondsSince1970), .integer(isFinished ? 1 : 0)]
    }

    private var content: [UInt8] {
        var fields: [SQLiteValue] = [
            .text(finding.rawValue), .text(detail), SQLiteValue(damagedPath), .integer(Int64(rejectedRows)),
        ]
        for (table, count) in salvagedRows.sorted(by: { $0.key < $1.key }) {
            fields += [.text(table), .integer(Int64(count))]
        }
        return SealedFields(of: Self.contentName, fields + readAccounts.map(SQLiteValue.blob)).bytes
    }

    /// Reads a row; nil if a value is not one that this version writes.
    init?(_ columns: FieldReader, _ content: RawSpan) {
        var columns = columns
        guard let id = columns.integer(), let date = columns.timestamp(),
            var fields = FieldReader(content, of: Self.contentName), let finding = fields.text(),
            let detail = fields.text()
        else { return nil }
        let damagedPath = fields.text()
        guard let rejectedRows = fields.int() else { return nil }
        var salvagedRows: [String: Int] = [:]
        var readAccounts: [[UInt8]] = []
        while !fields.isEmpty {
            if let account = fields.nextBlob() {
                readAccounts.append(account)
                continue
            }
            guard let table = fields.text(), let count = fields.int() else { return nil }
            salvagedRows[table] = count
        }
        self.init(
            id: id, finding: Finding(rawValue: finding), detail: detail, date: date, damagedPath: damagedPath,
            salvagedRows: salvagedRows, rejectedRows: rejectedRows, readAccounts: readAccounts)
    }
}
