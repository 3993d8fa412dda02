import Foundation
import PurchaseCore
import Testing

@testable import PurchaseStorage

@Suite("Two processes and the purchases of one user", .timeLimit(WorkerProcess.timeLimit))
struct PurchaseProcessTests {
    private let files = TestDatabase()

    /// The numbers of the recorded purchases, after a check of each purchase and its events.
    private func recorded() async throws -> [Int] {
        let damage = DamageRecorder()
        let catalog = try PurchaseSample.makeCatalog(["pro": ["pro.lifetime"], "templates": ["pro.lifetime"]])
        let purchases = PurchaseRecords(try files.open(damage: damage), catalog: catalog)
        let all = try await purchases.getAllPurchases()
        #expect(all.allSatisfy { $0.unlockedFeatures == ["pro", "templates"] })
        #expect(try await purchases.getPurchasesByFeature("pro").map(\.id) == all.map(\.id))
        let events = try await purchases.events(since: nil)
        // The database keeps the latest 10,000 events, or a hundredth less.
        if 2 * all.count <= 10_000 {
            #expect(events.count == 2 * all.count)
        } else {
            #expect((9_900...10_000).contains(events.count))
        }
        let ids = all.reversed().map(\.id)
        for kind in [PurchaseEvent.Kind.completed, .verified] {
            let found = events.filter { $0.kind == kind }.compactMap { $0.purchase?.id }
            #expect(found == Array(ids.suffix(found.count)))
        }
        // Each purchase has two, and the oldest one maybe the second alone.
        #expect([0, 1].contains(events.count { $0.kind == .verified } - events.count { $0.kind == .completed }))
        #expect(damage.all.isEmpty)
        return all.compactMap { Int($0.id.transactionID) }
    }

    @Test("After a kill at any moment, no acknowledged purchase is missing and none is doubled [OTP-3.1]")
    func kills() async throws {
        var random = SystemRandomNumberGenerator()
        var acknowledged: [Int] = []
        for round in 0..<WorkerProcess.killCount {
            let worker = try WorkerProcess(.purchases, files.path, from: round * 1_000, count: 1_000)
            acknowledged += await worker.kill(after: Int.random(in: 0...20, using: &random))
            let recorded = try await recorded()
            #expect(Set(recorded).count == recorded.count)
            #expect(Set(acknowledged).isSubset(of: recorded))
            // A purchase is printed after it is durable, so the kill can come between the two.
            #expect(recorded.count <= acknowledged.count + round + 1)
            #expect(try files.isSound(afterRound: round), "round \(round)")
        }
        #expect(try files.text("PRAGMA integrity_check") == "ok")
    }

    @Test("Two processes that record at the same time lose no purchase and double none [OTP-3.1]")
    func parallel() async throws {
        let count = WorkerProcess.recordCount
        let workers = [
            try WorkerProcess(.purchases, files.path, from: 0, count: count),
            try WorkerProcess(.purchases, files.path, from: count, count: count),
        ]
        #expect(await [workers[0].lastLine(), workers[1].lastLine()] == ["\(count - 1)", "\(2 * count - 1)"])
        #expect(try await recorded().sorted() == Array(0..<2 * count))
    }

    @Test("On a full disk a purchase fails with a typed error, the others stay, and later ones work again [OTP-2.3]")
    func fullDisk() async throws {
        let worker = try WorkerProcess(.purchases, files.path, from: 0, count: 1_000, limit: 400_000)
        let lines = await worker.lines()
        let line = lines.last ?? ""
        #expect(["input-output", "disk-full"].contains { line.hasPrefix($0) }, "\(line)")
        let before = try await recorded()
        let acknowledged = lines.compactMap { Int($0) }
        #expect(!acknowledged.isEmpty)
        #expect(Set(acknowledged).isSubset(of: before))
        // One more was attempted: that of the call that has failed.
        #expect(before.sorted() == Array(0..<before.count) && before.count <= acknowledged.count + 1)
        #expect(try await WorkerProcess(.purchases, files.path, from: 1_000, count: 10).lastLine() == "1009")
        #expect(try await recorded().sorted() == before.sorted() + Array(1_000..<1_010))
        #expect(try files.text("PRAGMA integrity_check") == "ok")
    }

    @Test("While another process holds the write lock, a call fails with a typed error and loses nothing [OTP-2.3]")
    func locked() async throws {
        let purchases = PurchaseRecords(try files.open(busyTimeout: 1))
        let (kept, late) = (try PurchaseSample.purchase("1"), try PurchaseSample.purchase("2"))
        #expect(try await purchases.recordPurchase(kept) == .inserted)
        let holder = try WorkerProcess(locking: files.path)
        let line = await holder.firstLine()
        try #require(line == "locked")
        await #expect(throws: DatabaseError(.busy, "")) { try await purchases.recordPurchase(late) }
        #expect(try await purchases.getAllPurchases().map(\.id) == [kept.id], "what is recorded can be read")
        #expect(try await holder.release() == "released")
        #expect(try await purchases.recordPurchase(late) == .inserted)
        let all = try await PurchaseRecords(files.open()).getAllPurchases()
        #expect(all.map(\.id.transactionID).sorted() == ["1", "2"])
        #expect(try files.text("PRAGMA integrity_check") == "ok")
    }

    @Test("In a read-only folder a call fails with a typed error, the purchases stay, and later ones work [OTP-2.3]")
    func readOnly() async throws {
        #expect(try await WorkerProcess(.purchases, files.path, from: 0, count: 3).lastLine() == "2")
        // Root may write everywhere, so another user runs the process then.
        let stranger = geteuid() == 0 ? 4711 : nil
        try change(to: 0o500, owner: stranger)
        let line = await (try WorkerProcess(.purchases, files.path, from: 3, count: 1, user: stranger)).lastLine()
        try change(to: 0o700, owner: stranger == nil ? nil : 0)
        #expect(line.hasPrefix("not-opened") || line.hasPrefix("read-only"), "\(line)")
        #expect(try await recorded().count == 3)
        #expect(try await WorkerProcess(.purchases, files.path, from: 3, count: 1).lastLine() == "3")
    }

    private func change(to mode: Int, owner: Int?) throws {
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: mode]
        if let owner {
            attributes[.ownerAccountID] = owner
            for name in try files.files().keys {
                try FileManager.default.setAttributes([.ownerAccountID: owner], ofItemAtPath: "\(files.folder)/\(name)")
            }
        }
        try FileManager.default.setAttributes(attributes, ofItemAtPath: files.folder)
    }

    @Test(
        "A process whose real user is another one than its effective user sees all files of the database",
        .enabled(if: geteuid() == 0, "only root can change its real user"))
    func realUser() async throws {
        let worker = try WorkerProcess(.purchases, files.path, from: 0, count: 3, user: -4711)
        #expect(await worker.lastLine() == "2")
        #expect(try await recorded().count == 3)
    }
}
