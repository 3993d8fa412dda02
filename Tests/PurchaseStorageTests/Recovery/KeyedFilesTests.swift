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

    private let otherKey = [UInt8](repeating: 8, count: 32)

    @Test("A database that is set aside counts as lost, and the next one reads the store's history [OTP-3.6]")
    func countsAsLost() async throws {
        _ = try await PurchaseRecords(files.open()).recordPurchase(PurchaseSample.purchase())
        // As a backup restores it.
        try FileManager.default.removeItem(atPath: files.path + "-lock")
        try await keyed.startOver(keyed.state, at: PurchaseSample.start) { otherKey }
        let database = try files.open(key: otherKey)
        let recovery = try #require(try await database.unfinishedRecovery())
        #expect(recovery.finding == .missing)
        let old = try #require(recovery.damagedPath)
        #expect(FileManager.default.fileExists(atPath: old), "the report names the old file")
        #expect(try await PurchaseRecords(database).getAllPurchases().isEmpty)
    }

    @Test("A process that has the old files open makes no database with the old key")
    func oldKey() async throws {
        let running = try files.open(busyTimeout: 0)
        try await keyed.startOver(keyed.state, at: PurchaseSample.start) {
            await #expect(throws: DatabaseError(.busy, "")) { try await running.recover() }
            await #expect(throws: DatabaseError(.busy, "")) { try await PurchaseRecords(running).getAllPurchases() }
            #expect(!FileManager.default.fileExists(atPath: files.path))
            return otherKey
        }
        await #expect(throws: DatabaseError(.wrongKey, "")) { try await running.recover() }
        await #expect(throws: DatabaseError(.wrongKey, "")) { try await PurchaseRecords(running).getAllPurchases() }
        #expect(try await files.open(key: otherKey).unfinishedRecovery() != nil)
    }

    @Test("Files that were set aside by a process that was killed are replaced only by the same call [OTP-3.6]")
    func killed() async throws {
        let running = try files.open()
        await #expect(throws: CancellationError.self) {
            try await keyed.startOver(keyed.state, at: PurchaseSample.start) { throw CancellationError() }
        }
        let after = try names()
        let lost = DatabaseError(.wrongKey, "")
        await #expect(throws: lost) { try await running.recover() }
        await #expect(throws: lost) { try await PurchaseRecords(running).getAllPurchases() }
        #expect(throws: lost) { try files.recover() }
        #expect(throws: lost) { try files.open(key: otherKey) }
        #expect(throws: lost) { try keyed.requireKeys() }
        #expect(try names() == after)
        try await keyed.startOver(keyed.state, at: PurchaseSample.start) { otherKey }
        #expect(try await files.open(key: otherKey).unfinishedRecovery() != nil)
        // From here on, a lost file is an ordinary one.
        try FileManager.default.removeItem(atPath: files.path)
        let recovery = try #require(try files.recover(key: otherKey))
        #expect(recovery.finding == .missing)
        #expect(recovery.damagedPath == nil, "there is no damaged file")
    }

    @Test("The keys are set aside in their folder, and with them the earlier ones, and are deleted together [OTP-9.5]")
    func keyFiles() async throws {
        _ = try files.open()
        let (keys, secrets) = ("\(files.folder)/keys", "\(files.folder)/secrets")
        for folder in [keys, secrets] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }
        for name in ["sealing.key", "sealing.key.earlier-1", "other"] {
            try Data().write(to: URL(filePath: "\(keys)/\(name)"))
        }
        try Data().write(to: URL(filePath: "\(secrets)/manifest"))
        let keyed = KeyedFiles(database: files.path, secrets: secrets, key: (keys, "sealing.key"))
        try await keyed.startOver(keyed.state, at: PurchaseSample.start) { otherKey }
        let names = try FileManager.default.contentsOfDirectory(atPath: keys).sorted()
        let date = "20251009T085320Z"
        #expect(names == ["other", "sealing.key.damaged-\(date)", "sealing.key.damaged-\(date).earlier-1"])
        #expect(FileManager.default.fileExists(atPath: "\(secrets).damaged-\(date)/manifest"))
        try keyed.removeSetAside()
        #expect(try FileManager.default.contentsOfDirectory(atPath: keys) == ["other"])
        #expect(!FileManager.default.fileExists(atPath: "\(secrets).damaged-\(date)"))
    }

    @Test("A key that cannot be renamed leaves the database and the sealed store in their places")
    func fixedKey() async throws {
        let running = try files.open()
        let keys = "\(files.folder)/keys"
        try FileManager.default.createDirectory(
            atPath: keys, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        // A path that is too long for a name with a date.
        let name = String(repeating: "k", count: 250)
        try Data().write(to: URL(filePath: "\(keys)/\(name)"))
        let keyed = KeyedFiles(database: files.path, secrets: "\(files.folder)/secrets", key: (keys, name))
        await #expect(throws: DatabaseError.self) {
            try await keyed.startOver(keyed.state, at: PurchaseSample.start) { otherKey }
        }
        #expect(try await PurchaseRecords(running).getAllPurchases().isEmpty)
        _ = try files.open()
    }

    @Test("An erasure that was not finished stays with the old files, which nothing deletes")
    func unfinishedErasure() async throws {
        _ = try files.open()
        try DatabaseFile(files.path, lockTimeout: 5_000).noteErasure([1])
        try await keyed.startOver(keyed.state, at: PurchaseSample.start) { otherKey }
        let aside = try names().filter { $0.contains(".damaged-") }
        #expect(aside.contains { $0.hasSuffix("-erasing") })
        let database = try files.open(key: otherKey)
        #expect(try await !database.finishErasure())
        #expect(try names().filter { $0.contains(".damaged-") } == aside)
        try await database.erase(PurchaseSample.alice)
        #expect(try names().allSatisfy { !$0.contains(".damaged-") }, "an erasure deletes the old files")
    }

    @Test("Files that another process has replaced since they were seen stay where they are")
    func replacedFiles() async throws {
        _ = try files.open()
        let secrets = "\(files.folder)/secrets"
        try FileManager.default.createDirectory(atPath: secrets, withIntermediateDirectories: false)
        let seen = keyed.state
        try await keyed.startOver(seen, at: PurchaseSample.start) { otherKey }
        #expect(try names().filter { $0.contains(".damaged-") }.count == 2)
        try FileManager.default.createDirectory(atPath: secrets, withIntermediateDirectories: false)
        let after = try names()
        try await keyed.startOver(seen, at: PurchaseSample.at(1)) { otherKey }
        #expect(try names() == after)
    }
}
