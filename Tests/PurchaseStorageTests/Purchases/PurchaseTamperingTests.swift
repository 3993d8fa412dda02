import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseStorage

@Suite("Purchases that another program has changed")
struct PurchaseTamperingTests {
    private let files = TestDatabase()

    /// Records a purchase of each user, invalidates that of Alice if asked to, and closes the database.
    private func record(isValid: Bool = true) async throws -> Purchase.ID {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        let verified = try PurchaseSample.purchase("alice")
        _ = try await purchases.recordPurchase(verified)
        if !isValid { try await purchases.updateVerificationStatus(of: verified.id, .unverified(.signatureInvalid)) }
        let other = try PurchaseSample.purchase("bob", "templates.pack")
        _ = try await PurchaseRecords(database, PurchaseSample.bob).recordPurchase(other)
        return verified.id
    }

    @Test(
        "An edited row unlocks nothing, is reported, and counts again once it is recorded again [OTP-9.1] [OTP-3.1]",
        arguments: [
            "product_id = 'templates.pack'", "product_id = CAST(x'ff' AS TEXT)", "product_type = 'Consumable'",
            "purchased_at = purchased_at + 1",
            "quantity = 2", "remaining_quantity = 0", "ownership = 'FAMILY_SHARED'", "price = 0", "price = NULL",
            "currency_code = 'JPY'",
            "is_revoked = 1", "is_verified = 0", "is_synced = 1, synced_at = 1", "signed_date = signed_date + 1",
            "created_at = 0", "updated_at = 0", "seal = zeroblob(40)", "seal = x''",
            "seal = (SELECT seal FROM purchases WHERE transaction_id = 'bob')",
            "text_digest = (SELECT text_digest FROM purchases WHERE transaction_id = 'bob')",
        ])
    func editedRow(_ change: String) async throws {
        let id = try await record()
        try files.execute("UPDATE purchases SET \(change) WHERE transaction_id = 'alice'")
        let damage = DamageRecorder()
        let purchases = PurchaseRecords(try files.open(damage: damage))
        #expect(try await purchases.getPurchase(id) == nil)
        #expect(try await purchases.getAllPurchases().isEmpty)
        #expect(try await purchases.getPurchasesByFeature("pro").isEmpty)
        #expect(try await purchases.signedContent(of: id) == nil)
        await #expect(throws: DatabaseError(.notFound, "")) { try await purchases.updateSyncStatus(of: id, .unsynced) }
        #expect(damage.all.map(\.table) == ["purchases"])
        #expect(try await purchases.recordPurchase(PurchaseSample.purchase("alice")) == .inserted)
        #expect(try await purchases.getPurchasesByFeature("pro").map(\.id) == [id])
        #expect(try await purchases.events(since: nil).count { $0.kind == .completed } == 1)
    }

    @Test("A purchase that was marked as verified with SQL unlocks nothing [OTP-9.1] [OTP-7.5]")
    func markedAsVerified() async throws {
        let id = try await record(isValid: false)
        try files.execute("UPDATE purchases SET is_verified = 1 WHERE transaction_id = 'alice'")
        let damage = DamageRecorder()
        let purchases = PurchaseRecords(try files.open(damage: damage))
        #expect(try await purchases.getPurchase(id) == nil)
        #expect(try await purchases.getPurchasesByFeature("pro").isEmpty)
        #expect(damage.tables == ["purchases"])
    }

    @Test("A row that was moved to another user unlocks nothing for either [OTP-9.4]")
    func movedToAnotherUser() async throws {
        let id = try await record()
        try files.execute(
            """
            UPDATE purchases SET user_digest = (SELECT user_digest FROM purchases WHERE transaction_id = 'bob')
            WHERE transaction_id = 'alice'
            """)
        let damage = DamageRecorder()
        let database = try files.open(damage: damage)
        let bob = PurchaseRecords(database, PurchaseSample.bob)
        #expect(try await bob.getAllPurchases().map(\.id.transactionID) == ["bob"])
        #expect(try await bob.getPurchase(id) == nil)
        #expect(try await bob.getPurchasesByFeature("pro").isEmpty)
        #expect(try await PurchaseRecords(database).getAllPurchases().isEmpty)
        #expect(damage.tables == ["purchases"])
    }

    /// Inserts a copy of Alice's row that belongs to Bob, with another value in one column.
    private func copyToBob(_ column: String, _ value: String) throws {
        let columns = (PurchaseRow.table.columns + ["seal"]).filter { $0 != "id" }
        let values = columns.map { name in
            switch name {
            case "user_digest": "(SELECT user_digest FROM purchases WHERE transaction_id = 'bob')"
            case column: value
            default: name
            }
        }
        try files.execute(
            """
            INSERT INTO purchases (\(columns.joined(separator: ", ")))
            SELECT \(values.joined(separator: ", ")) FROM purchases WHERE transaction_id = 'alice'
            """)
    }

