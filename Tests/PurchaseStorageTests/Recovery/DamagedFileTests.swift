import DamageSupport
import Foundation
import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("Damaged database files")
struct DamagedFileTests {
    private static let forgedJWS = "eyJhbGciOiJFUzI1NiJ9.e30.forged"

    private let simulator: StoreSimulator
    private let original = TestDatabase()

    init() throws {
        simulator = try SimulatedApp.simulator()
    }

    private func sample(_ number: Int) throws -> VerifiedPurchase { try PurchaseSample.purchase("\(number)") }
    private let sampleCount = 12
    private let damageCount = FileDamage.count(otherwise: 32)

    /// Fills the original database, and copies its files, with a log that SQLite has not moved into the database.
    ///
    /// - Returns: The ids of the transactions that the ledger has recorded, the purchases of a user, and the copy.
    private func fill() async throws -> (transactions: Set<String>, purchases: [Purchase], copy: TestDatabase) {
        let database = try original.open()
        let app = SimulatedApp(simulator, database)
        for productID in ["pro.lifetime", "pro.yearly"] { _ = await app.service.purchase(productID: productID) }
        let ledger = DatabaseLedger(database)
        let forged = SignedTransaction(jws: Self.forgedJWS, transactionID: "forged", productID: "pro.lifetime")
        _ = try await ledger.observe(forged, from: .update, at: SimulatedApp.start)
        try await ledger.quarantine(signedText: Self.forgedJWS, because: .signatureInvalid)
        let purchases = PurchaseRecords(database)
        for number in 0..<sampleCount { _ = try await purchases.recordPurchase(sample(number)) }
        // Part of the content is in the database, and part of it in the log.
        try original.execute("PRAGMA wal_checkpoint(PASSIVE)")
        for number in sampleCount..<2 * sampleCount { _ = try await purchases.recordPurchase(sample(number)) }
        let copy = try original.copy()
        let recorded = try await ledger.entries().filter { $0.stage >= .recorded }
        return (Set(recorded.map(\.transaction.transactionID)), try await purchases.getAllPurchases(), copy)
    }

