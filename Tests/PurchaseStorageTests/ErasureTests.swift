import Foundation
import LocalStore
import PurchaseCore
import ReceiptTypes
import SQLite
import Testing
import TranscriptSupport

@testable import PurchaseStorage

@Suite("Deletion of a user", .timeLimit(.minutes(15)))
struct ErasureTests {
    private let files = TestDatabase()
    private let simulator: StoreSimulator

    init() throws {
        simulator = try SimulatedApp.simulator()
    }

    /// Returns the number of rows of each table that can have something of a user.
    private func rowCounts(_ files: TestDatabase) throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for table in UserRows.tables { counts[table] = try files.integer("SELECT count(*) FROM \(table)") }
        return counts
    }

    @Test("No file has an id or a receipt of a deleted user, and the rows of others stay [OTP-9.5]")
    func leavesNothing() async throws {
        let database = try files.open()
        let ledger = DatabaseLedger(database)
        let app = SimulatedApp(simulator, database, user: .signedIn(PurchaseSample.alice))
        for productID in ["pro.yearly", "coins", "pro.lifetime"] {
            let answer = await app.service.purchase(productID: productID)
            guard case .success(verified: true) = answer else {
                Issue.record("the purchase of \(productID) failed: \(answer)")
                return
            }
        }
        var search = TraceSearch()
        search.add(account: PurchaseSample.alice.rawValue)
        var ids: Set<String> = []
        for delivery in try await ledger.entries().map(\.transaction) {
            ids.insert(delivery.transactionID)
            if let original = UnverifiedDelivery(delivery.content).originalTransactionID { ids.insert(original) }
            search.add(receipt: delivery.signedText)
        }
        #expect(ids.count >= 3)
        let alices = try await UserRows.fill(database, for: PurchaseSample.alice, from: 9_100_000_000_000_000)
        ids.formUnion(alices.ids)
        for id in ids { search.add(id: id) }
        for receipt in alices.receipts { search.add(receipt: receipt) }
        let bobs = try await UserRows.fill(database, for: PurchaseSample.bob, from: 9_200_000_000_000_000)

        let readable = try search.files(in: files.folder)
        for id in ids { #expect(readable[id] != nil, "\(id) is readable before the deletion") }
        let entries = try await ledger.entries()
        let bobsEntries = entries.filter { bobs.ids.contains($0.transaction.transactionID) }
        let bobsEvents = try await PurchaseRecords(database, PurchaseSample.bob).events(since: nil)
        let events = try await PurchaseRecords(database).events(since: nil).count
        let purchases = try await PurchaseRecords(database).getAllPurchases().count
        #expect(purchases == 3 + alices.purchases.count)
        // A file that was set aside has the same purchases.
        try FileManager.default.copyItem(atPath: files.path, toPath: files.path + ".damaged-20251009T085320000Z")

        let erased = try await database.erase(PurchaseSample.alice)
        #expect(erased.purchases == purchases && erased.events == events)
        #expect(erased.ledgerEntries == entries.count - bobsEntries.count)
        let left = try search.files(in: files.folder)
        #expect(left.isEmpty, "\(left)")
        #expect(try files.files().keys.allSatisfy { !$0.contains("damaged") })
        #expect(try await PurchaseRecords(database).getAllPurchases().isEmpty)
        #expect(try await PurchaseRecords(database).events(since: nil).isEmpty)

        // The rows of a database that Alice has never used.
        let bobsFiles = TestDatabase()
        _ = try await UserRows.fill(try bobsFiles.open(), for: PurchaseSample.bob, from: 9_200_000_000_000_000)
        let counts = try rowCounts(bobsFiles)
        for table in UserRows.tables { #expect(counts[table] ?? 0 > 0, "\(table)") }
        #expect(try rowCounts(files) == counts)
        #expect(bobsEntries.count == bobs.purchases.count + 1, "one is in quarantine")
        #expect(try await ledger.entries() == bobsEntries)
        #expect(try await ledger.renewalInfos() == [bobs.renewalText])
        let memory = try await ledger.memory()
        #expect(memory.pending.map(\.account) == [PurchaseSample.bob])
        #expect(memory.absences.allSatisfy { bobs.ids.contains($0.transactionID) } && memory.absences.count == 1)
        let records = PurchaseRecords(database, PurchaseSample.bob)
        #expect(try await records.getAllPurchases().count == bobs.purchases.count)
        for purchase in bobs.purchases { #expect(try await records.signedContent(of: purchase.id) == purchase.content) }
        #expect(try await records.events(since: nil) == bobsEvents)
        #expect(try await database.recover() == nil)
        #expect(try await database.erase(PurchaseSample.alice).purchases == 0)
    }

    @Test("A deleted purchase is in no file and not in the ledger, and its coins are not granted again [OTP-9.5]")
    func onePurchase() async throws {
        let database = try files.open()
        let ledger = DatabaseLedger(database)
        let purchases = PurchaseRecords(database)
        func deliver(_ id: String) async throws -> (VerifiedPurchase, RecordOutcome) {
            let jws = "jws-of-\(id)"
            var coins = try PurchaseSample.purchase(id, "coins") { $0.type = .consumable }
            coins = VerifiedPurchase(coins.transaction, .jws(jws))
            let delivery = SignedTransaction(jws: jws, transactionID: id, productID: "coins")
            _ = try await ledger.observe(delivery, from: .history, at: SimulatedApp.start)
            _ = try await ledger.markVerified(coins.transaction, signedText: jws)
            return (coins, try await ledger.record(coins.transaction, signedText: jws, for: PurchaseSample.alice))
        }
        for id in ["number-of-deleted", "number-of-kept"] {
            let coins = try await deliver(id).0
            let key = coins.transaction.purchaseKey
            let claim = try await ledger.claimFulfilment(of: key, from: SimulatedApp.start, until: SimulatedApp.start)
            try await ledger.markGranted(
                signedText: "jws-of-\(id)", .granted(productID: "coins", quantity: 1), under: try #require(claim))
            #expect(try await purchases.recordPurchase(coins) == .unchanged)
        }
        try FileManager.default.copyItem(atPath: files.path, toPath: files.path + ".damaged-20251009T085320000Z")
        let id = try #require(try await purchases.getPurchases(ofTransaction: "number-of-deleted").first?.id)
        try await purchases.deletePurchase(id)
        for (name, bytes) in try files.files() {
            #expect(bytes.range(of: Data("number-of-deleted".utf8)) == nil, "\(name)")
        }
        #expect(try files.files().keys.allSatisfy { !$0.contains("damaged") })
        #expect(!database.hasUnfinishedErasure)
        #expect(try await ledger.entries().map(\.transaction.transactionID) == ["number-of-kept"])
        let (coins, outcome) = try await deliver("number-of-deleted")
        #expect(outcome == .conflict(.belongsToAnotherAccount))
        #expect(try await purchases.recordPurchase(coins) == .conflict(.belongsToAnotherAccount))
        #expect(try await purchases.getAllPurchases().map(\.id.transactionID) == ["number-of-kept"])
    }

    @Test("The deletion of a purchase writes a few pages, however large the file is [OTP-9.5]")
    func writtenPages() async throws {
        let database = try files.open()
        let purchases = PurchaseRecords(database)
        /// Records purchases, and returns the number of pages, and of those that change with the deletion of one
        /// purchase.
        func deletePurchase(after numbers: Range<Int>) async throws -> (pages: Int, changed: Int) {
            for number in numbers {
                let id = "\(10_000_000 + number * 7_919 % 1_000_003)"
                let jws = "jws-of-\(id)-" + String(repeating: "a", count: 2_000)
                let sample = try PurchaseSample.purchase(id)
                _ = try await purchases.recordPurchase(VerifiedPurchase(sample.transaction, .jws(jws)))
            }
            // After a first deletion, the log is empty.
            try await purchases.deletePurchase(try #require(try await purchases.getAllPurchases().last).id)
            let before = try #require(try files.files()["purchases.sqlite"])
            let all = try await purchases.getAllPurchases()
            let deleted = all[all.count / 2].id
            try await purchases.deletePurchase(deleted)
            let after = try #require(try files.files()["purchases.sqlite"])
            for bytes in try files.files().values {
                #expect(bytes.range(of: Data(deleted.transactionID.utf8)) == nil)
            }
            let size = 4_096
            func page(_ number: Int, _ file: Data) -> Data { file.dropFirst(number * size).prefix(size) }
            let count = max(before.count, after.count) / size
            return (count, (0..<count).filter { page($0, before) != page($0, after) }.count)
        }
        let small = try await deletePurchase(after: 0..<40)
        let large = try await deletePurchase(after: 40..<200)
        #expect(large.pages > 3 * small.pages)
        #expect(small.changed < 40 && large.changed < 40, "\(small) \(large)")
    }

    @Test("A delivery that is not recorded and names the user is deleted with the user [OTP-9.4]")
    func unrecordedDelivery() async throws {
        let ledger = DatabaseLedger(try files.open())
        func jws(_ user: UUIDText) -> String {
            let payload = Data("{\"appAccountToken\":\"\(user.rawValue.uppercased())\"}".utf8).base64EncodedString()
            return "e30.\(payload.filter { $0 != "=" }).c2ln"
        }
        for user in [PurchaseSample.alice, PurchaseSample.bob] {
            let delivery = SignedTransaction(jws: jws(user), transactionID: user.rawValue, productID: "coins")
            _ = try await ledger.observe(delivery, from: .update, at: SimulatedApp.start)
        }
        #expect(try await ledger.database.erase(PurchaseSample.alice).ledgerEntries == 1)
        #expect(try await ledger.entries().map(\.transaction.transactionID) == [PurchaseSample.bob.rawValue])
    }

    @Test(
        "A delivery is deleted with the user that it names, whose id is no UUID, and not because of a similar text [OTP-9.4]"
    )
    func exactUser() async throws {
        let ledger = DatabaseLedger(try files.open())
        let (user, similar) = (UUIDText("aB3/x"), UUIDText("aB3/x4"))
        for name in [user, similar] {
            let data = "{\"purchaseTime\":43,\"obfuscatedAccountId\":\"\(name.rawValue.replacing("/", with: "\\/"))\"}"
            let delivery = SignedTransaction(
                play: SignedPlayPurchase(data: data, signature: "s"), purchaseToken: name.rawValue, productID: "coins")
            _ = try await ledger.observe(delivery, from: .update, at: SimulatedApp.start)
        }
        let unowned = try PurchaseSample.purchase("4", "coins")
        let delivery = SignedTransaction(jws: "jws-4", transactionID: "4", productID: "coins")
        _ = try await ledger.observe(delivery, from: .update, at: SimulatedApp.start)
        _ = try await ledger.markVerified(unowned.transaction, signedText: "jws-4")
        _ = try await ledger.record(unowned.transaction, signedText: "jws-4", for: nil)
        #expect(try await ledger.database.erase(user).ledgerEntries == 1)
        #expect(try await ledger.database.erase(UUIDText("4")).ledgerEntries == 0)
        #expect(try await ledger.entries().map(\.transaction.transactionID) == [similar.rawValue, "4"])
    }

    @Test("The events of a purchase that belonged to no account leave with the account that it passed to [OTP-9.5]")
    func adoptedPurchase() async throws {
        let database = try files.open()
        let unowned = PurchaseRecords(database, nil)
        #expect(try await unowned.recordPurchase(PurchaseSample.purchase("1")) == .inserted)
        #expect(try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("1")) == .merged)
        _ = try await unowned.recordPurchase(PurchaseSample.purchase("2"))
        #expect(try await database.erase(PurchaseSample.alice).purchases == 1)
        #expect(try await unowned.events(since: nil).map { $0.purchase?.id.transactionID } == ["2", "2"])
    }

    @Test("A deletion that leaves a file with purchases says so [OTP-9.4]")
    func fileIsLeft() async throws {
        let database = try files.open()
        // A folder cannot be deleted as a file.
        let left = files.path + ".damaged-20251009T085320000Z"
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
        await #expect(throws: DatabaseError(.readOnly, "")) { try await database.erase(PurchaseSample.alice) }
        try FileManager.default.removeItem(atPath: left)
        try await database.erase(PurchaseSample.alice)
    }

    @Test("What a killed deletion has left in the files is deleted by the next call or launch [OTP-9.4]")
    func killedDeletion() async throws {
        let database = try files.open()
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("1"))
        #expect(try await !database.finishErasure(), "nothing was deleted")
        var reader: SQLiteConnection? = try SQLiteConnection(path: files.path, busyTimeout: 60_000)
        try reader?.execute("BEGIN")
        try reader?.execute("SELECT count(*) FROM purchases")
        let impatient = try files.open(busyTimeout: 0)
        await #expect(throws: DatabaseError(.busy, "")) { try await impatient.erase(PurchaseSample.alice) }
        #expect(database.hasUnfinishedErasure)
        reader = nil
        #expect(try await database.finishErasure())
        #expect(!database.hasUnfinishedErasure)
        let secret = Data(PurchaseSample.alice.rawValue.utf8)
        #expect(try files.files().values.allSatisfy { $0.range(of: secret) == nil })
        #expect(try await !database.finishErasure())
    }

    @Test("A deletion that another one follows before it has ended does not end the other one's")
    func overlappingDeletions() throws {
        let file = try DatabaseFile(files.path, lockTimeout: 5_000)
        try file.noteErasure([1])
        try file.noteErasure([2])
        try file.removeErasureNote([1])
        #expect(file.isErasing)
        try file.removeErasureNote([2])
        #expect(!file.isErasing)
    }

    @Test(
        "A deletion is finished although another program has changed the mode of its note or put a link there [OTP-9.5]"
    )
    func untrustedNote() async throws {
        let database = try files.open()
        let note = files.path + "-erasing"
        for isLink in [false, true] {
            if isLink {
                try FileManager.default.createSymbolicLink(atPath: note, withDestinationPath: files.path)
            } else {
                try Data([1]).write(to: URL(fileURLWithPath: note))
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: note)
            }
            #expect(try await database.finishErasure())
            #expect(!database.hasUnfinishedErasure)
        }
        #expect(try await database.recover() == nil, "the file that the link named is not changed")
    }

    @Test("A deletion whose note cannot be removed does not count as finished")
    func noteStays() throws {
        let note = files.path + "-erasing"
        // Nothing else makes the removal fail for every user of a system.
        let file = try DatabaseFile(files.path, lockTimeout: 5_000) {
            guard (try? Data(contentsOf: URL(fileURLWithPath: note))) != nil else { return }
            try? FileManager.default.removeItem(atPath: note)
            try? FileManager.default.createDirectory(atPath: note, withIntermediateDirectories: false)
        }
        try file.noteErasure([1])
        #expect(throws: DatabaseError(.readOnly, "")) { try file.removeErasureNote([1]) }
    }

    @Test("A user of whom the database has only a trace is known, and another one changes nothing")
    func knownUsers() async throws {
        let ledger = DatabaseLedger(try files.open())
        _ = try await ledger.updateMemory { memory in
            memory.pending.append(
                PendingPurchase(productID: "coins", since: SimulatedApp.start, account: PurchaseSample.alice))
        }
        let aside = files.path + ".damaged-20251009T085320000Z"
        try Data().write(to: URL(fileURLWithPath: aside))
        #expect(try await ledger.database.eraseKnown(PurchaseSample.bob) == nil)
        #expect(FileManager.default.fileExists(atPath: aside))
        #expect(try await ledger.database.eraseKnown(PurchaseSample.alice) != nil)
        #expect(!FileManager.default.fileExists(atPath: aside))
        #expect(try await ledger.database.eraseKnown(PurchaseSample.alice) == nil)
    }

    @Test("A non-consumable of a deleted user is granted to the account that restores it [OTP-9.4]")
    func restoredNonConsumable() async throws {
        let bought = try PurchaseSample.purchase("1", "pro.lifetime")
        let ledger = DatabaseLedger(try files.open())
        let delivery = SignedTransaction(jws: "jws-1", transactionID: "1", productID: "pro.lifetime")
        let key = bought.transaction.purchaseKey
        for user in [PurchaseSample.alice, PurchaseSample.bob] {
            _ = try await ledger.observe(delivery, from: .history, at: SimulatedApp.start)
            _ = try await ledger.markVerified(bought.transaction, signedText: "jws-1")
            #expect(try await ledger.record(bought.transaction, signedText: "jws-1", for: user) == .inserted)
            #expect(try await ledger.fulfilment(of: key) == nil, "the account needs an order of its own")
            let claim = try await ledger.claimFulfilment(of: key, from: SimulatedApp.start, until: SimulatedApp.start)
            try await ledger.markGranted(
                signedText: "jws-1", .granted(productID: "pro.lifetime", quantity: 1), under: try #require(claim))
            try await ledger.database.erase(user)
        }
    }

    @Test(
        "A consumable that was granted is not granted again after its user was deleted, also after a recovery [OTP-9.4]"
    )
    func tombstone() async throws {
        let database = try files.open()
        let coins = try await database.grantCoins()
        try await database.erase(PurchaseSample.alice)
        for _ in 0..<2 {
            #expect(try await database.deliver(coins) == .conflict(.belongsToAnotherAccount))
            let granted = FulfilledAmount.granted(productID: "coins", quantity: 1)
            #expect(try await DatabaseLedger(database).fulfilment(of: coins.transaction.purchaseKey) == granted)
            #expect(try await PurchaseRecords(database).recordPurchase(coins) == .conflict(.belongsToAnotherAccount))
            try files.execute("UPDATE deliveries SET source = 'update'")
            #expect(try await database.recover() != nil)
        }
    }

    @Test(
        "A consumable that was granted is not granted again after a deletion that could not read its rows [OTP-9.4]",
        arguments: [
            "UPDATE fulfilments SET quantity = 2", "DELETE FROM fulfilments", "UPDATE purchases SET product_type = 'x'",
            "UPDATE deliveries SET stage = 2",
        ])
    func changedRows(_ sql: String) async throws {
        let database = try files.open()
        let coins = try await database.grantCoins()
        try files.execute(sql)
        try await database.erase(PurchaseSample.alice)
        #expect(try await database.deliver(coins) == .conflict(.belongsToAnotherAccount))
        #expect(try await DatabaseLedger(database).fulfilment(of: coins.transaction.purchaseKey) != nil)
        #expect(try await PurchaseRecords(database).recordPurchase(coins) == .conflict(.belongsToAnotherAccount))
    }

    @Test("A consumable that was paid for and not granted is recorded again after its user was deleted [OTP-9.4]")
    func notGranted() async throws {
        var coins = try PurchaseSample.purchase("1", "coins") { $0.type = .consumable }
        coins = VerifiedPurchase(coins.transaction, .jws("jws-1"))
        let ledger = DatabaseLedger(try files.open())
        let delivery = SignedTransaction(jws: "jws-1", transactionID: "1", productID: "coins")
        for _ in 0..<2 {
            _ = try await ledger.observe(delivery, from: .unfinished, at: SimulatedApp.start)
            _ = try await ledger.markVerified(coins.transaction, signedText: "jws-1")
            #expect(
                try await ledger.record(coins.transaction, signedText: "jws-1", for: PurchaseSample.alice) == .inserted
            )
            let erased = try await ledger.database.erase(PurchaseSample.alice)
            #expect(erased.ledgerEntries == 1)
            #expect(erased.purchases == 1)
        }
    }

    @Test("What a recovery could copy without its row is deleted or names no transaction [OTP-9.4]")
    func rowsWithoutEntry() async throws {
        let (id, jws) = ("number-of-alice", "jws-of-alice")
        let coins = try PurchaseSample.purchase(id, "coins") { $0.type = .consumable }
        let database = try files.open()
        let ledger = DatabaseLedger(database)
        let key = coins.transaction.purchaseKey
        let (start, end) = (PurchaseSample.start, PurchaseSample.at(60))
        let amount = FulfilledAmount.granted(productID: "coins", quantity: 1)
        let delivery = SignedTransaction(jws: jws, transactionID: id, productID: "coins")
        _ = try await ledger.observe(delivery, from: .history, at: start)
        _ = try await ledger.markVerified(coins.transaction, signedText: jws)
        _ = try await ledger.record(coins.transaction, signedText: jws, for: PurchaseSample.alice)
        var claim = try await ledger.claimFulfilment(of: key, from: start, until: end)
        try await ledger.markGranted(signedText: jws, amount, under: try #require(claim))
        claim = try await ledger.claimFulfilment(of: key, from: start, until: end)
        for (original, info) in [(id, "renewal-of-alice"), ("of-bob", "renewal-of-bob")] {
            var payload = JWSRenewalInfoDecodedPayload()
            payload.originalTransactionId = original
            payload.signedDate = start
            try await ledger.record(#require(RenewalInfo(payload)), jws: info)
        }
        // A renewal of Bob's subscription, which names its first transaction.
        let bobsPayload = Data("{\"originalTransactionId\":\"of-bob\"}".utf8).base64EncodedString()
        let bobsJWS = "e30.\(bobsPayload.filter { $0 != "=" }).c2ln"
        let renewal = SignedTransaction(jws: bobsJWS, transactionID: "of-bob-2", productID: "pro.yearly")
        _ = try await ledger.observe(renewal, from: .update, at: start)
        let bobs = try PurchaseSample.purchase("of-bob")
        _ = try await PurchaseRecords(database, PurchaseSample.bob).recordPurchase(bobs)

        try files.execute("UPDATE deliveries SET source = 'purchase' WHERE product_id = 'coins'")
        try files.execute("UPDATE purchases SET product_id = 'x' WHERE product_id = 'coins'")
        let recovery = try #require(try await database.recover(clock: { PurchaseSample.start }))
        #expect(recovery.rejectedRows == 2)
        #expect(recovery.salvagedRows["signed_texts"] == 4)
        try await database.erase(PurchaseSample.alice)
        #expect(try files.integer("SELECT count(*) FROM signed_texts") == 3)
        #expect(try await ledger.renewalInfos() == ["renewal-of-bob"])
        for (name, bytes) in try files.files() { #expect(bytes.range(of: Data(id.utf8)) == nil, "\(name)") }
        #expect(try await ledger.fulfilment(of: key) == amount, "the coins are not granted again")
        #expect(try await ledger.renew(try #require(claim), from: start, until: end) != nil, "the claim is in force")
        #expect(
            try await PurchaseRecords(database, PurchaseSample.bob).signedContent(of: bobs.id) == bobs.content)
    }

    @Test("While another process reads, the rows are deleted and the error says so; the next call empties the files")
    func busy() async throws {
        let database = try files.open(busyTimeout: 1)
        _ = try await PurchaseRecords(database).recordPurchase(PurchaseSample.purchase("number-of-alice"))
        let reader = try SQLiteConnection(path: files.path, busyTimeout: 1)
        try reader.execute("BEGIN")
        _ = try reader.first("SELECT count(*) FROM purchases") { (row) throws(DatabaseError) in try row.integer(0) }
        await #expect(throws: DatabaseError(.busy, "")) { try await database.erase(PurchaseSample.alice) }
        try reader.execute("COMMIT")
        #expect(try await database.erase(PurchaseSample.alice).purchases == 0)
        for bytes in try files.files().values { #expect(bytes.range(of: Data("number-of-alice".utf8)) == nil) }
    }
}
