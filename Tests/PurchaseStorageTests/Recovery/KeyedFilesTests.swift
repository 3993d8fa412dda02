import Foundation
import PurchaseCore
import Testing

@testable import PurchaseStorage

@Suite("Files of a lost key", .timeLimit(.minutes(15)))
struct KeyedFilesTests {
    private let files = TestDatabase()

    private var keyed: KeyedFiles {
        KeyedFiles(database: files.path, secrets: "\(files.folder)/secrets", key: nil)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: files.folder).sorted()
    }

    @Test("A database that is set aside counts as lost, and the next one reads the store's history [OTP-3.6]")
    func countsAsLost() async throws {
        _ = try await DatabasePurchases(files.open()).recordPurchase(PurchaseSample.purchase())
        // As a backup restores it.
        try FileManager.default.removeItem(atPath: files.path + "-lock")
        try keyed.setAside(keyed.state, at: PurchaseSample.start)
        let otherKey = [UInt8](repeating: 8, count: 32)
        #expect(throws: DatabaseError(.damaged, "")) { try files.open(key: otherKey) }
        #expect(try files.recover(key: otherKey)?.finding == .missing)
        let database = try files.open(key: otherKey)
        #expect(try await database.unfinishedRecovery() != nil)
        #expect(try await DatabasePurchases(database).getAllPurchases().isEmpty)
    }

    @Test("Files that another process has replaced since they were seen stay where they are")
    func replacedFiles() throws {
        _ = try files.open()
        let secrets = "\(files.folder)/secrets"
        try FileManager.default.createDirectory(atPath: secrets, withIntermediateDirectories: false)
        let seen = keyed.state
        try keyed.setAside(seen, at: PurchaseSample.start)
        #expect(try names().filter { $0.contains(".damaged-") }.count == 2)
        _ = try files.recover()
        try FileManager.default.createDirectory(atPath: secrets, withIntermediateDirectories: false)
        let after = try names()
        try keyed.setAside(seen, at: PurchaseSample.at(1))
        #expect(try names() == after)
    }
}
