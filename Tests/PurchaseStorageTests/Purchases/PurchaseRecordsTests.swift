import Foundation
import LocalStore
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import SQLite
import Testing

@testable import PurchaseStorage

@Suite("Purchases of a user in a database")
struct PurchaseRecordsTests {
    private let files = TestDatabase()

    private func sample(_ id: String = "1") throws -> VerifiedPurchase { try PurchaseSample.purchase(id) }

    // MARK: The seven operations

    @Test("A recorded purchase is there after a restart with every fact [OTP-3.1] [OTP-1.2]")
    func recordPurchase() async throws {
        let verified = try PurchaseSample.purchase { $0.quantity = 2 }
        #expect(try await PurchaseRecords(files.open()).recordPurchase(verified) == .inserted)
        let purchases = PurchaseRecords(try files.open())
        let purchase = try #require(try await purchases.getPurchase(verified.id))
        #expect(purchase == verified.purchase(of: PurchaseSample.alice))
        #expect(purchase.id == .init(transactionID: "1", origin: .appStore, environment: .production))
        #expect(purchase.user == PurchaseSample.alice)
        #expect(purchase.productID == "pro.lifetime")
        #expect(purchase.purchasedAt == PurchaseSample.start)
        #expect(purchase.quantity == 2)
        #expect(purchase.price == Milliunits(49_990))
        #expect(purchase.currency == "USD")
        #expect(purchase.verification == .verified(key: "key-1"))
        #expect(!purchase.isSynced && purchase.syncedAt == nil)
        #expect(purchase.unlockedFeatures == ["pro"])
        #expect(try await purchases.getAllPurchases() == [purchase])
        #expect(try await purchases.signedContent(of: verified.id) == verified.content)
    }

