import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("Synchronization with the app's server", .timeLimit(.minutes(15)))
struct SyncReconcilerTests {
    private let files = TestDatabase()
    private let server = ScriptedServer()
    private let timer = ManualTimer()

    /// Records purchases of Alice, bought one second after the other.
    private func record(_ count: Int, in records: PurchaseRecords) async throws {
        for number in 1...count {
            let purchase = try PurchaseSample.purchase("\(number)") {
                $0.purchaseDate = PurchaseSample.at(Int64(number))
            }
            #expect(try await records.recordPurchase(purchase) == .inserted)
        }
    }

    /// Returns when no purchase is pending, or when the caller's time limit has cancelled it.
    private func areSent(_ records: PurchaseRecords) async throws {
        while try await !records.getUnsyncedPurchases().isEmpty, !Task.isCancelled { await Task.yield() }
    }

    /// Returns a reconciler as after a launch.
    private func launch(_ records: PurchaseRecords) -> SyncReconciler {
        SyncReconciler(
            records: records, transport: server, deadlineMilliseconds: ManualTimer.deadline,
            environment: PurchaseEnvironment(timer: timer, random: { 0 }, clock: { PurchaseSample.at(100) }))
    }

    @Test("Pending purchases are sent once, the oldest first, and acknowledged durably [OTP-3.2] [OTP-3.5]")
    func sends() async throws {
        let records = PurchaseRecords(try files.open())
        try await record(3, in: records)
        #expect(await launch(records).syncPendingPurchases() == .init(acknowledged: 3))
        #expect(server.sent == ["1", "2", "3"])
        let events = try await records.events(since: nil).filter { $0.kind == .synced }
        #expect(events.map(\.purchase?.syncedAt) == Array(repeating: PurchaseSample.at(100), count: 3))
        let restarted = PurchaseRecords(try files.open())
        #expect(try await restarted.getAllPurchases().allSatisfy { $0.syncedAt == PurchaseSample.at(100) })
        #expect(await launch(restarted).syncPendingPurchases() == .init())
        #expect(server.sent.count == 3)
    }

    @Test("Without a connection purchases wait, and are sent when it returns [OTP-3.5]")
    func connectionReturns() async throws {
        let records = PurchaseRecords(try files.open())
        try await record(2, in: records)
        server.fail { _ in SyncError(.unreachable, "offline") }
        let (connectivity, continuation) = AsyncStream.makeStream(of: Bool.self)
        let reconciler = launch(records)
        await reconciler.start(connectivity: connectivity)
        await timer.hasPause()
        #expect(server.sent == ["1"])
        #expect(try await records.getUnsyncedPurchases().map(\.id.transactionID) == ["1", "2"])
        server.fail { _ in nil }
        continuation.yield(false)
        continuation.yield(true)
        try await areSent(records)
        #expect(server.sent.sorted() == ["1", "1", "2"])
        await reconciler.stop()
    }

    @Test("A started reconciler sends what is recorded later, also by another process [OTP-3.5]")
    func sendsNew() async throws {
        let polls = TickTimer()
        let records = PurchaseRecords(try files.open(timer: polls))
        let reconciler = launch(records)
        await reconciler.start()
        try await record(1, in: records)
        await server.hasReceived(1)
        _ = try await PurchaseRecords(files.open()).recordPurchase(PurchaseSample.purchase("2"))
        polls.tick()
        await server.hasReceived(2)
        #expect(server.sent == ["1", "2"])
        await reconciler.stop()
    }

    @Test("A refund of a purchase that was acknowledged is sent again, and a new signature alone is not [OTP-3.5]")
    func refund() async throws {
        let records = PurchaseRecords(try files.open())
        let reconciler = launch(records)
        _ = try await records.recordPurchase(PurchaseSample.purchase())
        await reconciler.syncPendingPurchases()
        #expect(try await records.recordPurchase(PurchaseSample.purchase(signed: 10)) == .unchanged)
        #expect(await reconciler.syncPendingPurchases() == .init())
        let refunded = try PurchaseSample.purchase(signed: 20) { $0.revocationDate = PurchaseSample.at(15) }
        #expect(try await records.recordPurchase(refunded) == .merged)
        #expect(try await records.events(since: nil).map(\.kind).contains(.unsynced))
        #expect(await reconciler.syncPendingPurchases() == .init(acknowledged: 1))
        #expect(server.contents.last == refunded.content)
    }

    @Test("A version that is recorded while another is sent is not taken for acknowledged [OTP-3.5]")
    func versionInBetween() async throws {
        let records = PurchaseRecords(try files.open())
        _ = try await records.recordPurchase(PurchaseSample.purchase())
        let refunded = try PurchaseSample.purchase(signed: 20) { $0.revocationDate = PurchaseSample.at(15) }
        server.whileSending { _ = try? await records.recordPurchase(refunded) }
        let reconciler = launch(records)
        #expect(await reconciler.syncPendingPurchases() == .init(pending: 1))
        server.whileSending {}
        #expect(await reconciler.syncPendingPurchases() == .init(acknowledged: 1))
        #expect(server.contents == [try PurchaseSample.purchase().content, refunded.content])
    }

