import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("Recovery of a file of an earlier version")
struct EarlierVersionTests {
    private static let versions = Migration.all.map(\.version).dropLast()

    private let files = TestDatabase()

    /// Checks that a file of the newest version has what ``TestDatabase/makeEarlierVersion(_:)`` has written.
    private func checkContent(of version: Int64) async throws {
        let damage = DamageRecorder()
        let database = try files.open(damage: damage)
        let journal = DatabaseLedger(database)
        #expect(try await journal.entries().map(\.account?.rawValue) == [TestDatabase.earlierAccount, nil])
        for id in ["0", "1"] {
            #expect(
                try await journal.fulfilment(of: .transaction(id: id)) == .granted(productID: "coins", quantity: 1))
        }
        let start = Timestamp(milliseconds: 30_000) ?? .minimum
        #expect(
            try await journal.claimFulfilment(of: .transaction(id: "1"), from: start, until: start) == nil,
            "the claim of the earlier version is in force")
        let log = try await DatabaseLog(database, longestAge: .max).logEntries()
        #expect(log.map(\.detail) == (version < Migration.observability.version ? [] : ["offline"]))
        #expect(damage.all.isEmpty)
        #expect(try await database.recover() == nil)
    }

    @Test("A sound file is not replaced, and opening it migrates it [OTP-3.1]", arguments: versions)
    func sound(_ version: Int64) async throws {
        try files.makeEarlierVersion(version)
        #expect(try files.recover() == nil)
        try await checkContent(of: version)
    }

    @Test("A damaged file keeps its entries, accounts and fulfilments [OTP-3.6]", arguments: versions)
    func damaged(_ version: Int64) async throws {
        try files.makeEarlierVersion(version)
        try files.execute("DELETE FROM key_check")
        #expect(try files.recover()?.rejectedRows == 0)
        try await checkContent(of: version)
    }

    @Test(
        "A file with a damaged header is read with the sealed version [OTP-3.6]",
        arguments: versions.filter { $0 >= Migration.recoveries.version })
    func header(_ version: Int64) async throws {
        try files.makeEarlierVersion(version)
        try files.execute("PRAGMA user_version = 99")
        #expect(try files.recover()?.rejectedRows == 0)
        try await checkContent(of: version)
    }

    @Test(
        "The file of an earlier version has no id of a transaction among its fulfilments after the migration [OTP-9.4]")
    func keyedPurchases() throws {
        try files.makeEarlierVersion(5)
        _ = try files.open()
        for table in ["fulfilments", "claims"] {
            #expect(try files.integer("SELECT count(*) FROM \(table) WHERE purchase_digest LIKE 'transaction%'") == 0)
        }
    }
}
