import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("Row numbers that another program has changed")
struct RowNumberTests {
    private static let edits = [
        "UPDATE deliveries SET number = 9223372036854775807 WHERE transaction_id = '1'",
        "UPDATE deliveries SET number = -5 WHERE transaction_id = '1'",
        "UPDATE deliveries SET number = -9223372036854775808 WHERE transaction_id = '1'",
        "UPDATE claims SET number = 9223372036854775807 WHERE number = 1",
        "INSERT INTO claims VALUES (9223372036854775807, 'x', 0, 0, 0)",
        "UPDATE purchases SET id = 9223372036854775807 WHERE transaction_id = '1'",
        "UPDATE purchases SET id = -5 WHERE transaction_id = '1'",
        "UPDATE purchase_events SET id = 9223372036854775807 WHERE id = 1",
        "UPDATE sqlite_sequence SET seq = 9223372036854775807",
    ]

    private let files = TestDatabase()

    private func key(_ id: String) throws -> PurchaseKey { try PurchaseSample.purchase(id).transaction.purchaseKey }

    /// Observes, claims and records a purchase, as three calls that each need a number.
    private func add(_ id: String, to database: PurchaseDatabase) async throws {
        let ledger = DatabaseLedger(database)
        let sample = try PurchaseSample.purchase(id)
        let delivery = SignedTransaction(sample.content, of: sample.transaction)
        _ = try await ledger.observe(delivery, from: .update, at: SimulatedApp.start)
        let (start, end) = (PurchaseSample.start, PurchaseSample.at(60))
        #expect(try await ledger.claimFulfilment(of: key(id), from: start, until: end) != nil)
        _ = try await PurchaseRecords(database).recordPurchase(sample)
    }

    @Test("A recovery gives the tables their numbers back and loses no entry [OTP-3.6] [OTP-9.1]", arguments: edits)
    func recovers(_ edit: String) async throws {
        var database = try files.open()
        for id in ["1", "2"] { try await add(id, to: database) }
        try files.execute(edit)
        #expect(try await database.recover() != nil)
        #expect(try await database.recover() == nil)
        #expect(try files.recover() == nil)
        database = try files.open()
        try await add("3", to: database)
        let entries = try await DatabaseLedger(database).entries()
        #expect(entries.map(\.transaction.transactionID).sorted() == ["1", "2", "3"])
        #expect(try await database.recover() == nil)
    }

    @Test("A table without further numbers is reported as damage and not as a full disk [OTP-2.3]")
    func typedError() async throws {
        let database = try files.open()
        try await add("1", to: database)
        try files.execute("UPDATE deliveries SET number = 9223372036854775807")
        let delivery = SignedTransaction(jws: "jws-2", transactionID: "2", productID: "coins")
        do {
            _ = try await DatabaseLedger(database).observe(delivery, from: .update, at: SimulatedApp.start)
            Issue.record("a row after the largest number was inserted")
        } catch {
            #expect((error.underlying as? DatabaseError)?.code == .damaged)
        }
        await #expect(throws: DatabaseError(.damaged, "")) {
            try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("2"))
        }
    }

    @Test("A purchase whose number was changed is recorded again under a valid one [OTP-3.6]")
    func recordsAgain() async throws {
        let purchases = PurchaseRecords(try files.open())
        _ = try await purchases.recordPurchase(PurchaseSample.purchase("1"))
        try files.execute("UPDATE purchases SET id = 9223372036854775807")
        for id in ["1", "2"] {
            #expect(try await purchases.recordPurchase(PurchaseSample.purchase(id)) == .inserted)
        }
        #expect(try await purchases.getAllPurchases().count == 2)
    }
}