    @Test("Purchases of both stores are recorded, free ones and those without a signed price [OTP-3.1]")
    func bothStores() async throws {
        let purchases = PurchaseRecords(try files.open())
        let free = try PurchaseSample.purchase { $0.price = Milliunits(0) }
        let play = try PurchaseSample.playPurchase()
        for purchase in [free, play] { #expect(try await purchases.recordPurchase(purchase) == .inserted) }
        #expect(try await purchases.getPurchase(free.id)?.price == Milliunits(0))
        let stored = try #require(try await purchases.getPurchase(play.id))
        #expect(stored.id == .init(transactionID: "token", origin: .googlePlay, environment: nil))
        #expect(stored.price == nil && stored.currency == nil)
        #expect(try await purchases.signedContent(of: play.id) == play.content)
        #expect(try await purchases.getPurchasesByFeature("pro").count == 2)
    }

    @Test("All purchases are returned with the latest first, and those of a feature only if they unlock it [OTP-3.1]")
    func queries() async throws {
        let catalog = try PurchaseSample.makeCatalog([
            "pro": ["pro.lifetime", "other"], "templates": ["pro.lifetime", "templates.pack"],
        ])
        let purchases = PurchaseRecords(try files.open(), catalog: catalog)
        let early = try PurchaseSample.purchase("1") { $0.purchaseDate = PurchaseSample.at(-60) }
        let late = try PurchaseSample.purchase("2", "templates.pack")
        let refunded = try PurchaseSample.purchase("3", "other") {
            $0.purchaseDate = PurchaseSample.at(-120)
            $0.revocationDate = PurchaseSample.at(-1)
        }
        for purchase in [late, refunded, early] { _ = try await purchases.recordPurchase(purchase) }
        #expect(try await purchases.getAllPurchases().map(\.id) == [late.id, early.id, refunded.id])
        #expect(try await purchases.getPurchasesByFeature("pro").map(\.id) == [early.id])
        #expect(try await purchases.getPurchasesByFeature("templates").map(\.id) == [late.id, early.id])
        #expect(try await purchases.getPurchasesByFeature("template").isEmpty)
        #expect(try await purchases.getPurchase(refunded.id)?.revocationDate == PurchaseSample.at(-1))
    }

    @Test("An unsynchronized purchase unlocks its feature, and the synchronization keeps its date [OTP-3.2]")
    func updateSyncStatus() async throws {
        let purchases = PurchaseRecords(try files.open())
        let id = try sample().id
        _ = try await purchases.recordPurchase(sample())
        #expect(try await purchases.getPurchasesByFeature("pro").map(\.isSynced) == [false])
        try await purchases.updateSyncStatus(of: id, .synced(at: PurchaseSample.at(5)))
        let purchase = try await PurchaseRecords(files.open()).getPurchase(id)
        #expect(purchase?.isSynced == true)
        #expect(purchase?.syncedAt == PurchaseSample.at(5))
        // A redelivery of the store does not undo what the server has acknowledged.
        _ = try await purchases.recordPurchase(PurchaseSample.purchase(signed: 10))
        #expect(try await purchases.getPurchase(id)?.syncedAt == PurchaseSample.at(5))
        try await purchases.updateSyncStatus(of: id, .unsynced)
        #expect(try await purchases.getPurchase(id)?.syncedAt == nil)
    }

    @Test("A refund of some items is kept with the number that is left, and is no revocation [OTP-1.2]")
    func partialRefund() async throws {
        let purchases = PurchaseRecords(try files.open())
        let bought = try PurchaseSample.purchase("1", "coins") { ($0.type, $0.quantity) = (.consumable, 5) }
        let refunded = try PurchaseSample.purchase("1", "coins", signed: 10) {
            ($0.type, $0.quantity) = (.consumable, 5)
            ($0.revocationDate, $0.revocationPercentage) = (PurchaseSample.at(5), 40_000)
        }
        for version in [bought, refunded] { _ = try await purchases.recordPurchase(version) }
        let purchase = try #require(await PurchaseRecords(files.open()).getPurchase(bought.id))
        #expect(purchase.quantity == 5 && purchase.remainingQuantity == 3 && purchase.refundedShare == 40_000)
        #expect(!purchase.isRevoked)
        #expect(purchase.revocationDate == PurchaseSample.at(5))
    }

    @Test("A purchase whose later verification has failed unlocks nothing until it is verified again [OTP-7.5]")
    func updateVerificationStatus() async throws {
        let purchases = PurchaseRecords(try files.open())
        let id = try sample().id
        _ = try await purchases.recordPurchase(sample())
        try await purchases.updateVerificationStatus(of: id, .unverified(.signatureInvalid))
        let purchase = try await PurchaseRecords(files.open()).getPurchase(id)
        #expect(purchase?.verification == .unverified(.signatureInvalid))
        #expect(purchase?.unlockedFeatures == [])
        #expect(try await purchases.getPurchasesByFeature("pro").isEmpty)
        try await purchases.updateVerificationStatus(of: id, .verified(key: "key-2"))
        #expect(try await purchases.getPurchasesByFeature("pro").map(\.verification) == [.verified(key: "key-2")])
    }

    @Test("A deleted purchase leaves neither its row nor its events and its content [OTP-3.1]")
    func deletePurchase() async throws {
        let purchases = PurchaseRecords(try files.open())
        let id = try sample().id
        for number in 1...2 { _ = try await purchases.recordPurchase(sample("\(number)")) }
        try await purchases.deletePurchase(id)
        #expect(try await purchases.getPurchase(id) == nil)
        #expect(try await purchases.signedContent(of: id) == nil)
        #expect(try await purchases.getAllPurchases().map(\.id.transactionID) == ["2"])
        let events = try await purchases.events(since: nil)
        #expect(events.map(\.kind) == [.completed, .verified, .deleted])
        #expect(events.map { $0.purchase?.id.transactionID } == ["2", "2", nil])
        #expect(try files.integer("SELECT count(*) FROM signed_texts") == 1)
        try await purchases.deletePurchase(id)
        #expect(try await purchases.events(since: nil) == events)
    }

    @Test("After the deletion of a purchase, no file contains its transaction id [OTP-9.1]")
    func deletionLeavesNoBytes() async throws {
        let verified = try sample("transaction-of-alice")
        func delete() async throws {
            let purchases = PurchaseRecords(try files.open())
            _ = try await purchases.recordPurchase(verified)
            try await purchases.deletePurchase(verified.id)
        }
        try await delete()
        // Closing the last connection moves the write-ahead log into the database.
        for (name, bytes) in try files.files() {
            #expect(bytes.range(of: Data("transaction-of-alice".utf8)) == nil, "\(name)")
        }
    }

    @Test("An update of a purchase that the user does not have is an error [OTP-3.1]")
    func notFound() async throws {
        let purchases = PurchaseRecords(try files.open())
        let id = try sample().id
        await #expect(throws: DatabaseError(.notFound, "")) { try await purchases.updateSyncStatus(of: id, .unsynced) }
        await #expect(throws: DatabaseError(.notFound, "")) {
            try await purchases.updateVerificationStatus(of: id, .verified(key: nil))
        }
    }

