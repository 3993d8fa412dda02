import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

/// Analytics events that are made of recorded purchases, over a real database.
@Suite("Analytics in a database", .timeLimit(.minutes(15)))
struct DatabaseAnalyticsTests {
    private let files = TestDatabase()

    /// Records what is delivered, and fails or hangs as long as a test says.
    private final class Sink: AnalyticsSink {
        enum Behaviour { case takes, fails, takesAndFails, hangs }
        struct Unreachable: Error {}

        private let state = Locked<(events: [AnalyticsEvent], batches: [Int], behaviour: Behaviour)>(([], [], .takes))
        var events: [AnalyticsEvent] { state.withLock { $0.events } }
        var batches: [Int] { state.withLock { $0.batches } }
        func wasCalled() async { while batches.isEmpty, !Task.isCancelled { await Task.yield() } }
        func behave(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

        func deliver(_ events: [AnalyticsEvent]) async throws {
            let behaviour = state.withLock { state in
                state.batches.append(events.count)
                if state.behaviour != .fails { state.events += events }
                return state.behaviour
            }
            // In a task of its own, which the cancellation of the caller does not end.
            if behaviour == .hangs { await Task { for await _ in AsyncStream<Void>.makeStream().stream {} }.value }
            if behaviour != .takes { throw Unreachable() }
        }
    }

    private func queue(
        _ database: PurchaseDatabase, _ user: UUIDText? = PurchaseSample.alice, limit: Int = 10_000,
        longestAge: Int64 = 86_400_000, at seconds: Int64 = 0
    ) -> DatabaseAnalytics {
        DatabaseAnalytics(
            database, user: user.map { .signedIn($0) } ?? .signedOut, limit: limit, longestAge: longestAge,
            environment: PurchaseEnvironment(clock: { PurchaseSample.at(seconds) }))
    }

    private func dispatcher(_ queue: DatabaseAnalytics, _ sink: Sink, batch: Int = 50) -> AnalyticsDispatcher {
        AnalyticsDispatcher(
            queue: queue, sink: sink, batch: batch, environment: PurchaseEnvironment(timer: TickTimer()))
    }

