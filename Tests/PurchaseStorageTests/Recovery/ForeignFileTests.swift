import Foundation
import PurchaseCore
import ReceiptVerification
import SQLite
import Testing

@testable import PurchaseStorage

@Suite("Foreign files beside a database", .timeLimit(.minutes(15)))
struct ForeignFileTests {
    private let files = TestDatabase()

    /// The header of a rollback journal for a database that was empty before: a replay empties it again.
    private static let emptyingJournal: [UInt8] = {
        let header: [UInt8] =
            [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0, 2, 0]
            + [0, 0, 0x10, 0]
        return header + [UInt8](repeating: 0, count: 512 - header.count)
    }()

    private func write(_ bytes: [UInt8], to suffix: String, of files: TestDatabase? = nil) throws {
        let path = (files ?? self.files).path + suffix
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Records three purchases, and closes the database, which then has no log.
    private func record(_ count: Int = 3) async throws {
        let purchases = PurchaseRecords(try files.open())
        for number in 0..<count { _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)")) }
    }

    private func count(damage: DamageRecorder = DamageRecorder()) async throws -> Int {
        try await PurchaseRecords(try files.open(damage: damage)).getAllPurchases().count
    }

    private var asideName: String { "purchases.sqlite.damaged-FOREIGN-1-journal" }

    private func code(_ body: () throws -> Void) -> DatabaseError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DatabaseError)?.code
        }
    }

    // MARK: A database with content

    @Test("Opening a database sets a foreign journal aside and reports it; nothing is lost")
    func foreignJournal() async throws {
        try await record()
        try write(Self.emptyingJournal, to: "-journal")
        let damage = DamageRecorder()
        #expect(try await count(damage: damage) == 3)
        #expect(damage.all.map(\.pathSetAside) == ["\(files.folder)/\(asideName)"])
        #expect(damage.all.first?.description.contains("purchases.sqlite-journal was set aside as") == true)
        #expect(try files.files()[asideName] == Data(Self.emptyingJournal))
        try write(Self.emptyingJournal, to: "-journal")
        #expect(try await count(damage: damage) == 3)
        #expect(damage.all.last?.pathSetAside?.hasSuffix("damaged-FOREIGN-2-journal") == true, "it replaces none")
    }

    @Test("A program that makes one journal after the other fills no disk; the last ones are kept")
    func manyForeignJournals() async throws {
        try await record()
        for number in 0..<25 {
            try write(Self.emptyingJournal + [UInt8(number)], to: "-journal")
            #expect(try await count() == 3)
        }
        let kept = try files.files().filter { $0.key.contains("damaged-FOREIGN") }
        #expect(kept.count == 9)
        #expect(Set(kept.values.compactMap(\.last)) == Set(16..<25))
    }

    /// The log of a database of another program, without tables, or of one of this package with another key.
    private func foreignLog(ofOtherKey hasOtherKey: Bool) async throws -> [UInt8] {
        let other = TestDatabase()
        if hasOtherKey {
            let database = try PurchaseDatabase(path: other.path, key: [UInt8](repeating: 9, count: 32))
            let purchases = PurchaseRecords(database)
            _ = try await purchases.recordPurchase(PurchaseSample.purchase("other"))
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: other.path + "-wal")))
        }
        try FileManager.default.createDirectory(
            atPath: other.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try write([], to: "", of: other)
        let connection = try SQLiteConnection(path: other.path, busyTimeout: 0)
        try connection.useWriteAheadLog(timeout: 0)
        for statement in ["CREATE TABLE t (a)", "DROP TABLE t"] { try connection.execute(statement) }
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: other.path + "-wal")))
    }

    @Test("The log of another database is set aside and reported, and nothing is lost", arguments: [false, true])
    func foreignLog(hasOtherKey: Bool) async throws {
        let log = try await foreignLog(ofOtherKey: hasOtherKey)
        #expect(log.count > 4_096)
        try await record()
        let before = try files.files()["purchases.sqlite"]
        let aside = "purchases.sqlite.damaged-FOREIGN-1-wal"
        // A reader changes nothing.
        try write(log, to: "-wal")
        #expect(code { _ = try DatabaseInspection(path: files.path, key: TestDatabase.key) } == .foreignLog)
        #expect(try files.files()["purchases.sqlite"] == before)
        #expect(try files.files()["purchases.sqlite-wal"] == Data(log))
        let damage = DamageRecorder()
        #expect(try await count(damage: damage) == 3)
        #expect(damage.all.map(\.pathSetAside) == ["\(files.folder)/\(aside)"])
        #expect(try files.files()[aside] == Data(log))
        // With a journal beside it, and in a recovery.
        try write(log, to: "-wal")
        try write(Self.emptyingJournal, to: "-journal")
        let found = DamageRecorder()
        let recovery = try PurchaseDatabase.recover(
            path: files.path, key: TestDatabase.key, onDamage: { found.record($0) })
        #expect(recovery == nil)
        #expect(found.all.count == 2)
        #expect(try await count() == 3)
    }

    @Test("A foreign log that another process has locked is an error that the next call does not meet")
    func lockedForeignLog() async throws {
        let log = try await foreignLog(ofOtherKey: false)
        try await record()
        try write(log, to: "-wal")
        let file = try DatabaseFile(files.path, lockTimeout: 1)
        let key = try PurchaseDatabase.checked(TestDatabase.key)
        func setAside() throws(DatabaseError) -> [DamagedRow] {
            var found: [DamagedRow] = []
            try file.removeForeignFiles(key) { found.append($0) }
            return found
        }
        // As another command locks the file for a moment, when it looks for a log that was removed.
        var other: SQLiteConnection? = try SQLiteConnection(path: files.path, busyTimeout: 0, mode: .examine)
        for sql in ["PRAGMA locking_mode = EXCLUSIVE", "SELECT count(*) FROM sqlite_schema"] {
            try other?.forEach(sql) { (_) throws(DatabaseError) in }
        }
        #expect(code { _ = try setAside() } == .busy)
        other = nil
        #expect(try setAside().count == 1)
        #expect(try await count() == 3)
    }

    @Test("Of processes that recover a database beside a foreign log at the same time, none fails [OTP-3.6]")
    func processesBesideForeignLog() async throws {
        let log = try await foreignLog(ofOtherKey: false)
        try await record()
        for _ in 0..<3 {
            try write(log, to: "-wal")
            let workers = try (0..<3).map { _ in try WorkerProcess(recovering: files.path) }
            for worker in workers { #expect(await worker.lastLine() == "sound") }
            #expect(try await count() == 3)
        }
    }

    @Test("A reader leaves the index of a removed log as the sign for a recovery")
    func indexWithoutLog() async throws {
        try await record()
        try write([UInt8](repeating: 0, count: 32_768), to: "-shm")
        #expect(code { _ = try DatabaseInspection(path: files.path, key: TestDatabase.key) } == .damaged)
        #expect(try files.files()["purchases.sqlite-shm"]?.count == 32_768)
        let recovery = try PurchaseDatabase.recover(path: files.path, key: TestDatabase.key)
        #expect(recovery?.finding == .missingLog)
        #expect(try await count() == 3)
    }

    @Test("A recovery of a sound database sets a foreign journal aside and reports it")
    func recoveryOfSoundDatabase() async throws {
        try await record()
        try write(Self.emptyingJournal, to: "-journal")
        let damage = DamageRecorder()
        let recovery = try PurchaseDatabase.recover(
            path: files.path, key: TestDatabase.key, onDamage: { damage.record($0) })
        #expect(recovery == nil)
        #expect(damage.all.map(\.pathSetAside) == ["\(files.folder)/\(asideName)"])
        #expect(try await count() == 3)
    }

    @Test("A recovered database has a log from the start, so that opening it makes no journal that counts as foreign")
    func recoveredDatabase() async throws {
        try await record()
        try write([1, 2, 3], to: "")
        #expect(try files.recover() != nil)
        // The versions for writing and for reading, which are 1 for a database with a rollback journal.
        #expect(try files.files()["purchases.sqlite"]?.dropFirst(18).prefix(2) == Data([2, 2]))
        #expect(try !files.files().keys.contains { $0.contains("-recover") || $0.hasSuffix("-wal") })
    }

    @Test("A recovered database does not meet the journal of the damaged one")
    func recoveryOfDamagedDatabase() async throws {
        try await record()
        // A row with a wrong seal.
        try files.execute("UPDATE purchases SET product_id = 'other' WHERE transaction_id = '0'")
        try write(Self.emptyingJournal, to: "-journal")
        let recovery = try #require(try files.recover())
        #expect(recovery.rejectedRows == 1)
        try write(Self.emptyingJournal, to: "-journal")
        #expect(try await count() == 2)
        #expect(try files.files()["purchases.sqlite-journal"] == nil)
    }

    @Test("The journal of a lost database is set aside with its log when a new one takes its place")
    func recoveryOfLostDatabase() async throws {
        try await record()
        try write([], to: "")
        try write(Self.emptyingJournal, to: "-journal")
        #expect(code { _ = try files.open() } == .damaged)
        let aside = try #require(try files.recover()?.damagedPath)
        #expect(FileManager.default.fileExists(atPath: "\(aside)-journal"))
        #expect(try await count() == 0)
    }

    @Test("An inspection and a check refuse a database with a foreign journal, and change no file")
    func readers() async throws {
        try await record()
        for journal in [Self.emptyingJournal, []] {
            try write(journal, to: "-journal")
            let before = try files.files()
            #expect(code { _ = try DatabaseInspection(path: files.path, key: TestDatabase.key) } == .foreignJournal)
            #expect(
                code { _ = try DatabaseInspection.damage(path: files.path, key: TestDatabase.key) } == .foreignJournal)
            #expect(try files.files() == before)
        }
    }

    @Test("A journal that appears after a connection was opened is not replayed")
    func laterJournal() async throws {
        try await record()
        for mode in [SQLiteConnection.Mode.use, .examine, .read] {
            let connection = try SQLiteConnection(path: files.path, busyTimeout: 0, mode: mode)
            try write(Self.emptyingJournal, to: "-journal")
            let before = try files.files()
            let query = "SELECT count(*) FROM purchases"
            #expect(code { try connection.forEach(query) { (_) throws(DatabaseError) in } } == .foreignJournal)
            #expect(try files.files() == before, "\(mode)")
            try FileManager.default.removeItem(atPath: "\(files.path)-journal")
            try connection.forEach(query) { (_) throws(DatabaseError) in }
        }
        #expect(try await count() == 3)
    }

    @Test("An app that has the database open records and closes beside a foreign journal")
    func openDatabase() async throws {
        try await record()
        do {
            let purchases = PurchaseRecords(try files.open())
            try write(Self.emptyingJournal, to: "-journal")
            _ = try await purchases.recordPurchase(PurchaseSample.purchase("later"))
            #expect(try await purchases.getAllPurchases().count == 4)
            // A second one sets it aside while the first is open.
            _ = try files.open()
            #expect(try files.files()[asideName] != nil)
            _ = try await purchases.recordPurchase(PurchaseSample.purchase("last"))
        }
        #expect(try await count() == 5)
    }

    @Test("A foreign journal beside a database whose content is only in its log is set aside")
    func contentInLog() async throws {
        let database = try files.open()
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase())
        let killed = try files.copy()
        #expect(try killed.files()["purchases.sqlite"]?.count == 4_096, "no page of the log is in the file")
        try write(Self.emptyingJournal, to: "-journal", of: killed)
        #expect(try await PurchaseRecords(killed.open()).getAllPurchases().count == 1)
        #expect(try killed.files()[asideName] != nil)
        withExtendedLifetime(database) {}
    }

    @Test("A foreign journal that was set aside is no damaged file of which the oldest is deleted")
    func limitOfDamagedFiles() async throws {
        try await record()
        try write(Self.emptyingJournal, to: "-journal")
        #expect(try await count() == 3)
        for second in 1...2 {
            try write([1, 2, 3], to: "")
            #expect(try files.recover(keeping: 1, at: Int64(second)) != nil)
        }
        #expect(try files.files()[asideName] != nil)
    }

    @Test("A foreign log that was set aside takes the place of no damaged file that is kept")
    func limitBesideForeignLog() async throws {
        try await record()
        try write(try await foreignLog(ofOtherKey: false), to: "-wal")
        #expect(try await count() == 3)
        for second in 1...2 {
            try write([1, 2, 3], to: "")
            #expect(try files.recover(keeping: 2, at: Int64(second)) != nil)
        }
        #expect(try files.files().values.filter { $0 == Data([1, 2, 3]) }.count == 2)
    }

    // MARK: A new database

    @Test("The journal that SQLite makes when a new file becomes a database is replayed after a crash")
    func genuineJournal() async throws {
        let page = try {
            try files.newFile().useWriteAheadLog(timeout: 0)
            return [UInt8](try #require(try files.files()["purchases.sqlite"]))
        }()
        #expect(page.count == 4_096)
        let half = page.prefix(512) + [UInt8](repeating: 0, count: page.count - 512)
        for file in [[], [UInt8](repeating: 0, count: page.count), Array(half), page] {
            let files = TestDatabase()
            _ = try files.newFile()
            try write(file, to: "", of: files)
            try write(Self.emptyingJournal, to: "-journal", of: files)
            let damage = DamageRecorder()
            let database = try files.open(damage: damage)
            #expect(damage.all.isEmpty)
            _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase())
            #expect(try files.files()["purchases.sqlite-journal"] == nil)
        }
    }

    @Test("A reader does not replay the journal of a new database")
    func readerOfNewDatabase() throws {
        try files.newFile().useWriteAheadLog(timeout: 0)
        try write(Self.emptyingJournal, to: "-journal")
        for page in [try #require(try files.files()["purchases.sqlite"]), Data()] {
            try write([UInt8](page), to: "")
            try write([1, 2, 3], to: "-wal")
            let before = try files.files()
            #expect(code { _ = try DatabaseInspection(path: files.path, key: TestDatabase.key) } != nil)
            #expect(try files.files() == before)
            try FileManager.default.removeItem(atPath: "\(files.path)-wal")
        }
    }

    @Test("A journal that names another file is not replayed beside a new database, because SQLite would delete it")
    func namedFile() async throws {
        try files.newFile().useWriteAheadLog(timeout: 0)
        let letter = "\(files.folder)/letter"
        try write([1, 2, 3], to: "-letter")
        try FileManager.default.moveItem(atPath: "\(files.path)-letter", toPath: letter)
        let name = Array(letter.utf8)
        func number(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        let sum = name.reduce(0) { $0 + Int($1) }
        // The last record of a journal: the page that no database has, the name, its size and sum, and the mark.
        let record = number(1 << 30 / 4_096 + 1) + name + number(name.count) + number(sum)
        try write(Self.emptyingJournal + record + Self.emptyingJournal.prefix(8), to: "-journal")
        let damage = DamageRecorder()
        #expect(try await count(damage: damage) == 0)
        #expect(damage.all.count == 1)
        #expect(FileManager.default.fileExists(atPath: letter))
    }

    @Test("A file without content is empty, was never written, or has one page without tables")
    func withoutContent() async throws {
        try files.newFile().useWriteAheadLog(timeout: 0)
        let page = [UInt8](try #require(try files.files()["purchases.sqlite"]))
        #expect(SQLiteFiles.isWithoutContent([]))
        #expect(SQLiteFiles.isWithoutContent(page[...]))
        #expect(SQLiteFiles.isWithoutContent([UInt8](repeating: 0, count: 512)[...]))
        // The kind of the page, its number of rows, the version of the schema and the program.
        for offset in [0, 63, 71, 100, 104] {
            var changed = page
            changed[offset] ^= 1
            #expect(!SQLiteFiles.isWithoutContent(changed[...]), "\(offset)")
        }
        #expect(!SQLiteFiles.isWithoutContent((page + page)[...]))
        #expect(!SQLiteFiles.isWithoutContent(page[..<100]))
    }

    // MARK: Untrusted files

    /// Makes an entry that is no trusted file.
    private enum Untrusted: CaseIterable {
        case link, pipe, folder, openToOthers, secondName

        func make(_ path: String, besides database: String) throws {
            switch self {
            case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: database)
            case .pipe:
                let result = unsafe mkfifo(path, 0o600)
                try #require(result == 0)
            case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .openToOthers:
                try Data().write(to: URL(fileURLWithPath: path))
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            case .secondName: try FileManager.default.linkItem(atPath: database, toPath: path)
            }
        }
    }

    @Test("What is no private file in the place of a log, its index or the lock is refused before it is opened")
    func untrusted() async throws {
        try await record()
        let before = try files.files()
        for suffix in ["-wal", "-shm", "-lock"] {
            for kind in Untrusted.allCases {
                try? FileManager.default.removeItem(atPath: files.path + suffix)
                try kind.make(files.path + suffix, besides: files.path)
                for open in [
                    { _ = try files.open() }, { _ = try files.recover() },
                    { _ = try DatabaseInspection(path: files.path, key: TestDatabase.key) },
                    { _ = try DatabaseInspection.damage(path: files.path, key: TestDatabase.key) },
                ] {
                    #expect(throws: DatabaseError(.notOpened, ""), "\(kind) at \(suffix)") { try open() }
                }
                #expect(FileManager.default.contents(atPath: files.path) == before["purchases.sqlite"])
            }
            try FileManager.default.removeItem(atPath: files.path + suffix)
        }
        try write([UInt8](try #require(before["purchases.sqlite-lock"])), to: "-lock")
        #expect(try await count() == 3)
    }

    @Test("Beside a new database, a journal that is no private file is refused before it is opened")
    func untrustedJournal() async throws {
        for kind in Untrusted.allCases {
            let files = TestDatabase()
            _ = try files.newFile()
            try kind.make("\(files.path)-journal", besides: files.path)
            #expect(throws: DatabaseError(.notOpened, ""), "\(kind)") { _ = try files.open() }
        }
    }

    @Test("What is no recovered database does not take the place of the database")
    func foreignReplacement() async throws {
        try await record()
        let before = try files.files()
        let path = "\(files.path)-recovered"
        let places: [() throws -> Void] =
            // An empty file, bytes, and a copy of the database, as a person makes one by hand.
            [[], Self.emptyingJournal, [UInt8](before["purchases.sqlite"] ?? Data())].map { bytes in
                { try write(bytes, to: "-recovered") }
            }
            + Untrusted.allCases.filter { $0 != .secondName }.map { kind in
                { try kind.make(path, besides: files.path) }
            }
        for place in places {
            try place()
            #expect(code { _ = try files.open() } == .notOpened)
            #expect(code { _ = try files.recover() } == .notOpened)
            try FileManager.default.removeItem(atPath: path)
            #expect(try files.files() == before)
        }
        #expect(try await count() == 3)
    }

    @Test("A folder in the place of a backup's journal is an error, and the next backup is whole")
    func backup() async throws {
        try await record()
        let database = try files.open()
        let copies = TestDatabase()
        let folder = "\(copies.folder)/.purchases-backup-journal"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: copies.folder)
        await #expect(throws: DatabaseError(.notOpened, "")) { try await database.backUp(to: copies.path) }
        try FileManager.default.removeItem(atPath: folder)
        try await database.backUp(to: copies.path)
        // A backup has no log yet, and its header is that of a database with a rollback journal.
        try write(Self.emptyingJournal, to: "-journal", of: copies)
        #expect(try await PurchaseRecords(copies.open()).getAllPurchases().count == 3)
    }
}
