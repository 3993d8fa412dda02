import Foundation
import LocalStore
import PurchaseCore
import ReceiptTypes
import SQLite
import Testing

@testable import PurchaseStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Recovery of a database", .timeLimit(.minutes(15)))
struct RecoveryTests {
    private let files = TestDatabase()

    /// Records three purchases, closes the database, and overwrites a page in its middle.
    private func recordAndDamage() async throws -> [Purchase] {
        let purchases = PurchaseRecords(try files.open())
        for number in 0..<3 { _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)")) }
        let all = try await purchases.getAllPurchases()
        try damage()
        return all
    }

    /// Overwrites an index, so that every row of the tables can still be read.
    private func damage() throws {
        let connection = try SQLiteConnection(path: files.path, busyTimeout: 60_000)
        let page = try connection.first("SELECT rootpage FROM sqlite_schema WHERE name = 'purchases_by_product'") {
            (row) throws(DatabaseError) in try row.integer(0)
        }
        try connection.forEach("PRAGMA wal_checkpoint(TRUNCATE)") { (_) throws(DatabaseError) in }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: files.path))
        try handle.seek(toOffset: UInt64(((page ?? 1) - 1) * 4_096))
        try handle.write(contentsOf: [UInt8](repeating: 0xaa, count: 4_096))
        try handle.close()
    }

    private func code(_ body: () throws -> Void) -> DatabaseError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DatabaseError)?.code
        }
    }

    private func asideFiles() throws -> [String] {
        try files.files().keys.filter { name in
            name.hasPrefix("purchases.sqlite.damaged-") && !name.hasSuffix("-wal") && !name.hasSuffix("-shm")
        }.sorted()
    }

    @Test("The report says what was found and salvaged, and stays until the store's history was read [OTP-3.6]")
    func report() async throws {
        let all = try await recordAndDamage()
        let before = try files.files()["purchases.sqlite"]
        let recovery = try #require(try files.recover())
        #expect(recovery.finding == .malformed)
        #expect(recovery.date == SimulatedApp.start)
        #expect(recovery.salvagedRows["purchases"] == 3)
        #expect(recovery.salvagedRows["signed_texts"] == 3)
        #expect(recovery.rejectedRows == 0)
        #expect(recovery.damagedPath?.hasSuffix("/purchases.sqlite.damaged-20251009T085320Z") == true)
        #expect(try files.files()["purchases.sqlite.damaged-20251009T085320Z"] == before)
        for _ in 0..<2 {
            let database = try files.open()
            #expect(try await PurchaseRecords(database).getAllPurchases() == all)
            #expect(try await database.unfinishedRecovery() == recovery)
        }
        let database = try files.open()
        try await database.finishRecovery(recovery)
        #expect(try await database.unfinishedRecovery() == nil)
        #expect(try files.recover() == nil)
    }

    @Test("A recovery copies every table of the schema, or writes it anew [OTP-3.6]")
    func allTables() throws {
        _ = try files.open()
        let connection = try SQLiteConnection(path: files.path, busyTimeout: 60_000)
        let tables = try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ) { (row) throws(DatabaseError) in try row.text(0) }
        let copied = StoredTable.all.map(\.name) + ["claims", "key_check"]
        #expect(tables.sorted() == copied.sorted())
    }

    @Test("After a recovery the history is read without a sheet of the store [OTP-3.6]")
    @MainActor
    func readsHistory() async throws {
        let simulator = try SellingApp.simulator(
            faults: [Fault(at: .synchronize, when: .nth(1), do: .fail(code: "user-cancelled"))])
        try simulator.perform { engine in _ = try engine.buy("export", for: "customer") }
        let service = SimulatedApp(simulator, try files.open()).service
        #expect(try await service.readHistory().history.restored.map(\.productID) == ["export"])
        await #expect(throws: StoreError(.userCancelled, "")) { try await service.requestAllPurchaseHistory() }
    }

    @Test("A sound database is not replaced")
    func sound() async throws {
        let database = try files.open()
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase())
        #expect(try await database.recover() == nil)
        #expect(try files.recover() == nil)
        #expect(try asideFiles().isEmpty)
    }

    @Test(
        "A connection continues with the new file, after its own recovery and after that of another process [OTP-3.6]")
    func continues() async throws {
        let first = try files.open()
        let second = try files.open()
        _ = try await PurchaseRecords(first).recordPurchase(PurchaseSample.purchase("1"))
        try damage()
        #expect(try await second.recover() != nil)
        #expect(try await first.recover() == nil)
        for (number, database) in [(2, first), (3, second)] {
            #expect(
                try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("\(number)")) == .inserted)
        }
        #expect(try await PurchaseRecords(files.open()).getAllPurchases().count == 3)
    }

    @Test("Only the newest damaged files are kept, each under a name of its own")
    func bounded() async throws {
        let all = try await recordAndDamage()
        for second in [0, 1, 2, 2] as [Int64] {
            #expect(try files.recover(keeping: 3, at: second) != nil)
            #expect(try await PurchaseRecords(files.open()).getAllPurchases() == all)
            try damage()
        }
        let names = ["20251009T085321Z", "20251009T085322Z", "20251009T085322Z-2"]
        #expect(try asideFiles() == names.map { "purchases.sqlite.damaged-\($0)" })
    }

    @Test("A database of another key stays as it is, also if it is damaged [OTP-9.1]")
    func otherKey() async throws {
        let other = [UInt8](repeating: 8, count: 32)
        _ = try await PurchaseRecords(files.open()).recordPurchase(PurchaseSample.purchase())
        let sound = try files.files()
        #expect(code { _ = try files.recover(key: other) } == .wrongKey)
        #expect(try files.files()["purchases.sqlite"] == sound["purchases.sqlite"])
        try files.execute("DELETE FROM key_check")
        #expect(code { _ = try files.recover(key: other) } == .wrongKey)
        #expect(try asideFiles().isEmpty)
        #expect(try files.recover()?.salvagedRows["purchases"] == 1)
    }

    @Test("A row with a wrong seal is left behind, and the recovery says so [OTP-9.1]")
    func wrongSeal() async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        for number in 0..<2 { _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)")) }
        try files.execute("UPDATE purchases SET product_id = 'templates.pack' WHERE transaction_id = '1'")
        let recovery = try #require(try await database.recover())
        #expect(recovery.finding == .wrongSeals)
        #expect(recovery.rejectedRows == 1)
        #expect(try await PurchaseRecords(database).getAllPurchases().map(\.id.transactionID) == ["0"])
        #expect(try await database.recover() == nil)
    }

    @Test(
        "A header that contradicts the sealed version is damaged, and nothing is lost [OTP-3.6]",
        arguments: [
            "PRAGMA user_version = 99", "PRAGMA user_version = -1", "PRAGMA user_version = 0",
            "PRAGMA application_id = 7",
        ])
    func header(_ change: String) async throws {
        _ = try await PurchaseRecords(files.open()).recordPurchase(PurchaseSample.purchase())
        try files.execute(change)
        #expect(code { _ = try files.open() } == .damaged)
        #expect(try files.recover()?.salvagedRows["purchases"] == 1)
        #expect(try await PurchaseRecords(files.open()).getAllPurchases().count == 1)
    }

    @Test("A file or a log that was removed is reported, and not taken for a first start [OTP-3.6]")
    func removed() async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        for number in 0..<3 { _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)")) }
        try files.execute("PRAGMA wal_checkpoint(PASSIVE)")
        _ = try await purchases.recordPurchase(PurchaseSample.purchase("3"))
        let other = try files.open()
        try FileManager.default.removeItem(atPath: files.path + "-wal")
        await #expect(throws: DatabaseError(.damaged, "")) { try await purchases.getAllPurchases() }
        #expect(try await database.recover()?.finding == .missingLog)
        #expect(try await purchases.getAllPurchases().count == 4, "the open connection still reads the log")

        try FileManager.default.removeItem(atPath: files.path + "-wal")
        #expect(code { _ = try files.recover() } == .busy, "only the open connection can read the log")
        #expect(try await database.recover()?.finding == .missingLog)
        #expect(try await PurchaseRecords(other).getAllPurchases().count == 4)
        try FileManager.default.removeItem(atPath: files.path)
        await #expect(throws: DatabaseError(.damaged, "")) { try await PurchaseRecords(database).getAllPurchases() }
        #expect(code { _ = try files.open() } == .damaged)
        let recovery = try #require(try await database.recover())
        #expect(recovery.finding == .missing && recovery.damagedPath == nil)
        #expect(try await database.unfinishedRecovery() == recovery)
        #expect(try await PurchaseRecords(database).getAllPurchases().isEmpty)
    }

    /// Removes the log of an open database and its index, as advice on a locked database says.
    private func removeLog() throws {
        for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: files.path + suffix) }
    }

    @Test(
        "A log that is removed with its index is missed at the next call, and the open database loses nothing [OTP-3.6]",
        arguments: [true, false], [true, false])
    func removedLog(isInFile: Bool, isReplaced: Bool) async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        for number in 0..<3 { _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)")) }
        if isInFile { try files.execute("PRAGMA wal_checkpoint(PASSIVE)") }
        try removeLog()
        // As another program leaves them that has opened the file.
        if isReplaced {
            for suffix in ["-wal", "-shm"] { try Data().write(to: URL(fileURLWithPath: files.path + suffix)) }
        }
        await #expect(throws: DatabaseError(.damaged, "")) { try await purchases.getAllPurchases() }
        #expect(try await database.recover()?.finding == .missingLog)
        _ = try await purchases.recordPurchase(PurchaseSample.purchase("3"))
        let killed = try files.copy()
        #expect(try await PurchaseRecords(killed.open()).getAllPurchases().count == 4)
        #expect(try await database.recover() == nil)
    }

    @Test("While a process reads a log that was removed, no other one opens or recovers the database [OTP-3.6]")
    func logInUse() async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        for number in 0..<2 { _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)")) }
        try removeLog()
        let names = try files.files().keys.sorted()
        #expect(code { _ = try files.open(busyTimeout: 0) } == .busy)
        #expect(code { _ = try files.recover() } == .busy)
        #expect(code { _ = try DatabaseInspection(path: files.path, key: TestDatabase.key) } == .busy)
        #expect(await (try WorkerProcess(recovering: files.path)).lastLine() == "busy")
        #expect(try files.files().keys.sorted() == names, "no second log is made")
        #expect(try await database.recover()?.finding == .missingLog)
        #expect(await (try WorkerProcess(.purchases, files.path, from: 10, count: 1)).lastLine() == "10")
        _ = try await purchases.recordPurchase(PurchaseSample.purchase("2"))
        let killed = try files.copy()
        #expect(try await PurchaseRecords(killed.open()).getAllPurchases().count == 4)
    }

    @Test("A file without its log is read under any name [OTP-3.6]")
    func anyName() throws {
        try FileManager.default.createDirectory(atPath: files.folder, withIntermediateDirectories: true)
        let path = "\(files.folder)/100%25 of?é#1.sqlite"
        #expect(FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]))
        try SQLiteConnection(path: path, busyTimeout: 0).execute("CREATE TABLE found (number INTEGER)")
        let connection = try SQLiteConnection(path: path, busyTimeout: 0, mode: .examineWithoutLog)
        let names = try connection.rows("SELECT name FROM sqlite_schema") { (row) throws(DatabaseError) in
            try row.text(0)
        }
        #expect(names == ["found"])
    }

    @Test("A claim with times that cannot be right excludes no service, and a number of a claim is used once [OTP-2.3]")
    func claims() async throws {
        let ledger = DatabaseLedger(try files.open())
        let keys = try ["1", "2"].map { try PurchaseSample.purchase($0).transaction.purchaseKey }
        let end = PurchaseSample.at(60)
        var claims: [FulfilmentClaim] = []
        for key in keys {
            let claim = try await ledger.claimFulfilment(of: key, from: PurchaseSample.start, until: end)
            claims.append(try #require(claim))
        }
        try files.execute("UPDATE claims SET end_at = \(Int64.max) WHERE number = \(claims[1].number)")
        try damage()
        #expect(try await ledger.database.recover() != nil)
        #expect(try await ledger.renew(claims[0], from: PurchaseSample.start, until: end) == claims[0])
        let next = try #require(try await ledger.claimFulfilment(of: keys[1], from: PurchaseSample.start, until: end))
        #expect(next.followsUnanswered)
        #expect(!claims.map(\.number).contains(next.number))
    }

    // MARK: Other processes

    @Test("After a crash at any step, the next start has every purchase [OTP-3.6]")
    func crashes() async throws {
        let all = try await recordAndDamage()
        var step = 1
        var isComplete = false
        // Another process that has the file open keeps the log and its index beside the file.
        var holder = try SQLiteConnection(path: files.path, busyTimeout: 60_000)
        _ = try? holder.first("SELECT count(*) FROM purchases") { (row) throws(DatabaseError) in try row.integer(0) }
        while !isComplete, step < 30 {
            let line = await (try WorkerProcess(recovering: files.path, crashAt: step)).lastLine()
            isComplete = line == "malformed"
            if !isComplete { #expect(line == "step \(step)") }
            // Opening finishes a replacement that has begun; before that, the damaged file is still there.
            let database = try files.open()
            let hasRecovered = try await database.recover() != nil
            #expect(try await PurchaseRecords(database).getAllPurchases() == all, "step \(step)")
            let recovery = try await database.unfinishedRecovery()
            #expect(recovery?.finding == .malformed, "step \(step)")
            #expect(hasRecovered == (step < 4), "step \(step)")
            if let recovery { try await database.finishRecovery(recovery) }
            #expect(try await database.recover() == nil, "step \(step)")
            #expect(try !files.files().keys.contains { $0.contains("-recover") }, "step \(step)")
            try damage()
            holder = try SQLiteConnection(path: files.path, busyTimeout: 60_000)
            _ = try? holder.first("SELECT count(*) FROM purchases") { (row) throws(DatabaseError) in try row.integer(0)
            }
            step += 1
        }
        #expect(isComplete)
        #expect(step > 8)
    }

    @Test("Of two processes that recover at the same time, one replaces the file [OTP-3.6]")
    func twoProcesses() async throws {
        let all = try await recordAndDamage()
        for _ in 0..<3 {
            let workers = [
                try WorkerProcess(recovering: files.path), try WorkerProcess(recovering: files.path),
            ]
            #expect(await Set([workers[0].lastLine(), workers[1].lastLine()]) == ["malformed", "sound"])
            #expect(try await PurchaseRecords(files.open()).getAllPurchases() == all)
            try damage()
        }
    }

    @Test("On a full disk the damaged file stays as it is, and a later recovery works [OTP-2.3]")
    func fullDisk() async throws {
        let all = try await recordAndDamage()
        let before = try files.files()["purchases.sqlite"]
        let line = await (try WorkerProcess(recovering: files.path, limit: 20_000)).lastLine()
        #expect(["input-output", "disk-full"].contains(line), "\(line)")
        #expect(try files.files()["purchases.sqlite"] == before)
        #expect(try files.recover() != nil)
        #expect(try await PurchaseRecords(files.open()).getAllPurchases() == all)
    }

    @Test("In a read-only folder the damaged file stays as it is, and a later recovery works [OTP-2.3]")
    func readOnly() async throws {
        let all = try await recordAndDamage()
        let before = try files.files()
        // Root may write everywhere, so another user runs the recovery then.
        let stranger: uid_t? = geteuid() == 0 ? 4711 : nil
        for path in [files.folder] + before.keys.map({ "\(files.folder)/\($0)" }) {
            if let stranger { #expect(unsafe chown(path, stranger, gid_t(stranger)) == 0) }
        }
        #expect(unsafe chmod(files.folder, 0o500) == 0)
        let line = await (try WorkerProcess(recovering: files.path, user: stranger)).lastLine()
        #expect(line == "read-only")
        #expect(unsafe chmod(files.folder, 0o700) == 0)
        for path in [files.folder] + before.keys.map({ "\(files.folder)/\($0)" }) {
            if stranger != nil { #expect(unsafe chown(path, 0, 0) == 0) }
        }
        #expect(try files.files()["purchases.sqlite"] == before["purchases.sqlite"])
        #expect(try files.recover() != nil)
        #expect(try await PurchaseRecords(files.open()).getAllPurchases() == all)
    }

    @Test(
        "A replacement whose note is lost or an earlier one overwrites no file that was set aside",
        arguments: ["", "OLD"])
    func wrongNote(_ note: String) throws {
        _ = try files.open()
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: files.path))
        _ = try files.recover()
        let old = "\(files.path).damaged-OLD"
        try Data("old".utf8).write(to: URL(fileURLWithPath: old))
        // As a process leaves it that was killed after the second step.
        try FileManager.default.copyItem(atPath: files.path, toPath: files.path + "-recovered")
        try DatabaseFile(files.path, lockTimeout: 5_000).lock.write(note: note)
        _ = try files.open()
        #expect(try Data(contentsOf: URL(fileURLWithPath: old)) == Data("old".utf8))
        #expect(FileManager.default.fileExists(atPath: "\(files.path).damaged-UNKNOWN-1"))
    }
}
