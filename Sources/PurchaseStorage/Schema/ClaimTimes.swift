import PurchaseCore
import ReceiptTypes
import SQLite

/// The times of claims, which have no seal: another program can write any.
enum ClaimTimes {
    static let table = "claims"

    /// Returns whether this package can have written the times of a claim, in milliseconds since 1970.
    ///
    /// A start in the future is possible: the device's clock can have been ahead.
    static func arePossible(start: Int64, end: Int64) -> Bool {
        guard let start = Timestamp(milliseconds: start), let end = Timestamp(milliseconds: end) else { return false }
        // What stays of a released claim; see `FulfilmentClaim.afterRelease`.
        if start == .maximum, end == .minimum { return true }
        return (start...start.adding(milliseconds: FulfilmentClaim.longestMilliseconds)).contains(end)
    }

    /// Returns whether a claim has times that are not possible.
    static func hasImpossible(in connection: SQLiteConnection) throws(DatabaseError) -> Bool {
        var hasImpossible = false
        try connection.forEach("SELECT start_at, end_at FROM \(table)") { (row) throws(DatabaseError) in
            if try !arePossible(start: row.integer(0), end: row.integer(1)) { hasImpossible = true }
        }
        return hasImpossible
    }
}
