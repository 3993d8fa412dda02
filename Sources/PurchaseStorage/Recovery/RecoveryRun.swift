import PurchaseCore
import ReceiptTypes
import SQLite

/// One attempt to recover a database: checks the file, and if it is damaged makes a new one and puts it in its place.
struct RecoveryRun {
    let file: DatabaseFile
    let key: DatabaseKey
    let busyTimeout: Int32
    /// The number of damaged files that are kept.
    let limit: Int
    let now: Timestamp
    /// The connection that has the file open; nil if there is none.
    var openConnection: SQLiteConnection?

    /// Returns the report of the recovery; nil if the file is sound.
    ///
    /// All of it is under the exclusive lock, so of two processes that find the damage one recovers the database.
    ///
    /// - Parameter report: Receives a foreign journal or log that was set aside, which is no damage.
    func run(_ report: (DamagedRow) -> Void) throws(DatabaseError) -> DatabaseRecovery? {
        try file.lock.exclusive { () throws(DatabaseError) -> DatabaseRecovery? in
            try file.finishReplacement()
            try file.setAsideForeignFiles(key, report)
            return try file.withoutForeignFiles(key, isLocked: true, report) {
                () throws(DatabaseError) -> DatabaseRecovery? in
                guard let damage = try damage() else { return nil }
                return try replaceFile(damage, aside: file.asideName(at: now))
            }
        }
    }

    private func damage() throws(DatabaseError) -> DamageCheck.Damage? {
        // Before the check, which would make a log in the place of the one that was removed.
        if connectionWithoutLog != nil { return DamageCheck.Damage(.missingLog) }
        return try DamageCheck(file: file, key: key, busyTimeout: busyTimeout).damage()
    }

    /// The open connection, if it reads a log that was removed.
    private var connectionWithoutLog: SQLiteConnection? {
        guard let openConnection, !openConnection.hasMoved, openConnection.hasLostLog else { return nil }
        return openConnection
    }

    /// Makes a new database and puts it in the place of the damaged file; under the exclusive lock.
    ///
    /// - Parameter aside: The name under which the damaged file is set aside, or was.
    func replaceFile(_ damage: DamageCheck.Damage, aside: String) throws(DatabaseError) -> DatabaseRecovery {
        let asidePath = file.path(aside: aside)
        let isKept = [file.path, asidePath].contains(where: DatabaseFile.exists)
        try file.createIncomplete()
        let recovery: DatabaseRecovery
        do throws(DatabaseError) {
            recovery = try makeDatabase(damage, damagedPath: isKept ? asidePath : nil)
        } catch {
            file.removeIncomplete()
            throw error
        }
        try file.replace(aside: aside, keeping: limit)
        return recovery
    }

    /// Returns a connection that reads the damaged file.
    private func source(_ finding: DatabaseRecovery.Finding) throws(DatabaseError) -> SQLiteConnection {
        guard finding == .missingLog else {
            return try SQLiteConnection(path: file.path, busyTimeout: busyTimeout, mode: .examine)
        }
        if let connectionWithoutLog { return connectionWithoutLog }
        // The index of the log can still be in use, and leads to pages of a log that is not there.
        return try SQLiteConnection(path: file.path, busyTimeout: busyTimeout, mode: .examineWithoutLog)
    }

    /// Makes the new database, which has no other file beside it when this returns.
    private func makeDatabase(
        _ damage: DamageCheck.Damage, damagedPath: String?
    ) throws(DatabaseError) -> DatabaseRecovery {
        let target = try SQLiteConnection(path: file.recovering, busyTimeout: busyTimeout)
        for pragma in ["journal_mode = MEMORY", "synchronous = FULL", "secure_delete = ON"] {
            try target.forEach("PRAGMA \(pragma)") { (_) throws(DatabaseError) in }
        }
        var salvaged: [String: Int] = [:]
        var rejected = 0
        if damage.finding != .missing {
            var salvage = Salvage(from: try source(damage.finding), to: target, key)
            try salvage.run(at: now)
            (salvaged, rejected) = (salvage.copied, salvage.rejected)
        } else {
            try DatabaseSchema.create(in: target, key)
        }
        let recovery = try target.write { () throws(DatabaseError) in
            try RowNumbers.skipLost(in: target, at: now)
            let recovery = DatabaseRecovery(
                id: try RowNumbers.next(of: DatabaseRecovery.table.name, in: target), finding: damage.finding,
                detail: damage.detail, date: now, damagedPath: damagedPath, salvagedRows: salvaged,
                rejectedRows: rejected)
            try recovery.insert(into: target, key)
            return recovery
        }
        // Opening the file would switch it later, with a rollback journal that another process takes for a foreign one.
        try target.useWriteAheadLog(timeout: busyTimeout)
        return recovery
    }
}
