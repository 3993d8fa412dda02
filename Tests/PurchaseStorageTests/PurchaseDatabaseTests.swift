import Foundation
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import SQLite
import Testing

@testable import PurchaseStorage

@Suite("PurchaseDatabase")
struct PurchaseDatabaseTests {
    private let files = TestDatabase()

    private func code(_ body: () throws -> Void) -> DatabaseError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DatabaseError)?.code
        }
    }

    @Test("Only the owner can read the files and their folder [OTP-9.1]")
    func modes() async throws {
        let database = try files.open()
        _ = try await DatabaseLedger(database).updateMemory { $0.clock.recordClock(SimulatedApp.start) }
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        let names = try files.files().keys.sorted()
        #expect(
            names == ["purchases.sqlite", "purchases.sqlite-lock", "purchases.sqlite-shm", "purchases.sqlite-wal"])
        for name in names { #expect(try mode("\(files.folder)/\(name)") == 0o600, "\(name)") }
        #expect(try mode(files.folder) == 0o700)
    }

    /// Changes the schema as a newer version does.
    private func changeSchema(_ statement: String) throws {
        let key = try #require(DatabaseKey(TestDatabase.key))
        let connection = try SQLiteConnection(path: files.path, busyTimeout: 5_000)
        try connection.write { () throws(DatabaseError) in
            try connection.execute(statement)
            try connection.execute("PRAGMA user_version = 99")
            try KeyCheck.store(key, schema: 99, in: connection)
        }
    }

    @Test("A database of a newer version is an error and stays as it is [OTP-3.1]")
    func newerSchema() throws {
        _ = try files.open()
        try changeSchema("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT")
        let before = try files.files()
        #expect(code { _ = try files.open() } == .newerSchema)
        #expect(try files.files() == before)
        // A damaged header does not make it an older one.
        try files.execute("PRAGMA user_version = \(DatabaseSchema.version)")
        #expect(code { _ = try files.open() } == .newerSchema)
        #expect(code { _ = try files.recover() } == .newerSchema)
    }

    @Test("A database of a newer version that checks its key in another way is no damaged one [OTP-3.1]")
    func newerKeyCheck() throws {
        _ = try files.open()
        try files.execute("DROP TABLE key_check")
        try files.execute("PRAGMA user_version = 99")
        #expect(code { _ = try files.open() } == .newerSchema)
        #expect(code { _ = try files.recover() } == .newerSchema)
    }

    @Test("A call after a newer version has changed the open file says so [OTP-3.1]")
    func newerSchemaWhileOpen() async throws {
        let ledger = DatabaseLedger(try files.open())
        try changeSchema("ALTER TABLE memory RENAME TO later")
        do {
            _ = try await ledger.memory()
            Issue.record("a table of a newer version was read")
        } catch {
            #expect((error.underlying as? DatabaseError)?.code == .newerSchema)
        }
    }

    @Test("A file system without write-ahead logging is an error, because its database would lose purchases [OTP-2.3]")
    func noWriteAheadLog() throws {
        let connection = try SQLiteConnection(path: ":memory:", busyTimeout: 0)
        #expect(code { try connection.useWriteAheadLog(timeout: 0) } == .notOpened)
    }

    @Test("A commit survives a power failure, also on Apple's systems [OTP-2.3]")
    func synchronizes() async throws {
        let database = try files.open()
        for (pragma, value) in [("synchronous", 2), ("fullfsync", 1), ("checkpoint_fullfsync", 1)] as [(String, Int64)]
        {
            let stored = try await database.read { (database) throws(DatabaseError) in
                try database.connection.first("PRAGMA \(pragma)") { (row) throws(DatabaseError) in try row.integer(0) }
            }
            #expect(stored == value, "\(pragma)")
        }
    }

    @Test("Another key is an error, and the database stays as it is [OTP-9.1]")
    func otherKey() async throws {
        _ = try await DatabaseLedger(files.open()).updateMemory { $0.clock.recordClock(SimulatedApp.start) }
        let before = try files.files()
        #expect(code { _ = try files.open(key: [UInt8](repeating: 8, count: 32)) } == .wrongKey)
        #expect(try files.files() == before)
        #expect(try await DatabaseLedger(try files.open()).memory().clock.device == SimulatedApp.start)
    }

    @Test("Of two first starts with different keys, the second one is an error [OTP-9.1]")
    func twoKeys() throws {
        // The second process has found a new file, and then the first one has created the database.
        let other = try #require(DatabaseKey([UInt8](repeating: 8, count: 32)))
        let connection = try files.newFile()
        #expect(try !DatabaseSchema.check(connection, other))
        _ = try files.open()
        try DatabaseSchema.create(in: connection, other)
        #expect(code { try KeyCheck.verify(other, in: connection) } == .wrongKey)
    }

    @Test("A database whose key check was deleted is damaged and gets no other one [OTP-9.1]")
    func missingKeyCheck() throws {
        _ = try files.open()
        try files.execute("DELETE FROM key_check")
        #expect(code { _ = try files.open() } == .damaged)
        #expect(try files.integer("SELECT count(*) FROM key_check") == 0)
    }

    @Test("A damaged row is reported once, after the transaction that has found it [OTP-9.1]")
    func reportsDamage() async throws {
        _ = try await DatabaseLedger(files.open()).updateMemory { $0.clock.recordClock(SimulatedApp.start) }
        try files.execute("UPDATE memory SET sealed = zeroblob(64)")
        let reports = Locked<[Bool]>([])
        let database = try PurchaseDatabase(path: files.path, key: TestDatabase.key) { [path = files.path] _ in
            let other = try? SQLiteConnection(path: path, busyTimeout: 1)
            let canWrite = (try? other?.execute("BEGIN IMMEDIATE")) != nil
            reports.withLock { $0.append(canWrite) }
        }
        let ledger = DatabaseLedger(database)
        for _ in 0..<2 { _ = try await ledger.updateMemory { _ in } }
        _ = try await ledger.memory()
        #expect(reports.withLock { $0 } == [true])
    }

    @Test("A row that was written again is reported again if it is damaged again [OTP-9.1]")
    func reportsAgain() async throws {
        let damage = DamageRecorder()
        let database = try files.open(damage: damage)
        let (ledger, purchases) = (DatabaseLedger(database), PurchaseRecords(database))
        for round in 1...3 {
            _ = try await ledger.updateMemory { $0.clock.recordClock(PurchaseSample.at(Int64(round))) }
            _ = try await purchases.recordPurchase(PurchaseSample.purchase())
            try files.execute("UPDATE memory SET sealed = zeroblob(64)")
            try files.execute("UPDATE purchases SET seal = zeroblob(64)")
            try files.execute("UPDATE deliveries SET seal = zeroblob(64)")
            for _ in 0..<2 {
                _ = try await ledger.memory()
                _ = try await purchases.getAllPurchases()
                _ = try await ledger.entries()
            }
            #expect(damage.all.count == 3 * round, "\(damage.all)")
        }
        _ = try await database.recover()
        try files.execute("INSERT INTO memory VALUES ('memory', zeroblob(64))")
        _ = try await ledger.memory()
        #expect(damage.all.count == 10, "a new file has rows of its own")
    }

    @Test("A database of another program is an error and stays as it is")
    func otherProgram() throws {
        let connection = try files.newFile()
        try connection.execute("CREATE TABLE letters (id INTEGER PRIMARY KEY)")
        try connection.execute("PRAGMA application_id = 1")
        let before = try files.files()
        #expect(code { _ = try files.open() } == .otherProgram)
        #expect(code { _ = try files.recover() } == .otherProgram)
        #expect(try files.files() == before)
    }

    @Test("A file that is no database is reported as damaged and stays as it is [OTP-3.6]")
    func noDatabase() throws {
        _ = try files.open()
        let text = Data(String(repeating: "this is a letter and not a database\n", count: 200).utf8)
        for name in try files.files().keys { try FileManager.default.removeItem(atPath: "\(files.folder)/\(name)") }
        try text.write(to: URL(fileURLWithPath: files.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.path)
        #expect(code { _ = try files.open() } == .damaged)
        #expect(try files.files()["purchases.sqlite"] == text)
    }

    @Test("A link, a file for everybody and a folder for everybody are errors [OTP-9.1]")
    func untrustedPlaces() throws {
        _ = try files.open()
        let manager = FileManager.default
        let link = "\(files.folder)/link.sqlite"
        try manager.createSymbolicLink(atPath: link, withDestinationPath: files.path)
        #expect(code { _ = try PurchaseDatabase(path: link, key: TestDatabase.key) } == .notOpened)
        try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: files.path)
        #expect(code { _ = try files.open() } == .notOpened)
        try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.path)
        try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: files.folder)
        #expect(code { _ = try files.open() } == .notOpened)
        try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: files.folder)
        #expect(code { _ = try files.open() } == nil)
    }

    @Test("A lock that another process does not release is the error busy, and the next call works")
    func busy() async throws {
        let ledger = DatabaseLedger(try files.open(busyTimeout: 1))
        let other = try SQLiteConnection(path: files.path, busyTimeout: 1)
        try other.execute("BEGIN IMMEDIATE")
        await #expect(throws: LedgerError(.notWritten, "")) {
            try await ledger.updateMemory { $0.clock.recordClock(SimulatedApp.start) }
        }
        try other.execute("COMMIT")
        let memory = try await ledger.updateMemory { $0.clock.recordClock(SimulatedApp.start) }
        #expect(memory.clock.device == SimulatedApp.start)
    }

    @Test("Of many first starts at the same time, each opens a complete database")
    func firstStarts() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try files.open() } }
            try await group.waitForAll()
        }
        #expect(try files.integer("PRAGMA user_version") == DatabaseSchema.version)
    }

    @Test("A transaction that fails changes nothing")
    func rollsBack() async throws {
        let database = try files.open()
        await #expect(throws: DatabaseError(.constraint, "")) {
            try await database.write { (database) throws(DatabaseError) in
                try database.connection.execute("INSERT INTO memory VALUES ('memory', x'00')")
                try database.connection.execute("INSERT INTO memory VALUES ('memory', x'00')")
            }
        }
        #expect(try files.integer("SELECT count(*) FROM memory") == 0)
    }
}
