import Foundation
import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

/// The log for support and the reported cases, over a real database.
@Suite("Log in a database", .timeLimit(.minutes(15)))
struct DatabaseLogTests {
    private let files = TestDatabase()

    private func entry(
        _ detail: String, transaction: String? = nil, at seconds: Int64 = 0, account: UUIDText? = nil
    ) -> LogEntry {
        LogEntry(
            PurchaseLogEvent(
                .storeFailed, productID: "pro", transactionID: transaction, detail: detail, fields: ["code": "network"]),
            at: PurchaseSample.at(seconds), account: account)
    }

    private func log(_ database: PurchaseDatabase, limit: Int = 2_000, at seconds: Int64 = 0) -> DatabaseLog {
        DatabaseLog(
            database, limit: limit, longestAge: 86_400_000,
            environment: PurchaseEnvironment(clock: { PurchaseSample.at(seconds) }))
    }

    @Test("[OTP-8.5] entries outlive a restart, and are kept up to their number and their age")
    func bounds() async throws {
        let entries = (0..<10).map { entry("number \($0)", transaction: "1", at: Int64($0)) }
        try await log(try files.open()).append(entries)
        let database = try files.open()
        #expect(try await log(database).logEntries() == entries)
        let day: Int64 = 86_400
        try await log(database, limit: 4).append([entry("late", at: 3 * day)])
        #expect(try await log(database).logEntries().map(\.detail) == ["number 7", "number 8", "number 9", "late"])
        try await log(database).append([entry("later", at: 5 * day)])
        #expect(try await log(database).logEntries().map(\.detail) == ["late", "later"])
        #expect(try files.integer("SELECT count(*) FROM log_entries") == 2)
        try await log(database).removeLogEntries()
        #expect(try await log(database).logEntries().isEmpty)
    }

    @Test("[OTP-8.5] a clock that is ahead for less than a day deletes no entry")
    func clockAhead() async throws {
        let database = try files.open()
        let ahead: Int64 = 31 * 86_400
        for (number, second) in [0, ahead, ahead + 3_600, 7_200].enumerated() {
            try await log(database, at: second).append([entry("number \(number)", at: second)])
            #expect(try await log(database, at: second).logEntries().count == number + 1)
        }
    }

    @Test("[OTP-8.5] after a clock that was ahead for days, what is written is kept")
    func clockAheadForDays() async throws {
        let database = try files.open()
        let day: Int64 = 86_400
        for (number, second) in [60 * day, 62 * day, 3 * day, 3 * day + 1].enumerated() {
            try await log(database, at: second).append([entry("number \(number)", at: second)])
        }
        let kept = try await log(database, at: 3 * day).logEntries().map(\.detail)
        #expect(Array(kept.suffix(2)) == ["number 2", "number 3"])
    }

