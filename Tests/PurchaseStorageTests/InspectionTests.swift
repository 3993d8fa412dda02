import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("Inspection of a database", .timeLimit(.minutes(15)))
struct InspectionTests {
    private let files = TestDatabase()

    private func inspection() throws -> DatabaseInspection {
        try DatabaseInspection(path: files.path, key: TestDatabase.key)
    }

    /// Returns whether each receipt of an inspection can be read.
    private func readable(
        _ inspection: DatabaseInspection, _ body: () throws -> Void = {}
    ) throws -> [Bool] {
        var readable: [Bool] = []
        try inspection.forEachReceipt { receipt in
            readable.append(receipt.content != nil)
            try body()
        }
        return readable
    }

    @Test("What another process changes during an inspection is not in it, and its receipts can be read")
    func oneState() async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        for number in 0..<3 { _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)")) }
        let during = try inspection()
        let first = try #require(try during.purchases().first)
        let found = try readable(during) {
            try files.execute("DELETE FROM purchase_events")
            try files.execute("DELETE FROM purchases")
            try files.execute("DELETE FROM deliveries")
            try files.execute("DELETE FROM signed_texts")
        }
        #expect(found == [true, true, true])
        #expect(try during.purchases().count == 3)
        #expect(try during.events(of: first.purchase).count == 2)
        #expect(during.omissions.isEmpty)
        #expect(try inspection().purchases().isEmpty)
    }

    @Test("A payload that is missing is told from one that was changed")
    func omissions() async throws {
        let purchases = PurchaseRecords(try files.open())
        for number in 0..<2 { _ = try await purchases.recordPurchase(PurchaseSample.purchase("\(number)")) }
        try files.execute("UPDATE signed_texts SET sealed = x'00' WHERE rowid = 1")
        try files.execute("DELETE FROM signed_texts WHERE rowid = 2")
        let inspection = try inspection()
        #expect(try readable(inspection) == [false, false])
        #expect(inspection.omissions.map(\.isMissing) == [false, true])
        #expect(inspection.omissions.map(\.row.table) == ["signed_texts", "signed_texts"])
        _ = try readable(inspection)
        #expect(inspection.omissions.count == 2, "each is reported once")
    }
}
