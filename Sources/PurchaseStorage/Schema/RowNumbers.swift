import PurchaseCore
import ReceiptTypes
import SQLite

/// The numbers of rows that are never used twice (`AUTOINCREMENT`).
///
/// SQLite gives a new row the number after the largest one. Most numbers are not under a seal, so another program can
/// write a row with the largest integer, after which the table takes no further rows.
enum RowNumbers {
    /// The numbers that rows have, unless another program has changed them.
    static let valid: Range<Int64> = 1..<1 << 53

    /// The tables whose rows never get a number again that an earlier row had.
    static let uniqueTables = [
        "purchases", "purchase_events", "claims", "log_entries", "analytics_events", "recoveries",
    ]

    /// Skips the numbers that rows can have had which a recovery did not find; part of a transaction.
    ///
    /// Nothing in a damaged file says how many rows are lost, and another process can still use a number, such as that
    /// of a claim. The numbers go on with the milliseconds since 1970: no database gives more than one number for each
    /// millisecond of its life.
    static func skipLost(in connection: SQLiteConnection, at now: Timestamp) throws(DatabaseError) {
        for table in uniqueTables { try skip(to: now.millisecondsSince1970, of: table, in: connection) }
    }

    /// Makes the numbers of a table go on after a number; nothing happens if they have gone further.
    static func skip(to number: Int64, of table: String, in connection: SQLiteConnection) throws(DatabaseError) {
        let last = max(number, try last(of: table, in: connection))
        try connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", [.text(table)])
        try connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [.text(table), .integer(last)])
    }

    /// Returns the next number of a table.
    static func next(of table: String, in connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
        let next = try last(of: table, in: connection).addingReportingOverflow(1).partialValue
        guard valid.contains(next) else { throw DatabaseError(.damaged, "the table \(table) has no further numbers") }
        return next
    }

    /// Returns the last number of a table; 0 if no row had one.
    private static func last(of table: String, in connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
        try connection.first(
            """
            SELECT max(coalesce((SELECT max(rowid) FROM \(table)), 0),
                coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0))
            """, [.text(table)]
        ) { (row) throws(DatabaseError) in try row.integer(0) } ?? 0
    }

    /// Returns the name of a table that has a number outside of ``valid``; nil if there is none.
    static func invalidTable(in connection: SQLiteConnection) throws(DatabaseError) -> String? {
        let tables = try connection.rows(
            """
            SELECT name, printf('"%w"', name) FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'
            """
        ) { (row) throws(DatabaseError) in (name: try row.text(0), quoted: try row.text(1)) }
        for table in tables {
            let invalid = try connection.first(
                "SELECT 1 FROM \(table.quoted) WHERE rowid < ? OR rowid >= ? LIMIT 1",
                [.integer(valid.lowerBound), .integer(valid.upperBound)]
            ) { (_) throws(DatabaseError) in true }
            if invalid != nil { return table.name }
        }
        return try connection.first(
            "SELECT name FROM sqlite_sequence WHERE typeof(seq) <> 'integer' OR seq < 0 OR seq >= ?",
            [.integer(valid.upperBound)]
        ) { (row) throws(DatabaseError) in try row.text(0) }
    }
}