    @Test("A refund that is recorded while an earlier purchase is sent is sent with the state of its content [OTP-3.5]")
    func versionWhileWaiting() async throws {
        let records = PurchaseRecords(try files.open())
        try await record(2, in: records)
        let refunded = try PurchaseSample.purchase("2", signed: 20) {
            $0.purchaseDate = PurchaseSample.at(2)
            $0.revocationDate = PurchaseSample.at(15)
        }
        server.whileSending { _ = try? await records.recordPurchase(refunded) }
        #expect(await launch(records).syncPendingPurchases() == .init(acknowledged: 2))
        #expect(server.contents.last == refunded.content)
        #expect(server.purchases.map(\.isRevoked) == [false, true])
    }

    @Test(
        "A purchase that the server refuses holds up no other, and is sent again when it changes [OTP-3.5]"
    )
    func rejected() async throws {
        let records = PurchaseRecords(try files.open())
        try await record(3, in: records)
        server.fail { $0 == "2" ? SyncError(.rejected, "unknown product") : nil }
        let log = EventLog()
        let reconciler = SyncReconciler(
            records: records, transport: server,
            environment: PurchaseEnvironment(log: log, timer: timer, clock: { PurchaseSample.at(100) }))
        #expect(await reconciler.syncPendingPurchases() == .init(acknowledged: 2, rejected: 1))
        #expect(await reconciler.syncPendingPurchases() == .init(rejected: 1))
        #expect(server.sent == ["1", "2", "3"])
        #expect(log.events.map(\.kind) == [.syncRejected])
        #expect(try await records.getAllPurchases().allSatisfy { $0.unlocks("pro") })
        _ = try await records.recordPurchase(PurchaseSample.purchase("2", signed: 5) { $0.price = Milliunits(1) })
        #expect(await reconciler.syncPendingPurchases() == .init(rejected: 1))
        #expect(server.sent == ["1", "2", "3", "2"])
        let signedAgain = try PurchaseSample.purchase("2", signed: 9) { $0.price = Milliunits(1) }
        #expect(try await records.recordPurchase(signedAgain) == .unchanged)
        #expect(await reconciler.syncPendingPurchases() == .init(rejected: 1))
        #expect(server.sent.count == 4, "the facts are the same")
        #expect(await launch(records).syncPendingPurchases() == .init(rejected: 1))
        #expect(server.sent.count == 5 && server.contents.last == signedAgain.content, "once in each launch")
    }

    @Test("Purchases on which the server fails hold up no other [OTP-3.5]")
    func poison() async throws {
        let records = PurchaseRecords(try files.open())
        try await record(6, in: records)
        server.fail { Int($0) ?? 0 <= 4 ? SyncError(.unavailable, "status 500") : nil }
        let reconciler = launch(records)
        let first = await reconciler.syncPendingPurchases()
        #expect(first.error?.code == .unavailable && first.pending == 6)
        #expect(server.sent == ["1", "2", "3"])
        let second = await reconciler.syncPendingPurchases()
        #expect(second.acknowledged == 2 && second.pending == 4)
        #expect(server.sent.dropFirst(3).prefix(3) == ["4", "5", "6"])
    }

    @Test(
        "The pauses after failures grow, and a later time that the server asks for counts [OTP-2.3]")
    func pauses() async throws {
        let records = PurchaseRecords(try files.open())
        try await record(1, in: records)
        let delays = Locked<[Int64]>([0, 0, 60_000, 1_000_000_000_000])
        server.fail { _ in
            let delay = delays.withLock { $0.isEmpty ? 0 : $0.removeFirst() }
            return SyncError(.unavailable, "busy", retryAfterMilliseconds: delay)
        }
        let reconciler = launch(records)
        await reconciler.start()
        for expected: [Int64] in [[5_000], [10_000], [60_000], [86_400_000], [80_000]] {
            await timer.hasPause()
            #expect(timer.pauses == expected)
            timer.endPauses()
        }
        await timer.hasPause()
        server.fail { _ in nil }
        timer.endPauses()
        try await areSent(records)
        #expect(server.sent.count == 7)
        await reconciler.stop()
        #expect(timer.pauses.isEmpty)
    }

