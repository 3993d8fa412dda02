import ReceiptTypes
import Testing

/// Tests the latest states of the subscriptions in an app receipt.
@Suite("Subscriptions of app receipts")
struct AppReceiptSubscriptionTests {
    private func time(_ day: Int64) -> Timestamp { Timestamp(clamping: 1_700_000_000_000 + day * 86_400_000) }

    private func purchase(
        _ id: String, of original: String?, _ product: String = "monthly", from start: Int64?, to end: Int64?
    ) -> AppReceiptPurchase {
        var purchase = AppReceiptPurchase()
        purchase.productType = .autoRenewableSubscription
        purchase.productId = product
        purchase.transactionId = id
        purchase.originalTransactionId = original
        purchase.purchaseDate = start.map(time)
        purchase.expiresDate = end.map(time)
        return purchase
    }

    private func receipt(_ purchases: [AppReceiptPurchase]) -> AppReceipt {
        var receipt = AppReceipt()
        receipt.inApp = purchases
        return receipt
    }

    @Test("the latest purchase of an original transaction is the state of a subscription, in any order of the receipt")
    func latest() {
        let purchases = [
            purchase("1", of: "1", from: 0, to: 30), purchase("2", of: "1", from: 30, to: 60),
            purchase("3", of: "1", from: 60, to: 90), purchase("7", of: "7", "other", from: 5, to: 35),
        ]
        for order in [[0, 1, 2, 3], [2, 1, 0, 3], [1, 2, 3, 0]] {
            let found = receipt(order.map { purchases[$0] }).subscriptions
            #expect(found.map(\.originalTransactionID) == ["1", "7"])
            #expect(found.map(\.latestPurchase.transactionId) == ["3", "7"])
            #expect(found.map(\.transactionCount) == [3, 1])
        }
    }

    @Test("an upgrade is the state of its subscription, and the purchase that it ended is not")
    func upgrade() {
        var ended = purchase("1", of: "1", "monthly", from: 0, to: 30)
        ended.cancellationDate = time(10)
        let found = receipt([purchase("2", of: "1", "yearly", from: 10, to: 375), ended]).subscriptions
        #expect(found.map(\.latestPurchase.productId) == ["yearly"])
        #expect(found.first?.state(at: time(20)) == .active)
        #expect(receipt([ended]).subscriptions.first?.state(at: time(20)) == .revoked)
    }

    @Test("a subscription is active before its expiration date, and has no state without one")
    func states() throws {
        let found = try #require(receipt([purchase("1", of: "1", from: 0, to: 30)]).subscriptions.first)
        #expect(found.state(at: time(30).adding(milliseconds: -1)) == .active)
        #expect(found.state(at: time(30)) == .expired)
        let open = try #require(receipt([purchase("1", of: "1", from: 0, to: nil)]).subscriptions.first)
        #expect(open.state(at: time(0)) == nil)
    }

    @Test("purchases at one time are ordered by their expiration dates, and one without a date is the oldest")
    func equalDates() {
        let purchases = [
            purchase("1", of: "1", from: 0, to: 30), purchase("2", of: "1", from: 0, to: 60),
            purchase("3", of: "1", from: nil, to: 90), purchase("4", of: "1", from: 0, to: 60),
        ]
        #expect(receipt(purchases).subscriptions.map(\.latestPurchase.transactionId) == ["2"])
    }

    @Test("other products and unknown product types are no subscriptions; without a type, an expiration date decides")
    func types() {
        var purchases = (0...4).map { purchase("\($0)", of: nil, from: 0, to: 30) }
        for (index, type) in ([0, 1, 2, 3, 7] as [Int64]).enumerated() {
            purchases[index].members["productType"] = .integer(type)
        }
        var untyped = purchase("5", of: nil, from: 0, to: 30)
        untyped.members["productType"] = nil
        var endless = purchase("6", of: nil, from: 0, to: nil)
        endless.members["productType"] = nil
        let found = receipt(purchases + [untyped, endless])
        #expect(found.subscriptions.map(\.originalTransactionID) == ["3", "5"])
        #expect(found.transactionIDs == ["0", "1", "2", "3", "4", "5", "6"])
    }

    @Test("IDs are different if their bytes are, and each is listed once")
    func identifiers() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let found = receipt([
            purchase(composed, of: composed, from: 0, to: 1), purchase(decomposed, of: decomposed, from: 0, to: 1),
            purchase(composed, of: composed, from: 0, to: 1),
        ])
        #expect(found.subscriptions.map(\.transactionCount) == [2, 1])
        #expect(found.transactionIDs.map { [UInt8]($0.utf8) } == [[UInt8](composed.utf8), [UInt8](decomposed.utf8)])
        #expect(AppReceipt().subscriptions.isEmpty)
        #expect(receipt([AppReceiptPurchase()]).transactionIDs.isEmpty)
    }
}
