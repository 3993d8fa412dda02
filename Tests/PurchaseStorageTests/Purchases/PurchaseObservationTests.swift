import Foundation
import PurchaseCore
import Testing

@testable import PurchaseStorage

@Suite("Observed purchases", .timeLimit(.minutes(15)))
struct PurchaseObservationTests {
    private let files = TestDatabase()

    private func sample(_ id: String = "1") throws -> VerifiedPurchase { try PurchaseSample.purchase(id) }

    @Test("Each query has a sequence of its value and of each change [OTP-3.1]")
    func queries() async throws {
        let purchases = PurchaseRecords(try files.open())
        let verified = try sample()
        var all = purchases.purchaseUpdates().makeAsyncIterator()
        var pro = purchases.purchaseUpdates(unlocking: "pro").makeAsyncIterator()
        var one = purchases.purchaseUpdates(of: verified.id).makeAsyncIterator()
        #expect(try await all.next() == [])
        #expect(try await pro.next() == [])
        #expect(try await one.next() == .some(nil))
        _ = try await purchases.recordPurchase(verified)
        let purchase = verified.purchase(of: PurchaseSample.alice)
        #expect(try await all.next() == [purchase])
        #expect(try await pro.next() == [purchase])
        #expect(try await one.next() == purchase)
        try await purchases.updateVerificationStatus(of: verified.id, .unverified(nil))
        #expect(try await all.next()?.map(\.isVerified) == [false])
        #expect(try await pro.next() == [])
        #expect(try await one.next()??.isVerified == false)
        try await purchases.deletePurchase(verified.id)
        #expect(try await all.next() == [])
        #expect(try await one.next() == .some(nil))
    }

    @Test("A change that another process has made arrives with the next search [OTP-3.1]")
    func otherProcess() async throws {
        let timer = TickTimer()
        let purchases = PurchaseRecords(try files.open(timer: timer))
        var updates = purchases.purchaseUpdates().makeAsyncIterator()
        #expect(try await updates.next() == [])
        #expect(try await WorkerProcess(.purchases, files.path, from: 0, count: 3).lastLine() == "2")
        timer.tick()
        #expect(try await updates.next()?.map(\.id.transactionID) == ["2", "1", "0"])
        #expect(try await WorkerProcess(.purchases, files.path, from: 3, count: 1).lastLine() == "3")
        timer.tick()
        #expect(try await updates.next()?.count == 4)
    }

    @Test("Equal values do not follow each other, and changes of other users are not seen [OTP-9.4]")
    func noRepetition() async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        let bob = PurchaseRecords(database, PurchaseSample.bob)
        let observation = Task {
            var values: [[String]] = []
            for try await value in purchases.purchaseUpdates() {
                values.append(value.map(\.id.transactionID))
                if value.count == 20 { break }
            }
            return values
        }
        for number in 0..<20 {
            _ = try await bob.recordPurchase(sample("bob-\(number)"))
            for _ in 0..<2 { _ = try await purchases.recordPurchase(sample("alice-\(number)")) }
        }
        let values = try await observation.value
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 != $1 })
        #expect(values.joined().allSatisfy { $0.hasPrefix("alice") })
        #expect(values.last?.count == 20)
    }

    @Test("A sequence that is released or cancelled keeps neither an observer nor the database [OTP-3.1]")
    func ends() async throws {
        weak var released: PurchaseDatabase?
        weak var changes: DatabaseChanges?
        func observe() async throws {
            let database = try files.open()
            (released, changes) = (database, database.changes)
            let purchases = PurchaseRecords(database)
            var first = purchases.purchaseUpdates().makeAsyncIterator()
            #expect(try await first.next() == [])
            let (starts, start) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                for try await _ in purchases.purchaseUpdates(unlocking: "pro") { start.yield() }
            }
            for await _ in starts { break }
            #expect(database.changes.observerCount == 2)
            task.cancel()
            // Cancellation ends the loop without an error.
            try await task.value
        }
        try await observe()
        // The time limit of the suite cancels the test.
        while released != nil || changes != nil, !Task.isCancelled { await Task.yield() }
    }

    @Test("A sequence goes on after a damaged file was recovered, also by another connection [OTP-3.1]")
    func recovered() async throws {
        let timer = TickTimer()
        let damage = DamageRecorder()
        let database = try files.open(timer: timer, damage: damage)
        let purchases = PurchaseRecords(database)
        var updates = purchases.purchaseUpdates().makeAsyncIterator()
        #expect(try await updates.next() == [])
        try files.execute("DROP TABLE purchases")
        timer.tick()
        while !damage.all.contains(.file), !Task.isCancelled { await Task.yield() }
        #expect(try files.recover() != nil)
        _ = try await PurchaseRecords(try files.open()).recordPurchase(PurchaseSample.purchase())
        timer.tick()
        #expect(try await updates.next()?.count == 1)
    }

    @Test("A database that this version can no longer read ends the sequence with its error [OTP-3.1]")
    func unreadable() async throws {
        let timer = TickTimer()
        let purchases = PurchaseRecords(try files.open(timer: timer))
        var updates = purchases.purchaseUpdates().makeAsyncIterator()
        #expect(try await updates.next() == [])
        // Another key: the files were set aside, and another process has made new ones.
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: files.path + suffix) }
        try FileManager.default.removeItem(atPath: files.path + "-lock")
        _ = try files.open(key: [UInt8](repeating: 8, count: 32))
        timer.tick()
        await #expect(throws: DatabaseError(.wrongKey, "")) { _ = try await updates.next() }
    }
}