    @Test("A server that never answers has timed out, and the purchase is sent again [OTP-3.5]")
    func hangs() async throws {
        let records = PurchaseRecords(try files.open())
        try await record(1, in: records)
        server.whileSending { for await _ in AsyncStream<Void>.makeStream().stream {} }
        let reconciler = launch(records)
        async let report = reconciler.syncPendingPurchases()
        await server.hasReceived(1)
        timer.endDeadlines()
        #expect(await report.error?.code == .timedOut)
        server.whileSending {}
        #expect(await reconciler.syncPendingPurchases() == .init(acknowledged: 1))
    }

    @Test("A purchase whose acknowledgement cannot be stored is sent again [OTP-3.5]")
    func acknowledgementLost() async throws {
        let ledger = FailingLedger(DatabaseLedger(try files.open()))
        let records = PurchaseRecords(
            ledger, user: .signedIn(PurchaseSample.alice), catalog: nil,
            environment: PurchaseEnvironment(clock: { PurchaseSample.start }))
        try await record(1, in: records)
        ledger.failWrites(DatabaseError(.diskFull, "full"))
        let reconciler = launch(records)
        let report = await reconciler.syncPendingPurchases()
        #expect(report.error?.code == .recordsUnavailable && report.pending == 1)
        ledger.failWrites(nil)
        #expect(await reconciler.syncPendingPurchases() == .init(acknowledged: 1))
        #expect(server.sent == ["1", "1"])
    }