    @Test(
        "[OTP-10.1] [OTP-10.2] each change of a purchase is an event with the metadata of the purchase and no identity")
    func events() async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        let purchase = try PurchaseSample.purchase("2000000123456789")
        _ = try await purchases.recordPurchase(purchase)
        try await purchases.updateSyncStatus(of: purchase.id, .synced(at: PurchaseSample.at(1)))
        let sink = Sink()
        let delivery = await dispatcher(queue(database), sink).deliver()
        #expect(delivery.delivered == 3 && delivery.failure == nil)
        #expect(sink.events.map(\.name.rawValue) == ["purchase-completed", "purchase-verified", "purchase-synced"])
        let completed = try #require(sink.events.first)
        #expect(completed.occurredAt == PurchaseSample.start)
        #expect(
            completed.properties == [
                "product": .text("pro.lifetime"), "type": .text(ProductType.nonConsumable.rawValue),
                "store": .text("app-store"), "environment": .text("Production"), "quantity": .integer(1),
                "ownership": .text("PURCHASED"), "price": .integer(49_990), "currency": .text("USD"),
                "verified": .flag(true), "synced": .flag(false), "revoked": .flag(false),
            ])
        #expect(sink.events.last?.properties["synced"] == .flag(true))
        for event in sink.events {
            let text = JSONValue.object(event.json).description
            #expect(!text.contains("2000000123456789") && !text.contains(PurchaseSample.alice.rawValue))
        }
        #expect(await dispatcher(queue(database), sink).deliver().delivered == 0)
        try await purchases.deletePurchase(purchase.id)
        _ = await dispatcher(queue(database), sink).deliver()
        #expect(sink.events.last?.name.rawValue == "purchase-deleted" && sink.events.last?.properties.isEmpty == true)
    }

    @Test("[OTP-10.1] a failed delivery is repeated with the same ids, also after a restart and after a recovery")
    func stableIDs() async throws {
        let purchases = PurchaseRecords(try files.open())
        for number in 0..<3 { _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)")) }
        let sink = Sink()
        sink.behave(.takesAndFails)
        let first = await dispatcher(queue(try files.open()), sink).deliver()
        #expect(first.delivered == 0 && first.failure?.contains("Unreachable") == true)
        let ids = sink.events.map(\.id)
        #expect(ids.count == 6 && Set(ids).count == 6)
        // What was read of the purchases, and how far, is lost.
        try files.execute("DELETE FROM analytics_events")
        try files.execute("UPDATE analytics_cursors SET last_event_id = 7")
        let damage = DamageRecorder()
        let database = try files.open(damage: damage)
        sink.behave(.takes)
        #expect(await dispatcher(queue(database), sink, batch: 4).deliver().delivered == 6)
        #expect(sink.events.map(\.id) == ids + ids && sink.batches == [6, 4, 2])
        #expect(damage.tables == ["analytics_cursors"])
        #expect(try await database.recover() == nil)
        #expect(try await queue(database).waitingEvents(limit: 9).isEmpty)
    }

    @Test("[OTP-10.1] several connections make one event of each change")
    func connections() async throws {
        let databases = [try files.open(), try files.open(), try files.open()]
        for number in 0..<10 {
            _ = try await PurchaseRecords(databases[number % 3]).recordPurchase(PurchaseSample.purchase("\(number)"))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for database in databases {
                group.addTask { _ = try await queue(database).waitingEvents(limit: 1) }
            }
            try await group.waitForAll()
        }
        #expect(try files.integer("SELECT count(*) FROM analytics_events") == 20)
        #expect(try await queue(databases[0]).waitingEvents(limit: 100).count == 20)
    }

    @Test("[OTP-9.4] an event is returned for its user only, and leaves with the user")
    func users() async throws {
        let database = try files.open()
        for user in [PurchaseSample.alice, PurchaseSample.bob] {
            _ = try await PurchaseRecords(database, user).recordPurchase(PurchaseSample.purchase(user.rawValue))
            try await queue(database, user).append([
                AnalyticsEvent(
                    id: "shown", name: .init(rawValue: "paywall-shown"), occurredAt: PurchaseSample.start,
                    properties: ["offer": .text("spring-of-\(user.rawValue)")])
            ])
            #expect(try await queue(database, user).waitingEvents(limit: 9).count == 3)
        }
        #expect(try await queue(database, nil).waitingEvents(limit: 9).isEmpty)
        try await database.erase(PurchaseSample.alice)
        #expect(try await queue(database).waitingEvents(limit: 9).isEmpty)
        #expect(try await queue(database, PurchaseSample.bob).waitingEvents(limit: 9).count == 3)
        #expect(try files.integer("SELECT count(*) FROM analytics_cursors WHERE last_event_id > 0") == 1)
        #expect(try await database.recover() == nil)
    }

    @Test("An event of the app with an id that waits already is stored once, and leaves when it is delivered")
    func appended() async throws {
        let queue = queue(try files.open())
        func event(_ value: AnalyticsEvent.PropertyValue) -> AnalyticsEvent {
            AnalyticsEvent(
                id: "1", name: .init(rawValue: "shown"), occurredAt: PurchaseSample.at(5), properties: ["value": value])
        }
        try await queue.append([event(.integer(.min)), event(.flag(true))])
        #expect(try await queue.waitingEvents(limit: 9) == [event(.integer(.min))])
        try await queue.removeEvents(["1", "unknown"])
        #expect(try await queue.waitingEvents(limit: 9).isEmpty)
    }

    @Test(
        "The newest events are kept up to their number and their age, and an objection removes all that were recorded")
    func bounds() async throws {
        let database = try files.open()
        for number in 0..<5 {
            _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("\(number)"))
        }
        let kept = try await queue(database, limit: 3).waitingEvents(limit: 9)
        #expect(kept.count == 3)
        let day: Int64 = 86_400
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("5"))
        #expect(try await queue(database, at: 3 * day).waitingEvents(limit: 9).count == 5)
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("6"))
        let newest = try await queue(database, at: 5 * day).waitingEvents(limit: 9)
        #expect(newest.count == 4 && Set(newest).isDisjoint(with: kept))
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("7"))
        try await queue(database).removeAllEvents()
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("8"))
        #expect(try await queue(database).waitingEvents(limit: 9).count == 2)
    }

    @Test("A clock that is ahead for less than a day deletes no event that waits [OTP-10.1]")
    func clockAhead() async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        let ahead: Int64 = 31 * 86_400
        for (number, second) in [0, ahead, ahead + 3_600, 7_200].enumerated() {
            _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)"))
            #expect(try await queue(database, at: second).waitingEvents(limit: 9).count == 2 * (number + 1))
        }
    }

    @Test("After a clock that was ahead for days, no new event is deleted before it is delivered [OTP-10.1]")
    func clockAheadForDays() async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        let day: Int64 = 86_400
        for (number, second) in [60 * day, 62 * day, 3 * day, 3 * day + 1].enumerated() {
            _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)"))
            let waiting = try await queue(database, at: second).waitingEvents(limit: 9)
            #expect(waiting.count == 2 * (number + 1))
        }
    }

    @Test("[OTP-9.1] an event that another program has changed is not delivered, is reported, and blocks no other")
    func tampering() async throws {
        let damage = DamageRecorder()
        let database = try files.open(damage: damage)
        for number in 0..<3 {
            _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("\(number)"))
        }
        let before = try await queue(database).waitingEvents(limit: 9)
        try files.execute("UPDATE analytics_events SET stored_at = stored_at + 1 WHERE id <= 4")
        #expect(try await queue(database).waitingEvents(limit: 2) == Array(before.suffix(2)))
        #expect(damage.tables == ["analytics_events"])
        #expect(try await database.recover() == nil)
    }

    @Test("A number that another program gives to an event keeps no later event from its delivery [OTP-10.1]")
    func editedNumber() async throws {
        let damage = DamageRecorder()
        let database = try files.open(damage: damage)
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("1"))
        try files.execute("UPDATE purchase_events SET id = 4503599627370496 WHERE id = 2")
        #expect(try await queue(database).waitingEvents(limit: 9).map(\.name.rawValue) == ["purchase-completed"])
        #expect(damage.tables == ["purchase_events"])
        #expect(try await database.recover() != nil)
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("2"))
        #expect(try await queue(database).waitingEvents(limit: 9).count == 3)
    }

    @Test("Events whose rows were changed do not end the search for the next ones [OTP-9.1]")
    func manyChangedEvents() async throws {
        let database = try files.open()
        for number in 0..<260 {
            _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("\(number)"))
        }
        try files.execute("UPDATE purchase_events SET occurred_at = 0 WHERE id <= 510")
        #expect(try await queue(database).waitingEvents(limit: 99).count == 10)
    }

    /// What is lost of a database.
    enum Loss: CaseIterable { case rows, file, log }

    @Test(
        "After a recovery no number of a lost row is used again, and no id of an event [OTP-3.6]",
        arguments: Loss.allCases)
    func lostNumbers(_ loss: Loss) async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        let entry = LogEntry(PurchaseLogEvent(.storeFailed, detail: "offline"), at: PurchaseSample.start)
        func record(_ number: Int) async throws {
            _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)"))
            try await DatabaseLog(database, environment: PurchaseEnvironment(clock: { PurchaseSample.start })).append([
                entry
            ])
        }
        try await record(0)
        try files.execute("PRAGMA wal_checkpoint(PASSIVE)")
        for number in 1..<4 { try await record(number) }
        let ids = Set(try await queue(database).waitingEvents(limit: 99).map(\.id))
        let last = try #require(try await purchases.events(since: nil).last?.id)
        #expect(ids.count == 8 && last == 8)

        // As the files are when every process is killed.
        let lost = try files.copy()
        switch loss {
        case .rows:
            for table in ["purchase_events", "analytics_events", "log_entries"] {
                try lost.execute("UPDATE \(table) SET seal = zeroblob(40)")
            }
            try lost.execute("DELETE FROM sqlite_sequence")
        case .file: try FileManager.default.removeItem(atPath: lost.path)
        case .log: try FileManager.default.removeItem(atPath: "\(lost.path)-wal")
        }
        let findings: [Loss: DatabaseRecovery.Finding] = [.rows: .wrongSeals, .file: .missing, .log: .missingLog]
        #expect(try lost.recover()?.finding == findings[loss])
        let recovered = try lost.open()
        _ = try await PurchaseRecords(recovered).recordPurchase(PurchaseSample.purchase("4"))
        #expect(try await PurchaseRecords(recovered).events(since: last).count == 2)
        let newIDs = Set(try await queue(recovered).waitingEvents(limit: 99).map(\.id))
        #expect(newIDs.subtracting(ids).count == 2)
        try await DatabaseLog(recovered, environment: PurchaseEnvironment(clock: { PurchaseSample.start })).append([
            entry
        ])
        #expect(try #require(try lost.integer("SELECT max(id) FROM log_entries")) > 4)
    }

    @Test("The newest events are kept up to their number also across a recovery, after which the numbers have a gap")
    func limitAfterRecovery() async throws {
        let database = try files.open(eventLimit: 4)
        let purchases = PurchaseRecords(database)
        for id in ["1", "2"] { _ = try await purchases.recordPurchase(PurchaseSample.purchase(id)) }
        try files.execute("UPDATE purchases SET product_id = 'other' WHERE transaction_id = '1'")
        #expect(try await database.recover(clock: { PurchaseSample.start }) != nil)
        _ = try await purchases.recordPurchase(PurchaseSample.purchase("3"))
        let events = try await purchases.events(since: nil)
        #expect(events.map { $0.purchase?.id.transactionID } == ["2", "2", "3", "3"])
    }

    @Test("A recovery keeps the waiting events, the log and the cases [OTP-3.6]")
    func recovery() async throws {
        let database = try files.open()
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase())
        let events = try await queue(database).waitingEvents(limit: 9)
        let log = DatabaseLog(database, environment: PurchaseEnvironment(clock: { PurchaseSample.start }))
        let entry = LogEntry(PurchaseLogEvent(.storeFailed, detail: "offline"), at: PurchaseSample.start)
        try await log.append([entry])
        let id = try #require(try await log.unreportedCase(of: "1"))
        try await log.markReported(id, at: PurchaseSample.start)
        try files.execute("UPDATE purchases SET product_id = 'other'")
        let recovery = try #require(try await database.recover())
        #expect(recovery.salvagedRows["analytics_events"] == 2 && recovery.rejectedRows == 1)
        try await log.append([entry])
        #expect(try await log.logEntries() == [entry, entry])
        #expect(try await queue(database).waitingEvents(limit: 9) == events)
        #expect(try await log.unreportedCase(of: "1") == nil)
        #expect(try await database.recover() == nil)
    }

    // MARK: Dispatcher

    @Test("A sink that does not answer ends the delivery at its deadline, and a purchase does not wait for it")
    func hangingSink() async throws {
        let database = try files.open()
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("1"))
        let (sink, log, timer) = (Sink(), EventLog(), TickTimer())
        sink.behave(.hangs)
        let analytics = AnalyticsDispatcher(
            queue: queue(database), sink: sink, environment: PurchaseEnvironment(log: log, timer: timer))
        async let delivery = analytics.deliver()
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("2"))
        await sink.wasCalled()
        timer.tick()
        #expect(await delivery.failure?.contains("did not answer within 30000 ms") == true)
        #expect(log.events.map(\.kind) == [.analyticsFailed])
        sink.behave(.takes)
        #expect(await analytics.deliver().delivered == 4)
    }

    @Test("A stopped dispatcher sends nothing more, and does not wait for a sink that does not answer")
    func stopped() async throws {
        let database = try files.open()
        for id in ["1", "2", "3"] {
            _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase(id))
        }
        let waiting = try await queue(database).waitingEvents(limit: 9)
        let (sink, log) = (Sink(), EventLog())
        sink.behave(.hangs)
        let analytics = AnalyticsDispatcher(
            queue: queue(database), sink: sink, batch: 1, environment: PurchaseEnvironment(log: log, timer: TickTimer())
        )
        let delivery = Task { await analytics.deliver() }
        await sink.wasCalled()
        await analytics.stop()
        #expect(await delivery.value.failure == "the dispatcher was stopped")
        #expect(try await queue(database).waitingEvents(limit: 9) == waiting)
        #expect(log.events.isEmpty)
        sink.behave(.takes)
        #expect(await analytics.deliver().delivered == waiting.count)
    }

    @Test("A started dispatcher delivers at each interval until it is stopped")
    func started() async throws {
        let database = try files.open()
        let (sink, pauses) = (Sink(), ShortPauses())
        let purchases = PurchaseRecords(database)
        _ = try await purchases.recordPurchase(PurchaseSample.purchase("1"))
        let analytics = AnalyticsDispatcher(
            queue: queue(database), sink: sink, interval: 60_000, environment: PurchaseEnvironment(timer: pauses))
        await analytics.start()
        await analytics.start()
        func wait(until condition: () -> Bool) async {
            while !condition(), !Task.isCancelled { await Task.yield() }
        }
        await wait { sink.events.count >= 2 && pauses.pauses.contains(60_000) }
        #expect(pauses.pauses.contains(60_000))
        _ = try await purchases.recordPurchase(PurchaseSample.purchase("2"))
        await wait { sink.events.count >= 4 }
        await analytics.stop()
        #expect(sink.events.count == 4 && Set(sink.events.map(\.id)).count == 4)
    }
}
