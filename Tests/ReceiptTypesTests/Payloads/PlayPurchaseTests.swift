import ReceiptTypes
import Testing

@Suite("Play purchases")
struct PlayPurchaseTests {
    @Test("absent members read as Google's library reads them: purchased, acknowledged")
    func absentMembers() {
        let purchase = PlayPurchase(members: ["purchaseTime": .integer(1)])
        #expect(purchase.state == .purchased && purchase.isAcknowledged)
        let null = PlayPurchase(members: ["purchaseState": .null, "acknowledged": .null])
        #expect(null.state == .purchased && null.isAcknowledged)
        let written = PlayPurchase(members: ["purchaseState": .integer(4), "acknowledged": .boolean(false)])
        #expect(written.state == .pendingOnDevice && !written.isAcknowledged)
    }

    @Test("the token is read from token before purchaseToken, and written as purchaseToken")
    func token() {
        var purchase = PlayPurchase(members: ["purchaseToken": .string("old"), "token": .string("new")])
        #expect(purchase.purchaseToken == "new")
        #expect(PlayPurchase(members: ["purchaseToken": .string("old")]).purchaseToken == "old")
        #expect(PlayPurchase(members: ["token": .null, "purchaseToken": .string("old")]).purchaseToken == "old")
        purchase.purchaseToken = "newest"
        #expect(purchase.purchaseToken == "newest" && purchase.members == ["purchaseToken": .string("newest")])
    }

    @Test("a pending change of a subscription has the token and the products that follow")
    func pendingUpdate() {
        let update: JSONObject = ["purchaseToken": .string("next"), "productIds": .array([.string("yearly")])]
        let purchase = PlayPurchase(members: ["pendingPurchaseUpdate": .object(update)])
        #expect(purchase.pendingPurchaseUpdate?.purchaseToken == "next")
        #expect(purchase.pendingPurchaseUpdate?.productIds == ["yearly"])
    }
}

@Suite("IDs of the store")
struct StoreIDTests {
    @Test("an ID is read from a string and from an integer, and is the same ID")
    func forms() {
        func id(_ value: JSONValue) -> StoreID? {
            JWSTransactionDecodedPayload(members: ["previousOriginalTransactionId": value])
                .previousOriginalTransactionId
        }
        #expect(id(.string("1652038855000009")) == id(.integer(1_652_038_855_000_009)))
        #expect(id(.integer(7))?.rawValue == "7" && id(.integer(7))?.displayText == "7")
        #expect(id(.decimal(7.5)) == nil && id(.boolean(true)) == nil && id(.null) == nil)
    }
}
