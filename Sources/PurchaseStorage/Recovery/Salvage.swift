import PurchaseCore
import ReceiptTypes

/// Copies the rows of a damaged database that can be read and whose seals are right.
struct Salvage {
    /// The damaged database.
    let source: SQLiteConnection
    /// The new database, which is in a transaction.
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

    /// Copies all tables.
    ///
    /// - Throws: `DatabaseError` with the code `wrong-key` if damage hides that the key is another one.
    mutating func run(at now: Timestamp) throws(DatabaseError) {
        for table in StoredTable.all {
            try copy(table.name, table.columns) { [key, target] (row) throws(DatabaseError) in
                guard try table.isSealed(row, key), try Self.insert(row, table.name, table.columns, target)
                else { return false }
                try table.complete?(row, key, target)
                return true
            }
        }
        if copied.isEmpty, rejected > 0, !hasOwnKey {
            throw DatabaseError(.wrongKey, "no row of the damaged database has this key")
        }
        try copyClaims(at: now)
        try continueNumbers(at: now)
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

    /// Passes the rows of a table to `insert`, which returns whether it has copied the row; behind an error it goes on with
    /// the next row that can be read.
    private mutating func copy(
        _ name: String, _ columns: [String], _ insert: ([SQLiteValue]) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        let query = "SELECT rowid, \(columns.joined(separator: ", ")) FROM \(name) WHERE rowid > ? ORDER BY rowid"
        var last: Int64 = 0
        var (errors, errorsInSequence) = (0, 0)
        var (copied, rejected) = (0, 0)
        var failure: DatabaseError?
        while errors < Self.errorLimit {
            do throws(DatabaseError) {
                try source.forEach(query, [.integer(last)]) { (row) throws(DatabaseError) in
                    let id = try row.integer(0)
                    // Pages that refer to each other in a circle would have no end.
                    guard id > last else { throw DatabaseError(.damaged, "the rows of \(name) are not in order") }
                    last = id
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
                last = last.addingReportingOverflow(distance > 0 ? 1 << Int64(distance) : 1).partialValue
            }
        }
        if copied > 0 { self.copied[name] = copied }
        self.rejected += rejected
    }

    /// Inserts a row unless there is one with its key; false if a row that it refers to is missing, or a value is wrong.
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

    /// The longest time of a claim that is kept, in milliseconds: one day.
    private static let longestClaim: Int64 = 86_400_000

    /// Copies the claims, which have no seal: one with times that cannot be right excludes no service from its purchase, and
    /// says that an earlier claim is unanswered.
    private mutating func copyClaims(at now: Timestamp) throws(DatabaseError) {
        let columns = ["number", "purchase_key", "start_at", "end_at", "follows_unanswered"]
        try copy("claims", columns) { [target] (row) throws(DatabaseError) in
            guard case .integer(let start) = row[2], case .integer(let end) = row[3] else { return false }
            var row = row
            let latest = now.adding(milliseconds: Self.longestClaim).millisecondsSince1970
            let (length, overflow) = end.subtractingReportingOverflow(start)
            if overflow || length > Self.longestClaim || length < 0 || start > latest {
                row[2] = .integer(Timestamp.maximum.millisecondsSince1970)
                row[3] = .integer(Timestamp.minimum.millisecondsSince1970)
                row[4] = .integer(1)
            }
            return try Self.insert(row, "claims", columns, target)
        }
    }

    /// Continues the numbers that are never used twice.
    private func continueNumbers(at now: Timestamp) throws(DatabaseError) {
        for (table, column) in [("purchases", "id"), ("purchase_events", "id"), ("claims", "number")] {
            let last = try target.first("SELECT coalesce(max(\(column)), 0) FROM \(table)") {
                (row) throws(DatabaseError) in try row.integer(0)
            }
            let stored = try? source.first("SELECT seq FROM sqlite_sequence WHERE name = ?", [.text(table)]) {
                (row) throws(DatabaseError) in try row.integer(0)
            }
            var next = max(last ?? 0, stored.flatMap { $0 < DamageCheck.numberLimit ? $0 : nil } ?? 0)
            // A process can still have a claim whose number could not be read.
            if table == "claims" { next = max(next, now.millisecondsSince1970) }
            try target.execute("DELETE FROM sqlite_sequence WHERE name = ?", [.text(table)])
            try target.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [.text(table), .integer(next)])
        }
    }
}
