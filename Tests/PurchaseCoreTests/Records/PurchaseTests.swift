import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Purchase")
struct PurchaseTests {
    private func verified(
        _ productID: String = "pro.lifetime", signed: Int64 = 0,
        change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) throws -> VerifiedPurchase {
        let transaction = try Sample.transaction("1", productID, signed: Sample.at(signed), change: change)
        return VerifiedPurchase(transaction, .jws("jws"), features: ["pro"], verificationKey: "key")
    }

    @Test("Only a verified purchase that is not revoked unlocks its features [OTP-1.2]")
    func unlockedFeatures() throws {
        var purchase = Purchase(try verified(), user: nil)
        #expect(purchase.isVerified && purchase.unlockedFeatures == ["pro"] && purchase.unlocks("pro"))
        purchase.verification = .unverified(.signatureInvalid)
        #expect(!purchase.isVerified && purchase.unlockedFeatures.isEmpty && !purchase.unlocks("pro"))
        let revoked = Purchase(try verified { $0.revocationDate = Sample.at(1) }, user: nil)
        #expect(revoked.isRevoked && revoked.isVerified && revoked.unlockedFeatures.isEmpty)
    }

    @Test(
        "A subscription and a consumable unlock no feature for an unlimited time [OTP-1.2]",
        arguments: ["pro.yearly", "pro.season", "coins"])
    func otherTypes(productID: String) throws {
        #expect(Purchase(try verified(productID), user: nil).unlockedFeatures.isEmpty)
    }

    @Test("A synchronized purchase has a date, and one without a date is not synchronized [OTP-3.2]")
    func synchronization() throws {
        var purchase = Purchase(try verified(), user: nil)
        #expect(!purchase.isSynced && purchase.syncedAt == nil)
        #expect(purchase.unlocks("pro"))
        purchase.synchronization = .synced(at: Sample.at(5))
        #expect(purchase.isSynced && purchase.syncedAt == Sample.at(5))
    }

    @Test("A feature and a transaction id are compared byte by byte")
    func bytes() throws {
        let transaction = try Sample.transaction("1", "pro.lifetime")
        let purchase = Purchase(VerifiedPurchase(transaction, .jws("jws"), features: ["caf\u{e9}"]), user: nil)
        #expect(purchase.unlocks("caf\u{e9}"))
        #expect(!purchase.unlocks("cafe\u{301}"))
        let ids = ["\u{e9}", "e\u{301}"].map { Purchase.ID(transactionID: $0, origin: .appStore, environment: nil) }
        #expect(ids[0] != ids[1])
        #expect(Purchase.ID(transactionID: "1", origin: .appStore, environment: .init(rawValue: "")).environment == nil)
    }

    @Test("The versions of a purchase give the same state in any order [OTP-3.1]")
    func anyOrder() throws {
        let versions = [
            try verified(), try verified(signed: 10) { $0.revocationDate = Sample.at(5) },
            try verified(signed: 20), try verified(signed: 20) { $0.revocationDate = Sample.at(15) },
            try verified(signed: 20) { $0.revocationDate = Sample.at(16) },
            try verified(signed: 20) { $0.quantity = 2 },
        ].map { RecordedPurchase($0, user: nil) }
        func merge(_ versions: [RecordedPurchase]) throws -> RecordedPurchase {
            try versions.dropFirst().reduce(Sample.require(versions.first)) { $0.merged(with: $1) }
        }
        let expected = try merge(versions)
        #expect(expected.purchase.revocationDate == Sample.at(15))
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let order = versions.shuffled(using: &random)
            #expect(try merge(order + [order[0]]) == expected)
        }
    }

    @Test("A Play subscription has another product after a planned change; any other purchase with one is a conflict")
    func planChange() throws {
        func recorded(_ productID: String, isPlay: Bool) throws -> RecordedPurchase {
            let transaction =
                try isPlay
                ? Sample.require(
                    Transaction(
                        Sample.playPurchase("1", productID), product: .init(subscription: productID, period: .month)))
                : Sample.transaction("1", productID)
            return RecordedPurchase(VerifiedPurchase(transaction, .jws("jws")), user: nil)
        }
        let play = try recorded("pro.monthly", isPlay: true)
        #expect(play.conflict(with: try recorded("pro.yearly", isPlay: true)) == nil)
        let apple = try recorded("pro.monthly", isPlay: false)
        #expect(apple.conflict(with: try recorded("pro.yearly", isPlay: false)) == .differentPurchase)
    }

    @Test("A redelivery keeps what the server has acknowledged and repeats no event [OTP-10.1]")
    func redelivery() throws {
        var recorded = RecordedPurchase(try verified(), user: nil)
        #expect(PurchaseEvent.Kind.changes(from: nil, to: recorded.purchase) == [.completed, .verified])
        recorded.purchase.synchronization = .synced(at: Sample.at(5))
        let merged = recorded.merged(with: RecordedPurchase(try verified(signed: 10), user: nil))
        #expect(merged.purchase == recorded.purchase)
        #expect(PurchaseEvent.Kind.changes(from: recorded.purchase, to: merged.purchase).isEmpty)
    }
}