    @Test("A purchase of the simulator is recorded, and its stored content verifies again after a restart [OTP-3.1]")
    func verifiesAgain() async throws {
        let simulator = try SimulatedApp.simulator()
        let answer = try await simulator.customer("customer").purchase("pro.lifetime", options: PurchaseOptions())
        guard case .success(let signed) = answer else {
            Issue.record("the purchase has failed: \(answer)")
            return
        }
        let policy = VerificationPolicy(
            apps: [.init(bundleID: simulator.state.app.bundleID)], environments: [simulator.state.app.environment])
        let clock: @Sendable () -> Timestamp = { simulator.state.now }
        let verifier = ReceiptVerifier(policy: policy, trustAnchors: simulator.signer.trustAnchors, clock: clock)
        func transaction(_ jws: String) throws -> Transaction {
            guard case .verified(let payload) = verifier.verifyTransaction(jws) else { throw PurchaseSample.Missing() }
            return try PurchaseSample.require(Transaction(payload))
        }
        let verified = VerifiedPurchase(try transaction(signed.signedText), signed.content)
        #expect(try await PurchaseRecords(files.open()).recordPurchase(verified) == .inserted)
        let purchases = PurchaseRecords(try files.open())
        let purchase = try #require(try await purchases.getPurchasesByFeature("pro").first)
        #expect(purchase.price == Milliunits(49_990))
        let content = try await purchases.signedContent(of: purchase.id)
        guard case .jws(let stored)? = content else {
            Issue.record("the content is missing: \(String(describing: content))")
            return
        }
        #expect(try transaction(stored) == verified.transaction)
    }

    // MARK: Duplicates and versions

