import Foundation
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import Testing

@testable import PurchaseStorage

@Suite("The lock file of a database", .timeLimit(.minutes(15)))
struct LockFileTests {
    private let files = TestDatabase()

    private var path: String { files.path + "-lock" }

    @Test("After the lock file was removed, connections still exclude each other [OTP-3.6]")
    func removed() async throws {
        let purchases = PurchaseRecords(try files.open(busyTimeout: 1))
        _ = try await purchases.recordPurchase(PurchaseSample.purchase("1"))
        try FileManager.default.removeItem(atPath: path)
        let other = PurchaseRecords(try files.open())
        // As a recovery of another process.
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        #expect(flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        await #expect(throws: DatabaseError(.busy, "")) {
            try await purchases.recordPurchase(PurchaseSample.purchase("2"))
        }
        try handle.close()
        #expect(try await purchases.recordPurchase(PurchaseSample.purchase("2")) == .inserted)
        #expect(try await other.getAllPurchases().count == 2)
    }

    @Test("A lock file that was removed is written again with its note, so that a lost database is found [OTP-3.6]")
    func keepsNote() async throws {
        let database = try files.open()
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase())
        try FileManager.default.removeItem(atPath: path)
        #expect(try await PurchaseRecords(database).getAllPurchases().count == 1)
        for name in try files.files().keys where name != "purchases.sqlite-lock" {
            try FileManager.default.removeItem(atPath: "\(files.folder)/\(name)")
        }
        #expect(throws: DatabaseError(.damaged, "")) { try files.open() }
    }

    @Test("A folder in the place of the lock file is an error, and the next call works without it")
    func folder() async throws {
        let purchases = PurchaseRecords(try files.open())
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        await #expect(throws: DatabaseError(.notOpened, "")) { try await purchases.getAllPurchases() }
        try FileManager.default.removeItem(atPath: path)
        #expect(try await purchases.getAllPurchases().isEmpty)
    }

    /// Returns whether a lock can be taken while another process waits for it and the first one has just released it.
    private func isOvertaken(_ held: FileLock, _ wait: (LockFile) throws -> Void) throws -> Bool {
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        let holder = handle.fileDescriptor
        #expect(held.take(holder))
        let isOvertaken = Locked(false)
        let waiting = try LockFile(path: path, timeout: 60_000) {
            held.release(holder)
            guard held.queue.take(holder) else { return }
            isOvertaken.withLock { $0 = true }
            held.queue.release(holder)
        }
        try wait(waiting)
        #expect(held.queue.take(holder), "the place in the queue is free again")
        return isOvertaken.withLock { $0 }
    }

    @Test("A process that releases the lock and takes it again does not overtake one that waits [OTP-3.6]")
    func queue() throws {
        _ = try files.open()
        #expect(try !isOvertaken(.shared) { try $0.exclusive { () throws(DatabaseError) in } })
        #expect(try !isOvertaken(.exclusive) { try $0.shared { () throws(DatabaseError) in } })
        #expect(try !isOvertaken(.writing) { try $0.writing { () throws(DatabaseError) in } })
    }

    @Test("A new call waits behind a call of another process that waits for a lock [OTP-3.6]")
    func newCalls() async throws {
        let database = PurchaseRecords(try files.open(busyTimeout: 1))
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        for lock in [FileLock.place(.ofFile, isShared: false), .place(.ofWriters, isShared: false), .writing] {
            #expect(lock.take(handle.fileDescriptor))
            await #expect(throws: DatabaseError(.busy, "")) {
                try await database.recordPurchase(PurchaseSample.purchase())
            }
            lock.release(handle.fileDescriptor)
        }
        #expect(try await database.recordPurchase(PurchaseSample.purchase()) == .inserted)
    }

    @Test("Calls that wait for another process leave the threads to other tasks")
    func threads() async throws {
        let databases = try (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in try files.open() }
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        #expect(FileLock.exclusive.take(handle.fileDescriptor))
        let calls = databases.map { database in Task { try await PurchaseRecords(database).getAllPurchases() } }
        // Behind the calls, which have begun before.
        for _ in databases { await Task.detached {}.value }
        FileLock.exclusive.release(handle.fileDescriptor)
        for call in calls { #expect(try await call.value.isEmpty) }
    }

    @Test("A connection that is closed while the file is replaced leaves the log, and nothing is lost [OTP-3.6]")
    func closing() async throws {
        var database: PurchaseDatabase? = try files.open()
        _ = try await PurchaseRecords(try #require(database)).recordPurchase(PurchaseSample.purchase())
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        func names() throws -> [String] { try files.files().keys.sorted() }
        let all = ["purchases.sqlite", "purchases.sqlite-lock", "purchases.sqlite-shm", "purchases.sqlite-wal"]
        #expect(FileLock.exclusive.take(handle.fileDescriptor))
        database = nil
        #expect(try names() == all)
        FileLock.exclusive.release(handle.fileDescriptor)
        database = try files.open()
        #expect(try await PurchaseRecords(try #require(database)).getAllPurchases().count == 1)
        database = nil
        #expect(try names() == Array(all.prefix(2)))

        // An inspection deletes the log that it has made, and only then.
        var inspection: DatabaseInspection? = try DatabaseInspection(path: files.path, key: TestDatabase.key)
        #expect(FileLock.exclusive.take(handle.fileDescriptor))
        #expect(try inspection?.purchases().count == 1)
        inspection = nil
        #expect(try names() == all)
        FileLock.exclusive.release(handle.fileDescriptor)
        inspection = try DatabaseInspection(path: files.path, key: TestDatabase.key)
        inspection = nil
        #expect(try names() == Array(all.prefix(2)))
    }
}