    @Test(
        "A second row that is a copy for another user unlocks nothing for that user and is reported [OTP-9.4]",
        arguments: [
            ("transaction_id", "'copy'"), ("environment", "'Sandbox'"), ("store", "'google-play'"),
        ])
    func copiedToAnotherUser(_ column: String, _ value: String) async throws {
        let id = try await record()
        // The table takes no second row with the identity of the purchase.
        #expect(throws: DatabaseError(.constraint, "")) { try copyToBob("transaction_id", "transaction_id") }
        #expect(try files.integer("SELECT count(*) FROM purchases") == 2)
        try copyToBob(column, value)
        #expect(try files.integer("SELECT count(*) FROM purchases") == 3)
        let damage = DamageRecorder()
        let database = try files.open(damage: damage)
        let alice = PurchaseRecords(database)
        let bob = PurchaseRecords(database, PurchaseSample.bob)
        #expect(try await bob.getPurchasesByFeature("pro").isEmpty)
        #expect(try await bob.getAllPurchases().map(\.id.transactionID) == ["bob"])
        #expect(damage.all.map(\.table) == ["purchases"])
        #expect(try await alice.getAllPurchases().map(\.id) == [id])
        #expect(try await alice.getPurchasesByFeature("pro").map(\.id) == [id])
        #expect(try await database.recover()?.finding == .wrongSeals)
        #expect(try files.integer("SELECT count(*) FROM purchases") == 2)
        #expect(try await bob.getAllPurchases().map(\.id.transactionID) == ["bob"])
        #expect(try await alice.getPurchasesByFeature("pro").map(\.id) == [id])
    }

    @Test("The purchases before and after an edited row are returned with their own values [OTP-9.1]")
    func rowsBesideAnEditedOne() async throws {
        let recorded = try ["1", "edited", "2"].enumerated().map { (number, id) in
            try PurchaseSample.purchase(id, "product.\(id)", key: "key-\(id)") {
                $0.purchaseDate = PurchaseSample.at(-Int64(number))
            }
        }
        let catalog = try PurchaseSample.makeCatalog([
            "feature.1": ["product.1"], "feature.2": ["product.2"], "pro": ["product.1", "product.2"],
        ])
        let writer = PurchaseRecords(try files.open())
        for purchase in recorded { _ = try await writer.recordPurchase(purchase) }
        try files.execute("UPDATE purchases SET price = 0 WHERE transaction_id = 'edited'")
        let damage = DamageRecorder()
        let purchases = try await PurchaseRecords(files.open(damage: damage), catalog: catalog).getAllPurchases()
        #expect(purchases.map(\.id.transactionID) == ["1", "2"])
        #expect(purchases.map(\.productID) == ["product.1", "product.2"])
        #expect(purchases.map(\.unlockedFeatures) == [["feature.1", "pro"], ["feature.2", "pro"]])
        #expect(purchases.map(\.verification) == [.verified(key: "key-1"), .verified(key: "key-2")])
        #expect(damage.all.map(\.table) == ["purchases"])
    }

    @Test("An edited fulfilment is reported and does not count, also beside the one of another purchase [OTP-9.1]")
    func editedFulfilment() async throws {
        let keys = try ["1", "2"].map { try PurchaseSample.purchase($0).transaction.purchaseKey }
        try await DatabaseLedger(try files.open()).transact(.grant) {
            (rows: inout any LedgerRows) throws(LedgerError) in
            for key in keys { try rows.put(.granted(productID: "coins", quantity: 10), of: key) }
        }
        try files.execute("UPDATE fulfilments SET quantity = 1 WHERE rowid = 1")
        let damage = DamageRecorder()
        let ledger = DatabaseLedger(try files.open(damage: damage))
        #expect(try await ledger.fulfilment(of: keys[0]) == nil)
        #expect(try await ledger.fulfilment(of: keys[1]) == .granted(productID: "coins", quantity: 10))
        #expect(damage.all.map(\.table) == ["fulfilments"])
    }

    @Test("Signed content that was exchanged is reported and not returned [OTP-9.1]")
    func exchangedContent() async throws {
        let id = try await record()
        try files.execute(
            """
            UPDATE signed_texts SET sealed = (SELECT sealed FROM signed_texts AS other
            WHERE other.digest <> signed_texts.digest LIMIT 1)
            """)
        let damage = DamageRecorder()
        #expect(try await PurchaseRecords(files.open(damage: damage)).signedContent(of: id) == nil)
        #expect(damage.tables == ["signed_texts"])
    }

    @Test(
        "An edited event is reported and not returned [OTP-10.1]",
        arguments: [
            "kind = 'purchase-synced'", "occurred_at = 0", "purchase_id = purchase_id + 1", "id = id + 100",
            "seal = zeroblob(40)",
        ])
    func editedEvent(_ change: String) async throws {
        _ = try await record()
        try files.execute("UPDATE purchase_events SET \(change) WHERE id = 1")
        let damage = DamageRecorder()
        let events = try await PurchaseRecords(files.open(damage: damage)).events(since: nil)
        #expect(events.map(\.kind) == [.verified])
        #expect(damage.all.map(\.table) == ["purchase_events"])
    }

    @Test("A number of the last event at its limit is an error, and nothing is recorded")
    func lastEventID() async throws {
        let id = try await record()
        try files.execute("UPDATE sqlite_sequence SET seq = \(Int64.max) WHERE name = 'purchase_events'")
        let purchases = PurchaseRecords(try files.open())
        await #expect(throws: DatabaseError(.damaged, "")) {
            try await purchases.updateSyncStatus(of: id, .synced(at: PurchaseSample.start))
        }
        #expect(try await purchases.getPurchase(id)?.isSynced == false)
    }
}
