public import PurchaseCore
public import ReceiptTypes
import SQLite

extension PurchaseDatabase {
    /// Checks all of a database file and, if it is damaged, replaces it by a new one with what could be read.
    ///
    /// Call it when opening the database throws an error with the code `damaged`. The damaged file is set aside under a
    /// name with the date. The new database has the rows that could be read and whose seals are right, so it grants
    /// nothing that was not verified. After it is opened, ``unfinishedRecovery(of:)`` returns the report until the
    /// store's history was read.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - key: The key of the database. A file of another key stays as it is, and the error has the code `wrong-key`.
    ///   - busyTimeout: The longest wait for another process, in milliseconds.
    ///   - limit: The number of damaged files that are kept, at least one; older ones are deleted.
    ///   - clock: The device's clock.
    ///   - onDamage: Receives ``DamagedRow/foreignFile(_:setAsideAs:)`` if something had the name of a rollback
    ///     journal, or the log was that of another database, even if the file is sound.
    /// - Returns: The report; nil if the file is sound, for example because another process has just recovered it.
    /// - Throws: A `DatabaseError`; the file is then as it was.
    public static func recover(
        path: String, key: [UInt8], busyTimeout: Int32 = 5_000, keeping limit: Int = 3,
        clock: @Sendable () -> Timestamp = PurchaseEnvironment.deviceTime, onDamage: (DamagedRow) -> Void = { _ in }
    ) throws(DatabaseError) -> DatabaseRecovery? {
        try recover(
            path: path, key: key, busyTimeout: busyTimeout, keeping: limit, clock: clock, onDamage: onDamage, step: {})
    }

    /// The same with code that runs before each change of the folder, at which a test ends the process.
    package static func recover(
        path: String, key: [UInt8], busyTimeout: Int32, keeping limit: Int, clock: @Sendable () -> Timestamp,
        onDamage: (DamagedRow) -> Void = { _ in }, step: @escaping @Sendable () -> Void
    ) throws(DatabaseError) -> DatabaseRecovery? {
        let file = try DatabaseFile(path, lockTimeout: busyTimeout, step: step)
        return try RecoveryRun(
            file: file, key: try checked(key), busyTimeout: busyTimeout, limit: limit, now: clock()
        ).run(onDamage)
    }

    /// Sets a foreign journal and a foreign log aside, before a tool reads a file that it is going to write.
    package static func setAsideForeignFiles(
        path: String, key: [UInt8], busyTimeout: Int32 = 5_000, onDamage: (DamagedRow) -> Void
    ) throws(DatabaseError) {
        try DatabaseFile(path, lockTimeout: busyTimeout).removeForeignFiles(checked(key), onDamage)
    }

    /// Checks all of the open database and, if it is damaged, continues with a new file.
    ///
    /// Call it when a call throws an error with the code `damaged`, or after `onDamage`. Other connections, also in
    /// other processes, go on with the new file at their next call.
    ///
    /// - Parameters:
    ///   - limit: The number of damaged files that are kept, at least one; older ones are deleted.
    ///   - clock: The device's clock.
    /// - Returns: The report; nil if the file is sound.
    /// - Throws: A `DatabaseError`; the file is then as it was.
    public func recover(
        keeping limit: Int = 3, clock: @Sendable () -> Timestamp = PurchaseEnvironment.deviceTime
    ) throws(DatabaseError) -> DatabaseRecovery? {
        let recovery = try RecoveryRun(
            file: file, key: key, busyTimeout: busyTimeout, limit: limit, now: clock(), openConnection: connection
        ).run { foreignFileSetAside($0) }
        if recovery != nil {
            hasBeenReplaced()
            changes.send()
        }
        return recovery
    }

    /// Returns the report of the latest recovery after which the store's history was not read; nil if there is none.
    ///
    /// Read the history with `PurchaseService.requestAllPurchaseHistory()`, and then call ``finishRecovery(_:of:)``. A
    /// process that ends in between finds the report again.
    ///
    /// - Parameter account: The account that is signed in, so that the recovery counts as finished once its history was
    ///   read; nil for an app without accounts, and for the recovery as a whole.
    public nonisolated func unfinishedRecovery(
        of account: UUIDText? = nil
    ) async throws(DatabaseError) -> DatabaseRecovery? {
        try await read { (database) throws(DatabaseError) in
            let digest = try database.key.digest(ofUser: account?.lowercased)
            return try database.unfinishedRecoveries().last { !$0.readAccounts.contains(digest) }
        }
    }

    /// Stores that the store's history was read after a recovery, and after all earlier ones.
    ///
    /// The store's history has the purchases of every account, and only those of the account that is signed in are
    /// recorded. So the recovery stays open for the others.
    ///
    /// - Parameters:
    ///   - recovery: The report of the recovery.
    ///   - account: The account that was signed in; nil for an app without accounts.
    public nonisolated func finishRecovery(
        _ recovery: DatabaseRecovery, of account: UUIDText? = nil
    ) async throws(DatabaseError) {
        try await write { (database) throws(DatabaseError) in
            let digest = try database.key.digest(ofUser: account?.lowercased)
            for var earlier in try database.unfinishedRecoveries() where earlier.id <= recovery.id {
                // An account that is left out reads the history once more.
                let others = earlier.readAccounts.filter { $0 != digest }.suffix(DatabaseRecovery.accountLimit - 1)
                if account != nil { earlier.readAccounts = others + [digest] }
                try earlier.store(isFinished: account == nil, in: database.connection, database.key)
            }
        }
    }
}

extension DatabaseSession {
    fileprivate func unfinishedRecoveries() throws(DatabaseError) -> [DatabaseRecovery] {
        let table = DatabaseRecovery.table
        return try table.rows(
            "WHERE is_finished = 0 ORDER BY id", in: connection, key, onDamage: { report(table.name, $0) },
            make: DatabaseRecovery.init)
    }
}