    @Test("[OTP-8.6] the log is exported as one private file, which replaces no other")
    func export() async throws {
        let log = log(try files.open())
        try await log.append([entry("offline", transaction: "7")])
        let path = "\(files.folder)/support.json"
        try await log.export(to: path, facts: ["version": "2.1"])
        let document = try Data(contentsOf: URL(fileURLWithPath: path))
        let object = try #require(try JSONSerialization.jsonObject(with: document) as? [String: Any])
        #expect(
            object["format"] as? String == "purchase-log" && (object["app"] as? [String: String]) == ["version": "2.1"])
        let entries = try #require(object["entries"] as? [[String: Any]])
        #expect(
            entries.map { $0["detail"] as? String } == ["offline"]
                && entries.map { $0["transaction"] as? String } == ["7"])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        await #expect(throws: DatabaseError(.notOpened, "")) { try await log.export(to: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == document)
    }

    @Test("[OTP-9.1] an entry is not readable in the file, and one that another program has changed is left out")
    func tampering() async throws {
        let damage = DamageRecorder()
        let database = try files.open(damage: damage)
        try await log(database).append([entry("offline"), entry("online")])
        for bytes in try files.files().values { #expect(bytes.range(of: Data("offline".utf8)) == nil) }
        try files.execute("UPDATE log_entries SET logged_at = logged_at + 1 WHERE id = 1")
        #expect(try await log(database).logEntries().map(\.detail) == ["online"])
        #expect(damage.tables == ["log_entries"])
    }

    @Test(
        "[OTP-9.5] with a user, or with one purchase, what the log and the cases have about its transactions is deleted"
    )
    func erasure() async throws {
        let database = try files.open()
        let log = log(database)
        for (user, id) in [(PurchaseSample.alice, "alice-1"), (PurchaseSample.bob, "bob-1"), (PurchaseSample.bob, "2")]
        {
            _ = try await PurchaseRecords(database, user).recordPurchase(PurchaseSample.purchase(id))
            try await log.markReported(try #require(try await log.unreportedCase(of: id)), at: PurchaseSample.start)
        }
        // Of a delivery that was rejected, of which there is no row.
        let rejected = try #require(try await log.unreportedCase(of: "of-no-row"))
        try await log.markReported(rejected, at: PurchaseSample.start)
        let ids = ["alice-1", "bob-1", "2", "of-no-row", nil]
        try await log.append(ids.map { entry("detail", transaction: $0) })
        try await database.erase(PurchaseSample.alice)
        let bobs = LogRedaction.reference(ofTransaction: "bob-1")
        #expect(try await log.logEntries().map(\.transaction) == [bobs, "2", nil])
        #expect(try await log.unreportedCase(of: "alice-1") != nil)
        #expect(try await log.unreportedCase(of: "bob-1") == nil)
        #expect(try await log.unreportedCase(of: "of-no-row") == nil, "an alert of another user is not repeated")
        try await PurchaseRecords(database, PurchaseSample.bob).deletePurchase(try PurchaseSample.purchase("2").id)
        #expect(try await log.logEntries().map(\.transaction) == [bobs, nil])
        #expect(try await log.unreportedCase(of: "2") != nil)
    }

    @Test("[OTP-9.5] with a user, the entries of the time when the user was signed in are deleted, and no other user's")
    func erasureByUser() async throws {
        let database = try files.open()
        let log = log(database)
        let (alice, bob) = (PurchaseSample.alice, PurchaseSample.bob)
        // Of these ids the log has the same beginning.
        let (alices, bobs) = ("GPA.33-of-alice", "GPA.33-of-bob")
        for (user, id) in [(alice, alices), (alice, "7"), (bob, bobs)] {
            _ = try await PurchaseRecords(database, user).recordPurchase(PurchaseSample.purchase(id))
        }
        // There is no row of a forged purchase.
        try await log.append([
            entry("alice", transaction: alices, account: UUIDText(alice.rawValue.uppercased())),
            entry("alice, forged", transaction: "forged-1", account: alice), entry("alice, offline", account: alice),
            entry("bob", transaction: bobs, account: bob), entry("bob, forged", transaction: "forged-2", account: bob),
            entry("bob, delivery of alice", transaction: "7", account: bob), entry("bob, offline", account: bob),
            entry("offline"),
        ])
        func details() async throws -> [String] { try await log.logEntries().map(\.detail) }
        #expect(try await details().count == 8)
        try await database.erase(alice)
        #expect(try await details() == ["bob", "bob, forged", "bob, offline", "offline"])
        let damage = DamageRecorder()
        #expect(try await DatabaseLog(try files.open(damage: damage), longestAge: .max).logEntries().count == 4)
        #expect(damage.all.isEmpty)
        try await PurchaseRecords(database, bob).deletePurchase(try PurchaseSample.purchase(bobs).id)
        #expect(try await details() == ["bob, forged", "bob, offline", "offline"])
        #expect(try await database.eraseKnown(bob) != nil, "the log is a trace of the user")
        #expect(try await details() == ["offline"])
        #expect(try await database.eraseKnown(bob) == nil)
    }

    @Test("[OTP-8.5] a case is reported once, also after a restart, under an id that does not name its subject")
    func cases() async throws {
        let first = log(try files.open())
        let id = try #require(try await first.unreportedCase(of: "2000000123456789"))
        #expect(try await first.unreportedCase(of: "2000000123456789") == id, "it was not reported yet")
        #expect(id.count == 32 && !id.contains("2000000123456789"))
        try await first.markReported(id, at: PurchaseSample.start)
        try await first.markReported(id, at: PurchaseSample.start)
        let damage = DamageRecorder()
        let second = log(try files.open(damage: damage))
        #expect(try await second.unreportedCase(of: "2000000123456789") == nil)
        #expect(try await second.unreportedCase(of: "2000000123456780") != nil)
        try files.execute("UPDATE reported_cases SET reported_at = reported_at + 1")
        #expect(try await second.unreportedCase(of: "2000000123456789") == id, "a changed row suppresses nothing")
        #expect(damage.tables == ["reported_cases"])
        try await second.markReported(id, at: PurchaseSample.start)
        #expect(try await second.unreportedCase(of: "2000000123456789") == nil)
    }

    @Test("[OTP-8.5] of many cases, the latest ones are remembered")
    func caseLimit() async throws {
        let database = try files.open()
        try await database.write { (database) throws(DatabaseError) in
            for number in 0..<5 { try database.storeReported("\(number)", at: PurchaseSample.start, keeping: 3) }
        }
        #expect(try files.text("SELECT group_concat(id, ' ') FROM reported_cases") == "2 3 4")
    }

    @Test("[OTP-F4] [OTP-8.5] a forged purchase of a flow is in the exported log and is one alert")
    @MainActor
    func flow() async throws {
        let database = try files.open()
        let log = SupportLog(log(database), environment: PurchaseEnvironment(clock: { PurchaseSample.start }))
        let alerts = Alerts()
        let monitor = PurchaseMonitor(
            alerts: alerts, cases: DatabaseLog(database),
            environment: PurchaseEnvironment(log: log, clock: { PurchaseSample.start }))
        let app = try SellingApp(
            try SellingApp.simulator(faults: [Fault(at: .signing, do: .flipBit)]), database, monitor: monitor)
        #expect(await app.flow.purchaseProduct("export").outcome != .success)
        await monitor.flush()
        await log.flush()
        let entries = try await DatabaseLog(database, environment: PurchaseEnvironment(clock: { PurchaseSample.start }))
            .logEntries()
        #expect(entries.contains { $0.kind == .unverified && $0.productID == "export" })
        #expect(alerts.all.map(\.entry.kind) == [.unverified])
        #expect(monitor.report().stages.map(\.stage).contains(.verify))
    }

    @Test("[OTP-10.3] the write of a purchase to the database is measured, with the code of its failure")
    @MainActor
    func record() async throws {
        let monitor = PurchaseMonitor(environment: PurchaseEnvironment(clock: { PurchaseSample.start }))
        let app = try SellingApp(try SellingApp.simulator(), try files.open(), monitor: monitor)
        app.ledger.failWrites(DatabaseError(.diskFull, "full"))
        _ = await app.flow.purchaseProduct("export")
        let record = try #require(monitor.report().stages.first { $0.stage == .record })
        #expect(Array(record.failures.keys) == ["not-written"] && record.calls >= 1)
    }

    private final class Alerts: PurchaseAlerting {
        private let recorded = Locked<[PurchaseAlert]>([])
        var all: [PurchaseAlert] { recorded.withLock { $0 } }
        func raise(_ alert: PurchaseAlert) async throws { recorded.withLock { $0.append(alert) } }
    }
}
