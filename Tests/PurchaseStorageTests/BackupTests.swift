import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("Backup of an open database", .timeLimit(.minutes(15)))
struct BackupTests {
    private let files = TestDatabase()
    private let copies = TestDatabase()

    @Test("The copy has what the log and the database have, and only its owner can read it [OTP-9.1]")
    func copiesEverything() async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        for number in 0..<20 { _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)")) }
        try await database.backUp(to: copies.path)
        _ = try await purchases.recordPurchase(PurchaseSample.purchase("later"))
        let mode = try FileManager.default.attributesOfItem(atPath: copies.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try copies.files().keys.sorted() == ["purchases.sqlite"])
        let damage = DamageRecorder()
        let copy = try copies.open(damage: damage)
        #expect(try await PurchaseRecords(copy).getAllPurchases().count == 20)
        #expect(try await PurchaseRecords(copy).events(since: nil).count == 40)
        #expect(damage.all.isEmpty)
        #expect(try await copy.recover() == nil)
        #expect(try await purchases.getAllPurchases().count == 21)
    }

    @Test("A file or a link that has the path stays as it is, and nothing is left beside it")
    func overwritesNothing() async throws {
        let database = try files.open()
        try FileManager.default.createDirectory(
            atPath: copies.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data("a letter".utf8).write(to: URL(fileURLWithPath: copies.path))
        await #expect(throws: DatabaseError(.notOpened, "")) { try await database.backUp(to: copies.path) }
        #expect(try copies.files() == ["purchases.sqlite": Data("a letter".utf8)])
        try FileManager.default.removeItem(atPath: copies.path)
        try FileManager.default.createSymbolicLink(atPath: copies.path, withDestinationPath: "/nowhere")
        await #expect(throws: DatabaseError(.notOpened, "")) { try await database.backUp(to: copies.path) }
        try FileManager.default.removeItem(atPath: copies.path)
        try await database.backUp(to: copies.path)
        #expect(try copies.files().keys.sorted() == ["purchases.sqlite"])
    }

    /// Leaves what a process leaves that is killed while it writes a backup.
    private func leaveUnfinished(in folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in ["", "-journal", "-lock"] {
            let path = "\(folder)/.purchases-backup\(name)"
            try Data("number-of-alice".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }

    @Test("The next backup into a folder removes what a killed one has left, also under another name [OTP-9.4]")
    func killed() async throws {
        try leaveUnfinished(in: copies.folder)
        try await files.open().backUp(to: copies.path)
        #expect(try copies.files().keys.sorted() == ["purchases.sqlite"])
        #expect(try await copies.open().recover() == nil)
    }

    @Test("The deletion of a user removes what a killed backup has left beside the database [OTP-9.4]")
    func killedBesideTheDatabase() async throws {
        let database = try files.open()
        try leaveUnfinished(in: files.folder)
        try await database.erase(PurchaseSample.alice)
        #expect(try files.files().keys.allSatisfy { $0.hasPrefix("purchases.sqlite") })
    }

    @Test("Two backups into one folder wait for each other, and the file of the first one stays whole")
    func busy() async throws {
        let database = try files.open(busyTimeout: 1)
        try leaveUnfinished(in: copies.folder)
        let handle = try #require(FileHandle(forUpdatingAtPath: "\(copies.folder)/.purchases-backup-lock"))
        #expect(flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        await #expect(throws: DatabaseError(.busy, "")) { try await database.backUp(to: copies.path) }
        #expect(try copies.files()[".purchases-backup"] == Data("number-of-alice".utf8))
        try handle.close()
        try await database.backUp(to: copies.path)
        #expect(try copies.files().keys.sorted() == ["purchases.sqlite"])
    }
}
