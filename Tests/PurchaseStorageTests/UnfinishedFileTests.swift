import Foundation
import PurchaseCore
import ReceiptVerification
import Testing

@testable import PurchaseStorage

@Suite("Files of processes that were killed")
struct UnfinishedFileTests {
    private let files = TestDatabase()

    /// Returns the number of a process that has ended.
    private func endedProcess() throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exit 0"]
        try process.run()
        process.waitUntilExit()
        return process.processIdentifier
    }

    private func write(_ names: [String]) throws {
        for name in names {
            let path = "\(files.folder)/\(name)"
            #expect(FileManager.default.createFile(atPath: path, contents: Data("line of the log".utf8)))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: files.folder))
    }

    @Test("An incomplete file of a killed process is deleted when the database is opened, and with a user [OTP-9.5]")
    func sweeps() async throws {
        let database = try files.open()
        let before = try names()
        let ended = try endedProcess()
        // In a container, the process that was killed can have had the number of this one.
        let abandoned = [
            ".purchases.sqlite-erasing.\(ended).8.tmp", ".support.json.\(ended).4294967295.tmp",
            ".support.json.\(getpid()).7.tmp",
        ]
        let others = [
            ".support.json.\(getppid()).9.tmp", "support.json.\(ended).7.tmp", ".support.json.\(ended).x.tmp",
            ".support.json.0\(ended).7.tmp", ".support.json.0.7.tmp", ".\(ended).7.tmp", ".notes.tmp",
        ]
        try write(abandoned + others)
        let link = ".link.\(ended).7.tmp"
        try FileManager.default.createSymbolicLink(
            atPath: "\(files.folder)/\(link)", withDestinationPath: "\(files.folder)/.notes.tmp")
        let expected = before.union(others).union([link])
        let other = try files.open()
        #expect(try names() == expected)
        try write(abandoned)
        try await database.erase(PurchaseSample.alice)
        #expect(try names() == expected)
        withExtendedLifetime(other) {}
    }

    @Test("A file that this process writes is not deleted")
    func inUse() throws {
        _ = try files.open()
        let path = files.folder
        let folder = try PrivateFolder(path) {
            do { try PrivateFolder(path).removeUnfinished() } catch { Issue.record(error) }
        }
        #expect(try folder.create("first", [1]))
        try folder.replace("first", [2])
        #expect(try folder.read("first", maximumCount: 9) == [2])
        #expect(try names().allSatisfy { !$0.hasSuffix(".tmp") })
    }

    @Test("An export of the log deletes what an earlier one with its name has left, and nothing else [OTP-9.5]")
    func exports() async throws {
        let log = DatabaseLog(try files.open())
        let ended = try endedProcess()
        try write([".support.json.\(ended).7.tmp", ".other.json.\(ended).7.tmp"])
        try await log.export(to: "\(files.folder)/support.json")
        #expect(try names().filter { $0.hasSuffix(".tmp") } == [".other.json.\(ended).7.tmp"])
    }
}