    @Test("A damaged file loses no purchase once the history is read again, and grants nothing unverified [OTP-3.6]")
    func seededDamage() async throws {
        let (transactions, purchases, sound) = try await fill()
        #expect(transactions.count == 2 + 2 * sampleCount)
        #expect(purchases.count == 2 * sampleCount)
        var recoveries = 0
        for damage in (0..<damageCount).map(FileDamage.init) {
            let files = try sound.copy()
            try damage.apply(to: files.path)
            var recovery: DatabaseRecovery?
            let database: PurchaseDatabase
            do {
                database = try files.open()
            } catch let error as DatabaseError {
                #expect(error.code == .damaged, "\(damage): \(error)")
                recovery = try files.recover()
                #expect(recovery != nil, "\(damage)")
                database = try files.open()
            }
            recovery = try await database.recover() ?? recovery
            if recovery != nil { recoveries += 1 }
            #expect(recovery != nil || !damage.isObvious, "\(damage)")
            // What is in the file before the store is asked was verified.
            let ledger = DatabaseLedger(database)
            for entry in try await ledger.entries() where entry.stage >= .verified {
                #expect(transactions.contains(entry.transaction.transactionID), "\(damage)")
            }
            let records = PurchaseRecords(database)
            let kept = try await records.getAllPurchases().count
            // Damage to the log is none to the database, which has the first purchases.
            #expect(kept >= sampleCount || ![.changedLog, .removedLog].contains(damage.kind), "\(damage)")
            for purchase in try await records.getAllPurchases() { #expect(purchases.contains(purchase), "\(damage)") }
            // The app reads the store's history again, and records what it has.
            let app = SimulatedApp(simulator, database)
            let history = try await app.service.requestAllPurchaseHistory()
            #expect(history.notRecorded == 0, "\(damage)")
            for number in 0..<2 * sampleCount { _ = try await records.recordPurchase(sample(number)) }
            let entries = try await ledger.entries()
            let recorded = entries.filter { $0.stage >= .recorded }.map(\.transaction.transactionID)
            #expect(Set(recorded) == transactions, "\(damage)")
            #expect(recorded.count == transactions.count, "\(damage)")
            #expect(entries.allSatisfy { $0.transaction.signedText != Self.forgedJWS || $0.stage == .observed })
            #expect(try await Set(records.getAllPurchases()) == Set(purchases), "\(damage)")
            #expect(try await records.getAllPurchases().count == purchases.count, "\(damage)")
            #expect(try await SimulatedApp(simulator, database, isOnline: false).isPro, "\(damage)")
            #expect(try await database.recover() == nil, "\(damage)")
        }
        #expect(recoveries >= damageCount / 2)
    }

    @Test("Damage to one table loses no row of another one [OTP-3.6]")
    func oneTable() async throws {
        let bobs = try PurchaseSample.purchase("of-bob", "coins") { $0.type = .consumable }
        let database = try original.open()
        _ = try await PurchaseRecords(database, PurchaseSample.bob).recordPurchase(bobs)
        try await database.erase(PurchaseSample.bob)
        let (key, digest) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let tombstone = Tombstone(key: key, digest: digest, fulfilment: .revoked)
        _ = try await database.importTombstone(try #require(tombstone))
        let product = Product(
            id: "coins", type: .consumable, displayName: "Coins", description: "", price: Milliunits(990),
            currency: "USD", displayPrice: "$0.99", isFamilyShareable: false)
        try await DatabaseProducts(database).cacheProducts([product])
        var renewal = JWSRenewalInfoDecodedPayload()
        renewal.originalTransactionId = "1"
        renewal.signedDate = SimulatedApp.start
        try await DatabaseLedger(database).record(
            PurchaseSample.require(RenewalInfo(renewal)), jws: "renewal-info")
        let event = PurchaseLogEvent(.notFinished, detail: "the store does not answer")
        let log = DatabaseLog(database, environment: PurchaseEnvironment(clock: { SimulatedApp.start }))
        try await log.append([LogEntry(event, at: SimulatedApp.start)])
        let reported = try #require(try await log.unreportedCase(of: "1"))
        try await log.markReported(reported, at: SimulatedApp.start)
        _ = try await fill()
        let analytics = DatabaseAnalytics(
            database, user: .signedIn(PurchaseSample.alice),
            environment: PurchaseEnvironment(clock: { SimulatedApp.start }))
        #expect(try await !analytics.waitingEvents(limit: 10).isEmpty)
        let counts = try rowCounts(original)
        #expect(counts.values.allSatisfy { $0 > 0 }, "\(counts)")
        for table in counts.keys {
            let files = TestDatabase()
            try await database.backUp(to: files.path)
            let root = try files.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'") ?? 1
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: files.path))
            try handle.seek(toOffset: UInt64((root - 1) * 4_096))
            try handle.write(contentsOf: [UInt8](repeating: 0xaa, count: 4_096))
            try handle.close()
            let recovery = try #require(try files.recover(), "\(table)")
            // A row that refers to a signed text is nothing without it.
            let referring = ["deliveries", "renewal_infos", "purchases"]
            let lost = Set([table] + (table == "signed_texts" ? referring : []))
            for (other, count) in counts where !lost.contains(other) {
                // A delivery and its purchase have one text.
                let hasTexts = other == "signed_texts" && ["deliveries", "renewal_infos"].contains(table)
                let salvaged = recovery.salvagedRows[other] ?? 0
                #expect(hasTexts ? salvaged < count : salvaged == count, "\(table): \(other)")
            }
            #expect(try rowCounts(files).filter { $0.value > 0 } == recovery.salvagedRows, "\(table)")
        }
    }

    /// The number of rows of each table that a recovery copies, without those of the recoveries.
    private func rowCounts(_ files: TestDatabase) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for name in StoredTable.all.map(\.name) where name != "recoveries" {
            counts[name] = Int(try files.integer("SELECT count(*) FROM \(name)") ?? 0)
        }
        return counts
    }
}
