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

    /// Fills the original database, and copies its files, with a log that SQLite has not moved into the database, to another
    /// one.
    ///
    /// - Returns: The ids of the transactions that the journal has recorded, and the purchases of a user.
    private func fill() async throws -> (transactions: Set<String>, purchases: [Purchase]) {
        let database = try original.open()
        let app = SimulatedApp(simulator, database)
        for productID in ["pro.lifetime", "pro.yearly"] { _ = await app.service.purchase(productID: productID) }
        let journal = DatabaseJournal(database)
        let forged = SignedTransaction(jws: Self.forgedJWS, transactionID: "forged", productID: "pro.lifetime")
        _ = try await journal.observe(forged, from: .update, at: SimulatedApp.start)
        try await journal.quarantine(signedText: Self.forgedJWS, because: .signatureInvalid)
        let purchases = DatabasePurchases(database)
        for number in 0..<sampleCount { _ = try await purchases.recordPurchase(sample(number)) }
        // Part of the content is in the database, and part of it in the log.
        try original.execute("PRAGMA wal_checkpoint(PASSIVE)")
        for number in sampleCount..<2 * sampleCount { _ = try await purchases.recordPurchase(sample(number)) }
        let files = try original.files()
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
        for (name, bytes) in files { try bytes.write(to: URL(fileURLWithPath: "\(copies)/\(name)")) }
        let recorded = try await journal.entries().filter { $0.stage >= .recorded }
        return (Set(recorded.map(\.transaction.transactionID)), try await purchases.getAllPurchases())
    }

    /// The folder of the files before they are damaged.
    private var copies: String { "\(original.folder)/copies" }

    private func damagedCopy(_ damage: FileDamage) throws -> TestDatabase {
        let files = TestDatabase()
        try FileManager.default.createDirectory(
            atPath: files.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in try FileManager.default.contentsOfDirectory(atPath: copies) {
            let path = "\(files.folder)/\(name)"
            try FileManager.default.copyItem(atPath: "\(copies)/\(name)", toPath: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        try damage.apply(to: files.path)
        return files
    }

    @Test("A damaged file loses no purchase once the history is read again, and grants nothing unverified [OTP-3.6]")
    func seededDamage() async throws {
        let (transactions, purchases) = try await fill()
        #expect(transactions.count == 2)
        #expect(purchases.count == 2 * sampleCount)
        var recoveries = 0
        for damage in (0..<FileDamage.count).map(FileDamage.init) {
            let files = try damagedCopy(damage)
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
            let journal = DatabaseJournal(database)
            for entry in try await journal.entries() where entry.stage >= .verified {
                #expect(transactions.contains(entry.transaction.transactionID), "\(damage)")
            }
            let records = DatabasePurchases(database)
            for purchase in try await records.getAllPurchases() { #expect(purchases.contains(purchase), "\(damage)") }
            // The app reads the store's history again, and records what it has.
            let app = SimulatedApp(simulator, database)
            let history = try await app.service.requestAllPurchaseHistory()
            #expect(history.notRecorded == 0, "\(damage)")
            for number in 0..<2 * sampleCount { _ = try await records.recordPurchase(sample(number)) }
            let entries = try await journal.entries()
            let recorded = entries.filter { $0.stage >= .recorded }.map(\.transaction.transactionID)
            #expect(Set(recorded) == transactions, "\(damage)")
            #expect(recorded.count == transactions.count, "\(damage)")
            #expect(entries.allSatisfy { $0.transaction.signedText != Self.forgedJWS || $0.stage == .observed })
            #expect(try await Set(records.getAllPurchases()) == Set(purchases), "\(damage)")
            #expect(try await records.getAllPurchases().count == purchases.count, "\(damage)")
            #expect(try await SimulatedApp(simulator, database, isOnline: false).isPro, "\(damage)")
            #expect(try await database.recover() == nil, "\(damage)")
        }
        #expect(recoveries >= FileDamage.count / 2)
    }
}