    @Test("Calls that arrive while purchases are sent share one more run [OTP-3.5]")
    func coalesced() async throws {
        let records = PurchaseRecords(try files.open())
        try await record(1, in: records)
        let reconciler = launch(records)
        server.fail { _ in SyncError(.unreachable, "offline") }
        let calls = Locked<[Task<SyncReport, Never>]>([])
        let begun = Locked(0)
        server.whileSending {
            guard calls.withLock({ $0.isEmpty }) else { return }
            calls.withLock {
                $0 = (1...20).map { _ in
                    Task {
                        begun.withLock { $0 += 1 }
                        return await reconciler.syncPendingPurchases()
                    }
                }
            }
            // All of them have reached the reconciler before the purchase is sent.
            while begun.withLock({ $0 }) < 20, !Task.isCancelled { await Task.yield() }
            for _ in 0..<10_000 { await Task.yield() }
        }
        await reconciler.syncPendingPurchases()
        for call in calls.withLock({ $0 }) { #expect(await call.value.error?.code == .unreachable) }
        #expect(server.sent.count == 2)
    }

    @Test("A purchase that is signed again while it is sent is sent once more, without another event [OTP-3.5]")
    func signedAgain() async throws {
        let records = PurchaseRecords(try files.open())
        _ = try await records.recordPurchase(PurchaseSample.purchase())
        let again = try PurchaseSample.purchase(signed: 10)
        server.whileSending { _ = try? await records.recordPurchase(again) }
        let reconciler = launch(records)
        await reconciler.start()
        try await areSent(records)
        #expect(server.contents == [try PurchaseSample.purchase().content, again.content])
        await reconciler.stop()
    }

    @Test("A started reconciler waits as long as the server asks, also with another purchase [OTP-3.5]")
    func waits() async throws {
        let records = PurchaseRecords(try files.open())
        try await record(5, in: records)
        server.fail { $0 == "3" ? SyncError(.unavailable, "busy", retryAfterMilliseconds: 60_000) : nil }
        let reconciler = launch(records)
        await reconciler.start()
        await timer.hasPause()
        _ = try await records.recordPurchase(PurchaseSample.purchase("6"))
        for _ in 0..<1_000 { await Task.yield() }
        #expect(timer.pauses == [60_000])
        #expect(server.sent == ["1", "2", "3"])
        server.fail { _ in nil }
        timer.endPauses()
        try await areSent(records)
        await reconciler.stop()
    }

    @Test("A server that has asked to wait is asked neither by a call nor when the connection returns [OTP-3.5]")
    func waitsWithConnection() async throws {
        let records = PurchaseRecords(try files.open())
        try await record(1, in: records)
        server.fail { _ in SyncError(.unavailable, "busy", retryAfterMilliseconds: 3_600_000) }
        let (connectivity, continuation) = AsyncStream.makeStream(of: Bool.self)
        let reconciler = launch(records)
        await reconciler.start(connectivity: connectivity)
        await timer.hasPause()
        server.fail { _ in nil }
        continuation.yield(true)
        let report = await reconciler.syncPendingPurchases()
        #expect(report.error?.code == .unavailable && report.pending == 1)
        let remaining = try #require(report.error?.retryAfterMilliseconds)
        #expect(remaining > 0 && remaining <= 3_600_000)
        for _ in 0..<1_000 { await Task.yield() }
        #expect(server.sent == ["1"] && timer.pauses == [3_600_000])
        // A reconciler that is started again still waits, and then sends.
        await reconciler.stop()
        while !timer.pauses.isEmpty, !Task.isCancelled { await Task.yield() }
        await reconciler.start()
        await timer.hasPause()
        #expect(server.sent == ["1"])
        timer.endPauses()
        try await areSent(records)
        await reconciler.stop()
    }

    @Test("Records that do not answer fail a pass after their deadline, and do not hold stop() up [OTP-3.5]")
    func hangingRecords() async throws {
        let ledger = FailingLedger(DatabaseLedger(try files.open()))
        let records = PurchaseRecords(
            ledger, user: .signedIn(PurchaseSample.alice), catalog: nil,
            environment: PurchaseEnvironment(clock: { PurchaseSample.start }))
        try await record(1, in: records)
        ledger.hangReads(true)
        let reconciler = launch(records)
        let pass = Task { await reconciler.syncPendingPurchases() }
        let report = Locked<SyncReport?>(nil)
        let end = Task {
            let value = await pass.value
            report.withLock { $0 = value }
        }
        while report.withLock({ $0 }) == nil, !Task.isCancelled {
            timer.endDatabaseDeadlines()
            await Task.yield()
        }
        await end.value
        #expect(report.withLock { $0 }?.error?.code == .recordsUnavailable)
        ledger.hangReads(false)
        #expect(await reconciler.syncPendingPurchases() == .init(acknowledged: 1))
    }

    @Test("After stop() nothing is sent, neither by a call that waits nor when a purchase is recorded [OTP-9.4]")
    func stops() async throws {
        let records = PurchaseRecords(try files.open())
        try await record(2, in: records)
        let reconciler = launch(records)
        server.whileSending { for await _ in AsyncStream<Void>.makeStream().stream {} }
        await reconciler.start()
        await server.hasReceived(1)
        let waiting = Task { await reconciler.syncPendingPurchases() }
        for _ in 0..<1_000 { await Task.yield() }
        await reconciler.stop()
        _ = await waiting.value
        server.whileSending {}
        _ = try await records.recordPurchase(PurchaseSample.purchase("3") { $0.purchaseDate = PurchaseSample.at(3) })
        #expect(server.sent == ["1"])
        // What was being sent is sent first after a new start.
        await reconciler.start()
        try await areSent(records)
        #expect(server.sent == ["1", "1", "2", "3"])
        await reconciler.stop()
    }

    @Test("What is recorded while the reconciler is stopped is not sent, in any order of the two [OTP-9.4]")
    func stopsListening() async throws {
        let records = PurchaseRecords(try files.open())
        for round in 1...50 {
            let reconciler = launch(records)
            await reconciler.start()
            async let recording = records.recordPurchase(PurchaseSample.purchase("\(round)"))
            await reconciler.stop()
            let count = server.sent.count
            _ = try await recording
            for _ in 0..<100 { await Task.yield() }
            #expect(server.sent.count == count)
        }
    }

    @Test("A purchase that passes to an account is sent again with its owner [OTP-3.5]")
    func adopted() async throws {
        let database = try files.open()
        let unowned = PurchaseRecords(database, nil)
        _ = try await unowned.recordPurchase(PurchaseSample.purchase())
        #expect(await launch(unowned).syncPendingPurchases() == .init(acknowledged: 1))
        let owned = PurchaseRecords(database)
        _ = try await owned.recordPurchase(PurchaseSample.purchase())
        #expect(await launch(owned).syncPendingPurchases() == .init(acknowledged: 1))
    }

    @Test("Records that cannot be observed at first are observed later [OTP-3.5]")
    func observedLater() async throws {
        let ledger = FailingLedger(DatabaseLedger(try files.open()))
        let records = PurchaseRecords(
            ledger, user: .signedIn(PurchaseSample.alice), catalog: nil,
            environment: PurchaseEnvironment(clock: { PurchaseSample.start }))
        ledger.failReads(DatabaseError(.inputOutput, "the disk has failed"))
        let reconciler = launch(records)
        await reconciler.start()
        await timer.hasPause()
        ledger.failReads(nil)
        try await record(1, in: records)
        timer.endPauses()
        await server.hasReceived(1)
        await reconciler.stop()
    }

    @Test("Purchases of another user, deleted ones and unverified ones are not sent [OTP-9.4]")
    func notSent() async throws {
        let database = try files.open()
        _ = try await PurchaseRecords(database, PurchaseSample.bob).recordPurchase(PurchaseSample.purchase("1"))
        let records = PurchaseRecords(database)
        let (deleted, unverified) = (try PurchaseSample.purchase("2"), try PurchaseSample.purchase("3"))
        for purchase in [deleted, unverified] { _ = try await records.recordPurchase(purchase) }
        try await records.deletePurchase(deleted.id)
        try await records.updateVerificationStatus(of: unverified.id, .unverified(nil))
        #expect(await launch(records).syncPendingPurchases() == .init())
        #expect(server.sent.isEmpty)
    }
}