    @Test("A purchase that is delivered again is unchanged, and has each event once [OTP-10.1]")
    func duplicates() async throws {
        let databases = [try files.open(), try files.open()]
        let outcomes = try await withThrowingTaskGroup(of: RecordOutcome.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await PurchaseRecords(databases[number % 2]).recordPurchase(PurchaseSample.purchase())
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .inserted } == 1)
        #expect(outcomes.count { $0 == .unchanged } == 39)
        let events = try await PurchaseRecords(databases[0]).events(since: nil)
        #expect(events.map(\.kind) == [.completed, .verified])
    }

    @Test("A new signature of the same facts is unchanged and replaces the content; an older one does not [OTP-3.1]")
    func newSignature() async throws {
        let purchases = PurchaseRecords(try files.open())
        let versions = [try PurchaseSample.purchase(signed: 10), try PurchaseSample.purchase(signed: 20), try sample()]
        #expect(try await purchases.recordPurchase(versions[0]) == .inserted)
        for version in versions.dropFirst() { #expect(try await purchases.recordPurchase(version) == .unchanged) }
        #expect(try await purchases.signedContent(of: versions[0].id) == versions[1].content)
        #expect(try files.integer("SELECT count(*) FROM signed_texts") == 1)
    }

    @Test("A refund is merged, locks the feature, and is not undone by an older version [OTP-3.1]")
    func refund() async throws {
        let purchases = PurchaseRecords(try files.open())
        let refund = try PurchaseSample.purchase(signed: 20) { $0.revocationDate = PurchaseSample.at(15) }
        #expect(try await purchases.recordPurchase(sample()) == .inserted)
        #expect(try await purchases.recordPurchase(refund) == .merged)
        #expect(try await purchases.recordPurchase(PurchaseSample.purchase(signed: 10)) == .unchanged)
        #expect(try await purchases.getPurchase(refund.id)?.revocationDate == PurchaseSample.at(15))
        #expect(try await purchases.getPurchasesByFeature("pro").isEmpty)
        #expect(try await purchases.recordPurchase(PurchaseSample.purchase(signed: 30)) == .merged)
        #expect(try await purchases.getPurchasesByFeature("pro").count == 1)
        let kinds = try await purchases.events(since: nil).map(\.kind)
        #expect(kinds == [.completed, .verified, .revoked, .reinstated])
    }

    @Test("A cancelled Play purchase is revoked, in any order of its versions [OTP-3.1]", arguments: [false, true])
    func cancelledPlayPurchase(isReversed: Bool) async throws {
        let purchases = PurchaseRecords(try files.open())
        let versions = [try PurchaseSample.playPurchase(), try PurchaseSample.playPurchase(state: .cancelled)]
        for version in isReversed ? versions.reversed() : versions {
            _ = try await purchases.recordPurchase(version)
        }
        #expect(try await purchases.getPurchase(versions[0].id)?.isRevoked == true)
        #expect(try await purchases.signedContent(of: versions[0].id) == versions[1].content)
    }

    @Test("The features of the newest catalog replace the earlier ones [OTP-3.1]")
    func newCatalog() async throws {
        let database = try files.open()
        _ = try await PurchaseRecords(database).recordPurchase(sample())
        let catalog = try PurchaseSample.makeCatalog(["templates": ["pro.lifetime"], "sync": ["pro.lifetime"]])
        let purchases = PurchaseRecords(database, catalog: catalog)
        #expect(try await purchases.getPurchasesByFeature("pro").isEmpty)
        for feature in ["templates", "sync"] {
            #expect(try await purchases.getPurchasesByFeature(feature).count == 1)
        }
    }

    @Test("The transaction id of one product is a conflict for another product [OTP-3.1]")
    func differentProduct() async throws {
        let purchases = PurchaseRecords(try files.open())
        _ = try await purchases.recordPurchase(sample())
        let outcome = try await purchases.recordPurchase(PurchaseSample.purchase("1", "other", signed: 5))
        #expect(outcome == .conflict(.differentPurchase))
        #expect(try await purchases.getAllPurchases().map(\.productID) == ["pro.lifetime"])
    }

    @Test("One transaction id in two stores or two environments is two purchases [OTP-3.1]")
    func environments() async throws {
        let purchases = PurchaseRecords(try files.open())
        let versions = [
            try sample(), try PurchaseSample.purchase { $0.environment = .sandbox },
            try PurchaseSample.playPurchase("1"),
        ]
        for version in versions { #expect(try await purchases.recordPurchase(version) == .inserted) }
        for version in versions { #expect(try await purchases.getPurchase(version.id)?.id == version.id) }
    }

    // MARK: Users

    @Test("No call returns or changes a purchase of another user [OTP-9.4]")
    func users() async throws {
        let database = try files.open()
        let verified = try sample()
        let alice = PurchaseRecords(database)
        _ = try await alice.recordPurchase(verified)
        let expected = try await alice.getPurchase(verified.id)
        for other in [PurchaseRecords(database, PurchaseSample.bob), PurchaseRecords(database, nil)] {
            #expect(try await other.getPurchase(verified.id) == nil)
            #expect(try await other.getAllPurchases().isEmpty)
            #expect(try await other.getUnsyncedPurchases().isEmpty)
            #expect(try await other.getPurchasesByFeature("pro").isEmpty)
            #expect(try await other.signedContent(of: verified.id) == nil)
            #expect(try await other.events(since: nil).isEmpty)
            #expect(try await other.recordPurchase(verified) == .conflict(.belongsToAnotherAccount))
            try await other.deletePurchase(verified.id)
            await #expect(throws: DatabaseError(.notFound, "")) {
                try await other.updateVerificationStatus(of: verified.id, .unverified(nil))
            }
            var updates = other.purchaseUpdates().makeAsyncIterator()
            #expect(try await updates.next() == [])
        }
        #expect(try await alice.getPurchase(verified.id) == expected)
        #expect(try await alice.events(since: nil).count == 2)
    }

    @Test("A purchase that was signed for another account is a conflict [OTP-9.4]")
    func signedForAnother() async throws {
        let purchases = PurchaseRecords(try files.open())
        let outcome = try await purchases.recordPurchase(
            PurchaseSample.purchase { $0.appAccountToken = PurchaseSample.bob })
        #expect(outcome == .conflict(.belongsToAnotherAccount))
        #expect(try await purchases.getAllPurchases().isEmpty)
    }

    @Test("A purchase that belongs to no account passes to the first account that records it [OTP-9.4]")
    func adoption() async throws {
        let database = try files.open()
        let unowned = PurchaseRecords(database, nil)
        let alice = PurchaseRecords(database)
        #expect(try await unowned.recordPurchase(sample()) == .inserted)
        #expect(try await alice.recordPurchase(sample()) == .merged)
        #expect(try await unowned.getAllPurchases().isEmpty)
        #expect(try await alice.getPurchasesByFeature("pro").count == 1)
        let outcome = try await PurchaseRecords(database, PurchaseSample.bob).recordPurchase(sample())
        #expect(outcome == .conflict(.belongsToAnotherAccount))
    }

    @Test("An account is the same in upper case, and no file contains it in any form [OTP-9.4]")
    func accountIsNotReadable() async throws {
        let upper = UUIDText(PurchaseSample.alice.rawValue.uppercased())
        let database = try files.open()
        let token = try PurchaseSample.purchase { $0.appAccountToken = PurchaseSample.alice }
        #expect(try await PurchaseRecords(database, upper).recordPurchase(token) == .inserted)
        #expect(try await PurchaseRecords(database).getAllPurchases().count == 1)
        for (name, bytes) in try files.files() {
            for text in [PurchaseSample.alice.rawValue, upper.rawValue] {
                #expect(bytes.range(of: Data(text.utf8)) == nil, "\(name)")
            }
        }
    }

    @Test("The digest of a user is HMAC-SHA256 under the database's key")
    func userDigest() throws {
        // hmac.new(bytes([7]) * 32, b"\x02" + (2).to_bytes(8) + b"id", hashlib.sha256) of Python
        let key = try #require(DatabaseKey(TestDatabase.key))
        let digest = try key.digest(of: SealedFields(of: "id", []))
        #expect(
            SHA256Digest(bytes: digest)?.description
                == "f70f9b3f74e61dbc54d24e955fff38a57a0ab62b35b962b42ae79a7a935200d1")
        #expect(try key.digest(of: SealedFields(of: "id", [.null])) != digest)
    }

    // MARK: Events

    @Test("Each change appends its event with the purchase after it, and a reader continues after the last [OTP-10.1]")
    func events() async throws {
        let purchases = PurchaseRecords(try files.open())
        let verified = try sample()
        _ = try await purchases.recordPurchase(verified)
        try await purchases.updateSyncStatus(of: verified.id, .synced(at: PurchaseSample.at(1)))
        try await purchases.updateSyncStatus(of: verified.id, .synced(at: PurchaseSample.at(1)))
        let first = try await purchases.events(since: nil)
        #expect(first.map(\.kind) == [.completed, .verified, .synced])
        #expect(first.map { $0.purchase?.isSynced } == [false, false, true])
        #expect(first.allSatisfy { $0.purchase?.productID == "pro.lifetime" && $0.occurredAt == PurchaseSample.start })
        try await purchases.updateVerificationStatus(of: verified.id, .unverified(nil))
        try await purchases.updateVerificationStatus(of: verified.id, .verified(key: nil))
        try await purchases.updateSyncStatus(of: verified.id, .unsynced)
        let later = try await PurchaseRecords(files.open()).events(since: first.last?.id)
        #expect(later.map(\.kind) == [.invalidated, .verified, .unsynced])
        let ids = (first + later).map(\.id)
        #expect(ids == ids.sorted() && Set(ids).count == ids.count)
    }

    @Test("The oldest events beyond the limit are deleted, and no id is used again [OTP-10.1]")
    func eventLimit() async throws {
        let purchases = PurchaseRecords(try files.open(eventLimit: 3))
        var seen: [PurchaseEvent.ID] = []
        for number in 0..<5 {
            _ = try await purchases.recordPurchase(sample("\(number)"))
            let events = try await purchases.events(since: seen.last)
            #expect(events.map { $0.purchase?.id.transactionID } == ["\(number)", "\(number)"])
            seen += events.map(\.id)
        }
        #expect(try await purchases.events(since: nil).map(\.id) == seen.suffix(3))
        try files.execute("DELETE FROM purchase_events")
        _ = try await PurchaseRecords(files.open()).recordPurchase(sample("5"))
        #expect(try await purchases.events(since: nil).allSatisfy { $0.id > seen.last ?? .max })
    }

    @Test("Of many events, at most the limit and at least 99 % of it are kept [OTP-10.1]")
    func largeEventLimit() async throws {
        let purchases = PurchaseRecords(try files.open(eventLimit: 300))
        for number in 0..<200 {
            _ = try await purchases.recordPurchase(sample("\(number)"))
            let events = try await purchases.events(since: nil)
            let recorded = 2 * (number + 1)
            #expect(events.count == recorded && recorded <= 300 || (297...300).contains(events.count) && recorded > 300)
            #expect(events.last?.purchase?.id.transactionID == "\(number)")
            let ids = events.map(\.id)
            #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 + 1 == $1 })
        }
    }
}
