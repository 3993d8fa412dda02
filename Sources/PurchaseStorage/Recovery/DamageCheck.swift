import PurchaseCore
import SQLite

/// Looks for damage in all of a database file.
struct DamageCheck {
    let file: DatabaseFile
    let key: DatabaseKey
    let busyTimeout: Int32

    /// What is wrong with a file, and the first sign of it.
    struct Damage {
        let finding: DatabaseRecovery.Finding
        let detail: String

        init(_ finding: DatabaseRecovery.Finding, _ detail: String? = nil) {
            self.finding = finding
            self.detail = detail ?? finding.summary
        }
    }

    /// Returns the damage of the file; nil if it is sound.
    ///
    /// - Throws: A `DatabaseError` that is not about damage, such as one with the code `wrong-key`.
    func damage() throws(DatabaseError) -> Damage? {
        try file.requireNotSetAside()
        try file.requireTrusted()
        try file.requireLog()
        if let loss = file.loss { return Damage(loss) }
        do throws(DatabaseError) {
            let connection = try SQLiteConnection(path: file.path, busyTimeout: busyTimeout, mode: .examine)
            let hasTables = try DatabaseSchema.check(connection, key)
            if connection.isReadOnly, file.isWritable {
                return Damage(.malformed, "the header of the file does not allow writing")
            }
            guard hasTables else { return nil }
            return try connection.read { () throws(DatabaseError) in try damage(in: connection) }
        } catch {
            guard error.isOfDamage else { throw error }
            return Damage(.malformed, error.message)
        }
    }

    private func damage(in connection: SQLiteConnection) throws(DatabaseError) -> Damage? {
        let result = try connection.first("PRAGMA integrity_check(1)") { (row) throws(DatabaseError) in
            try row.text(0)
        }
        if let result, result != "ok" { return Damage(.malformed, result) }
        let orphan = try connection.first("PRAGMA foreign_key_check") { (row) throws(DatabaseError) in
            try row.text(0)
        }
        if let orphan { return Damage(.malformed, "a row of \(orphan) refers to a missing row") }
        if let table = try RowNumbers.invalidTable(in: connection) {
            return Damage(.malformed, "\(table) has the number of a row that this package does not give")
        }
        if try ClaimTimes.hasImpossible(in: connection) {
            return Damage(.malformed, "\(ClaimTimes.table) has times that this package does not write")
        }
        for table in StoredTable.all where try hasWrongSeal(table, connection) {
            return Damage(.wrongSeals, "a row of \(table.name) has a wrong seal")
        }
        return nil
    }

    private func hasWrongSeal(_ table: StoredTable, _ connection: SQLiteConnection) throws(DatabaseError) -> Bool {
        var hasWrongSeal = false
        try connection.forEach("SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name)") {
            (row) throws(DatabaseError) in
            if hasWrongSeal { return }
            var values: [SQLiteValue] = []
            for column in 0..<table.columns.count { values.append(try row.value(Int32(column))) }
            hasWrongSeal = try !table.isSealed(values, key)
        }
        return hasWrongSeal
    }
}
