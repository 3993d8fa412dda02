import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("The lock file of a database")
struct LockFileTests {
    private let files = TestDatabase()

    private var path: String { files.path + "-lock" }

    @Test("After the lock file was removed, connections still exclude each other [OTP-3.6]")
    func removed() async throws {
        let purchases = DatabasePurchases(try files.open(busyTimeout: 1))
        _ = try await purchases.recordPurchase(PurchaseSample.purchase("1"))
        try FileManager.default.removeItem(atPath: path)
        let other = DatabasePurchases(try files.open())
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
        _ = try await DatabasePurchases(database).recordPurchase(PurchaseSample.purchase())
        try FileManager.default.removeItem(atPath: path)
        #expect(try await DatabasePurchases(database).getAllPurchases().count == 1)
        for name in try files.files().keys where name != "purchases.sqlite-lock" {
            try FileManager.default.removeItem(atPath: "\(files.folder)/\(name)")
        }
        #expect(throws: DatabaseError(.damaged, "")) { try files.open() }
    }

    @Test("A folder in the place of the lock file is an error, and the next call works without it")
    func folder() async throws {
        let purchases = DatabasePurchases(try files.open())
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        await #expect(throws: DatabaseError(.notOpened, "")) { try await purchases.getAllPurchases() }
        try FileManager.default.removeItem(atPath: path)
        #expect(try await purchases.getAllPurchases().isEmpty)
    }
}
