import Foundation
import PurchaseCore
import Testing

@testable import PurchaseStorage

@Suite("Two processes and one ledger", .timeLimit(WorkerProcess.timeLimit))
struct ProcessTests {
    private let files = TestDatabase()

    /// The finished purchases of the database, in the order of their first delivery.
    private func finished() async throws -> [Int] {
        let damage = DamageRecorder()
        let database = try files.open(damage: damage)
        let entries = try await DatabaseLedger(database).entries()
        #expect(damage.tables.isEmpty)
        return entries.filter { $0.stage == .finished }.compactMap { Int($0.transaction.transactionID) }
    }

    @Test("After a kill at any moment, no acknowledged purchase is missing and none is doubled [OTP-2.3]")
    func kills() async throws {
        var random = SystemRandomNumberGenerator()
        var acknowledged: [Int] = []
        for round in 0..<WorkerProcess.killCount {
            let worker = try WorkerProcess(.ledger, files.path, from: round * 1_000, count: 1_000)
            acknowledged += await worker.kill(after: Int.random(in: 0...20, using: &random))
            let recorded = try await finished()
            #expect(Set(recorded).count == recorded.count)
            #expect(Set(acknowledged).isSubset(of: recorded))
            // A purchase is printed after it is durable, so the kill can come between the two.
            #expect(recorded.count <= acknowledged.count + round + 1)
            #expect(try files.isSound(afterRound: round), "round \(round)")
        }
        #expect(try files.text("PRAGMA integrity_check") == "ok")
    }

    /// The number of coins in the sealed store, and the purchase that was counted last.
    private func coins() async throws -> (count: Int, last: String?) {
        let keys = SealingKeyFile("\(files.folder)/keys/sealing.key")
        let value = try await SealedStore(folder: "\(files.folder)/secrets", keys: keys).value(of: "coins") ?? []
        let words = String(decoding: value, as: UTF8.self).split(separator: " ")
        return (words.first.flatMap { Int($0) } ?? 0, words.last.map(String.init))
    }

    @Test("After a kill at any moment, the ledger and the sealed store agree on what was granted [OTP-2.3]")
    func ledgerAndSealedStore() async throws {
        var random = SystemRandomNumberGenerator()
        var acknowledged: Set<String> = []
        for round in 0..<WorkerProcess.killCount {
            let worker = try WorkerProcess(.coins, files.path, from: round * 1_000, count: 1_000)
            acknowledged.formUnion(await worker.kill(after: Int.random(in: 0...20, using: &random)).map { "\($0)" })
            let entries = try await DatabaseLedger(files.open()).entries()
            let granted = Set(entries.filter { $0.stage >= .granted }.map(\.transaction.transactionID))
            #expect(acknowledged.isSubset(of: granted))
            let (count, last) = try await coins()
            // A coin is counted before the ledger notes it, and the kill can come between the two.
            let isAhead = last.map { !granted.contains($0) } ?? false
            #expect(count == granted.count + (isAhead ? 1 : 0))
            #expect(try files.isSound(afterRound: round), "round \(round)")
        }
        let last = try WorkerProcess(.coins, files.path, from: 0, count: 0)
        #expect(await last.lastLine() == "")
        #expect(try await coins().count == finished().count)
        #expect(try await DatabaseLedger(files.open()).entries().allSatisfy { $0.stage == .finished })
        #expect(try files.text("PRAGMA integrity_check") == "ok")
    }

    @Test("Two processes that write at the same time lose no purchase and double none [OTP-3.1]")
    func parallel() async throws {
        let count = WorkerProcess.recordCount
        let workers = [
            try WorkerProcess(.ledger, files.path, from: 0, count: count),
            try WorkerProcess(.ledger, files.path, from: count, count: count),
        ]
        #expect(await [workers[0].lastLine(), workers[1].lastLine()] == ["\(count - 1)", "\(2 * count - 1)"])
        #expect(try await finished().sorted() == Array(0..<2 * count))
    }

    @Test("On a full disk a purchase fails with a typed error, the others stay, and later ones work again [OTP-2.3]")
    func fullDisk() async throws {
        let worker = try WorkerProcess(.ledger, files.path, from: 0, count: 1_000, limit: 600_000)
        let lines = await worker.lines()
        let line = lines.last ?? ""
        #expect(["not-written input-output", "not-written disk-full"].contains(line), "\(line)")
        let before = try await finished()
        #expect(!before.isEmpty)
        #expect(before == Array(0..<before.count))
        let acknowledged = lines.compactMap { Int($0) }
        #expect(Set(acknowledged).isSubset(of: before))
        // The call that has failed can have finished its own purchase, and no other one.
        #expect(before.count <= acknowledged.count + 1)
        #expect(
            try await WorkerProcess(.ledger, files.path, from: before.count, count: 10).lastLine()
                == "\(before.count + 9)")
        #expect(try await finished().sorted() == Array(0..<before.count + 10))
        #expect(try files.text("PRAGMA integrity_check") == "ok")
    }
}
