import ReceiptTypes
import Testing

@testable import PurchaseCore

@Suite("Purchase")
struct PurchaseTests {
    private static let key = "key"

    private func transaction(
        _ productID: String = "pro.lifetime", signed: Int64 = 0,
        change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) throws -> Transaction {
        try Sample.transaction("1", productID, signed: Sample.at(signed), change: change)
    }

    /// Returns a purchase as it is read with a catalog in which a product unlocks a feature.
    private func purchase(_ transaction: Transaction, unlocking feature: FeatureID = "pro") throws -> Purchase {
        let features = [
            FeatureDefinition(id: feature, name: "Pro", level: .premium, productIDs: [transaction.productID])
        ]
        let catalog = TemplatePriceCatalog(version: 1, proProductIDs: [], features: try FeatureCatalog(features))
        return catalog.withFeatures(Purchase(transaction, user: nil, verificationKey: Self.key))
    }

    /// Records versions, each under a text of its own, and returns the purchases.
    private func recorded(_ versions: [Transaction]) async throws -> PurchaseRecords {
        let records = PurchaseRecords(
            InMemoryLedger(), user: .noAccounts, catalog: nil, environment: PurchaseEnvironment(clock: { Sample.at(0) })
        )
        for (number, version) in versions.enumerated() {
            let text = "\(number) \(version.facts) \(version.signedDate)"
            _ = try await records.recordPurchase(VerifiedPurchase(version, .jws(text), verificationKey: Self.key))
        }
        return records
    }

    @Test("Only a verified purchase that is not revoked unlocks its features [OTP-1.2]")
    func unlockedFeatures() throws {
        var purchase = try purchase(try transaction())
        #expect(purchase.isVerified && purchase.unlockedFeatures == ["pro"] && purchase.unlocks("pro"))
        purchase.verification = .unverified(.signatureInvalid)
        #expect(!purchase.isVerified && purchase.unlockedFeatures.isEmpty && !purchase.unlocks("pro"))
        let revoked = try self.purchase(try transaction { $0.revocationDate = Sample.at(1) })
        #expect(revoked.isRevoked && revoked.isVerified && revoked.unlockedFeatures.isEmpty)
    }

    @Test(
        "A subscription and a consumable unlock no feature for an unlimited time [OTP-1.2]",
        arguments: ["pro.yearly", "pro.season", "coins"])
    func otherTypes(productID: String) throws {
        #expect(try purchase(try transaction(productID)).unlockedFeatures.isEmpty)
    }

    @Test("A synchronized purchase has a date, and one without a date is not synchronized [OTP-3.2]")
    func synchronization() throws {
        var purchase = try purchase(try transaction())
        #expect(!purchase.isSynced && purchase.syncedAt == nil)
        #expect(purchase.unlocks("pro"))
        purchase.synchronization = .synced(at: Sample.at(5))
        #expect(purchase.isSynced && purchase.syncedAt == Sample.at(5))
    }

    @Test("A feature and a transaction id are compared byte by byte")
    func bytes() throws {
        let purchase = try purchase(try transaction(), unlocking: "caf\u{e9}")
        #expect(purchase.unlocks("caf\u{e9}"))
        #expect(!purchase.unlocks("cafe\u{301}"))
        let ids = ["\u{e9}", "e\u{301}"].map { Purchase.ID(transactionID: $0, origin: .appStore, environment: nil) }
        #expect(ids[0] != ids[1])
        #expect(Purchase.ID(transactionID: "1", origin: .appStore, environment: .init(rawValue: "")).environment == nil)
    }

    @Test("The versions of a purchase give the same state in any order [OTP-3.1]")
    func anyOrder() async throws {
        let versions = [
            try transaction(), try transaction(signed: 10) { $0.revocationDate = Sample.at(5) },
            try transaction(signed: 20), try transaction(signed: 20) { $0.revocationDate = Sample.at(15) },
            try transaction(signed: 20) { $0.revocationDate = Sample.at(16) },
            try transaction(signed: 20) { $0.quantity = 2 },
        ]
        func merge(_ versions: [Transaction]) async throws -> Purchase? {
            try await recorded(versions).getAllPurchases().first
        }
        let expected = try await merge(versions)
        #expect(expected?.revocationDate == Sample.at(15))
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let order = versions.shuffled(using: &random)
            #expect(try await merge(order + [order[0]]) == expected)
        }
    }

    @Test("A Play subscription has another product after a planned change; any other purchase with one is a conflict")
    func planChange() async throws {
        func outcome(isPlay: Bool) async throws -> RecordOutcome {
            func version(_ productID: String) throws -> VerifiedPurchase {
                guard isPlay else { return VerifiedPurchase(try Sample.transaction("1", productID), .jws(productID)) }
                let purchase = Transaction(
                    Sample.playPurchase("1", productID), product: .init(subscription: productID, period: .month))
                let content = SignedPlayPurchase(data: productID, signature: "signature")
                return VerifiedPurchase(try Sample.require(purchase), .play(content))
            }
            let records = PurchaseRecords(InMemoryLedger(), user: .noAccounts, catalog: nil)
            #expect(try await records.recordPurchase(version("pro.monthly")) == .inserted)
            return try await records.recordPurchase(version("pro.yearly"))
        }
        #expect(try await outcome(isPlay: true) == .merged)
        #expect(try await outcome(isPlay: false) == .conflict(.differentPurchase))
    }

    @Test("A redelivery keeps what the server has acknowledged and repeats no event [OTP-10.1]")
    func redelivery() async throws {
        let records = try await recorded([try transaction()])
        #expect(try await records.events(since: nil).map(\.kind) == [.completed, .verified])
        let bought = try #require(try await records.getAllPurchases().first)
        try await records.updateSyncStatus(of: bought.id, .synced(at: Sample.at(5)))
        let events = try await records.events(since: nil)
        let synced = try await records.getPurchase(bought.id)
        let again = VerifiedPurchase(try transaction(signed: 10), .jws("again"), verificationKey: Self.key)
        #expect(try await records.recordPurchase(again) == .unchanged)
        #expect(try await records.getPurchase(bought.id) == synced)
        #expect(try await records.events(since: nil) == events)
    }
}
