import PurchaseCore
import ReceiptTypes
import SQLite

/// Copies the rows of a damaged database that can be read and whose seals are right.
///
/// SQLite's own recovery is an extension that the library does not contain, and it does not know the seals.
struct Salvage {
    /// The damaged database.
    let source: SQLiteConnection
    /// The file of the new database, which is empty.
    let target: SQLiteConnection
    let key: DatabaseKey
    /// The number of the copied rows of each table.
    private(set) var copied: [String: Int] = [:]
    /// The number of rows that were read and not copied.
    private(set) var rejected = 0

    init(from source: SQLiteConnection, to target: SQLiteConnection, _ key: DatabaseKey) {
        self.source = source
        self.target = target
        self.key = key
    }

    /// Makes the new database, with the rows of all tables.
    ///
    /// - Throws: `DatabaseError` with the code `wrong-key` if damage hides that the key is another one.
    mutating func run(at now: Timestamp) throws(DatabaseError) {
        try DatabaseSchema.create(in: target, key)
        try target.write { () throws(DatabaseError) in
            try copyTables(at: now)
            try continueNumbers()
            try deleteUnusedTexts()
        }
    }

    private mutating func copyTables(at now: Timestamp) throws(DatabaseError) {
        for table in StoredTable.all {
            try copy(table.name, table.columns) { [key, target] (row) throws(DatabaseError) in
                guard try table.isSealed(row, key) else { return false }
                return try Self.insert(row, table.name, table.columns, target)
            }
        }
        if copied.isEmpty, rejected > 0, !hasOwnKey {
            throw DatabaseError(.wrongKey, "no row of the damaged database has this key")
        }
        try copyClaims(at: now)
    }

    private var hasOwnKey: Bool {
        if case .key? = try? KeyCheck.answer(key, in: source) { return true }
        return false
    }

    // MARK: Rows

    /// The number of rows after a damaged one that are looked for one by one.
    private static let nearCount = 64
    /// The largest number of errors in one table.
    private static let errorLimit = 20_000

    /// Passes the rows of a table to `insert`, which returns whether it has copied the row.
    private mutating func copy(
        _ name: String, _ columns: [String], _ insert: ([SQLiteValue]) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        // Another program can give a row any number. The numbers that this package gives come first, because in a
        // damaged table those that cannot be read are skipped one after the other.
        for numbers in [1...Int64.max, Int64.min...0] { try copy(name, columns, numbers, insert) }
    }

    /// Passes the rows with certain numbers to `insert`; behind an error it goes on with the next row that can be read.
    private mutating func copy(
        _ name: String, _ columns: [String], _ numbers: ClosedRange<Int64>,
        _ insert: ([SQLiteValue]) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        let query =
            "SELECT rowid, \(columns.joined(separator: ", ")) FROM \(name) WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
        /// The first number that was not looked for; nil at the end.
        var next: Int64? = numbers.lowerBound
        func number(_ number: Int64, plus distance: Int64) -> Int64? {
            let (sum, overflow) = number.addingReportingOverflow(distance)
            return overflow || sum > numbers.upperBound ? nil : sum
        }
        var (errors, errorsInSequence) = (0, 0)
        var (copied, rejected) = (0, 0)
        var failure: DatabaseError?
        while let first = next, errors < Self.errorLimit {
            do throws(DatabaseError) {
                try source.forEach(query, [.integer(first), .integer(numbers.upperBound)]) {
                    (row) throws(DatabaseError) in
                    let id = try row.integer(0)
                    // Pages that refer to each other in a circle would have no end.
                    guard let expected = next, id >= expected else {
                        throw DatabaseError(.damaged, "the rows of \(name) are not in order")
                    }
                    next = number(id, plus: 1)
                    errorsInSequence = 0
                    var values: [SQLiteValue] = []
                    for column in 1...columns.count {
                        guard let value = try? row.value(Int32(column)) else { break }
                        values.append(value)
                    }
                    do throws(DatabaseError) {
                        let isCopied = values.count == columns.count ? try insert(values) : false
                        if isCopied { copied += 1 } else { rejected += 1 }
                    } catch {
                        failure = error
                        throw error
                    }
                }
                break
            } catch {
                if let failure { throw failure }
                // A table that is not there.
                if error.code == .misuse { break }
                // Anything else is no damage, and can be over at the next attempt.
                guard error.code == .damaged || error.code == .inputOutput else { throw error }
                errors += 1
                errorsInSequence += 1
                let distance = errorsInSequence - Self.nearCount
                guard distance < 40 else { break }
                next = next.flatMap { number($0, plus: distance > 0 ? 1 << Int64(distance) : 1) }
            }
        }
        if copied > 0 { self.copied[name, default: 0] += copied }
        self.rejected += rejected
    }

    /// Inserts a row unless there is one with its key; false if a row that it refers to is missing, or a value is
    /// wrong.
    private static func insert(
        _ row: [SQLiteValue], _ name: String, _ columns: [String], _ target: SQLiteConnection
    ) throws(DatabaseError) -> Bool {
        let places = row.map { _ in "?" }.joined(separator: ", ")
        do throws(DatabaseError) {
            return try target.execute(
                "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(places))", row) == 1
        } catch {
            guard error.code == .constraint else { throw error }
            return false
        }
    }

    // MARK: Claims and numbers

    /// Copies the claims, which have no seal.
    ///
    /// One with a number or with times that cannot be right excludes no service from its purchase, and says that an
    /// earlier claim is unanswered.
    private mutating func copyClaims(at now: Timestamp) throws(DatabaseError) {
        let columns = ["number", "purchase_digest", "start_at", "end_at", "follows_unanswered"]
        // The clock that has written a claim can have been ahead.
        let latest = now.adding(milliseconds: ClockMarks.toleranceMilliseconds).millisecondsSince1970
        try copy(ClaimTimes.table, columns) { [target] (row) throws(DatabaseError) in
            guard case .integer(let number) = row[0], case .integer(let start) = row[2], case .integer(let end) = row[3]
            else { return false }
            var row = row
            let isNumbered = RowNumbers.valid.contains(number)
            if !isNumbered || !ClaimTimes.arePossible(start: start, end: end) || start > latest {
                row[2] = .integer(Timestamp.maximum.millisecondsSince1970)
                row[3] = .integer(Timestamp.minimum.millisecondsSince1970)
                row[4] = .integer(1)
            }
            // SQLite replaces null by the next number.
            if !isNumbered { row[0] = .null }
            return try Self.insert(row, ClaimTimes.table, columns, target)
        }
    }

    /// Continues the numbers of the damaged database, as far as it still has the last ones.
    private func continueNumbers() throws(DatabaseError) {
        for table in RowNumbers.uniqueTables {
            let stored = try? source.first("SELECT seq FROM sqlite_sequence WHERE name = ?", [.text(table)]) {
                (row) throws(DatabaseError) in try row.integer(0)
            }
            if let stored, RowNumbers.valid.contains(stored) { try RowNumbers.skip(to: stored, of: table, in: target) }
        }
    }

    /// Deletes the signed texts whose rows were not copied, because the deletion of a user would not find them.
    private mutating func deleteUnusedTexts() throws(DatabaseError) {
        let deleted = try target.execute("DELETE FROM signed_texts WHERE \(SignedText.isUnused)")
        if let count = copied["signed_texts"] { copied["signed_texts"] = count > deleted ? count - deleted : nil }
    }
}
