import Foundation
import Testing

@testable import ReceiptTypes

@Suite("Refunds")
struct PurchaseRefundTests {
    private func consumable(
        _ quantity: Int64?, _ percentage: Int64?, type: String? = "REFUND_PRORATED", price: Int64 = 14_970
    ) -> JWSTransactionDecodedPayload {
        var members: JSONObject = [
            "type": .string("Consumable"), "price": .integer(price), "revocationDate": .integer(1_788_253_200_000),
        ]
        members["quantity"] = quantity.map(JSONValue.integer)
        members["revocationPercentage"] = percentage.map(JSONValue.integer)
        members["revocationType"] = type.map(JSONValue.string)
        return JWSTransactionDecodedPayload(members: members)
    }

    @Test("a third of three items leaves two, and refunds a third of the price")
    func third() {
        let payload = consumable(3, 33_333)
        #expect(payload.refund == .part(.init(share: 33_333, quantity: 3, remaining: 2)))
        #expect(payload.refund.text() == "refunded in part: 33.333 %, 2 of 3 remain")
        #expect(!payload.isRevoked && payload.revokedAt == nil)
        #expect(payload.refundedAmount == Milliunits(4990))
        #expect(consumable(1, 40_000).refund.text() == "refunded in part: 40 %")
        #expect(consumable(nil, 50_000).refund == .part(.init(share: 50_000, quantity: 1, remaining: 1)))
    }

    @Test(
        "a consumable is revoked by a full refund, by a type that is not prorated, and by a percentage that is no part",
        arguments: [
            (Int64?(100_000), String?("REFUND_PRORATED")), (nil, "REFUND_PRORATED"), (0, "REFUND_PRORATED"),
            (-1, "REFUND_PRORATED"), (100_001, "REFUND_PRORATED"), (33_333, "REFUND_FULL"), (33_333, "FAMILY_REVOKE"),
            (33_333, "ASSIGNMENT_REVOKE"), (nil, nil),
        ] as [(Int64?, String?)])
    func complete(percentage: Int64?, type: String?) {
        let payload = consumable(3, percentage, type: type)
        #expect(payload.refund == .complete && payload.isRevoked)
        #expect(payload.refundedAmount == Milliunits(14_970))
        #expect(payload.revokedAt?.millisecondsSince1970 == 1_788_253_200_000)
    }

    @Test("a percentage without a type is a partial refund of a consumable")
    func withoutType() {
        #expect(consumable(3, 66_666, type: nil).refund == .part(.init(share: 66_666, quantity: 3, remaining: 1)))
    }

    @Test(
        "every other product with a revocation date is revoked, whatever the percentage",
        arguments: ["Non-Consumable", "Auto-Renewable Subscription", "Non-Renewing Subscription", "New", nil])
    func otherProducts(type: String?) {
        var payload = consumable(3, 33_333)
        payload.members["type"] = type.map(JSONValue.string)
        #expect(payload.refund == .complete && payload.refundedAmount == payload.price)
        payload.members["revocationDate"] = .null
        #expect(payload.refund == .none && payload.refundedAmount == Milliunits(0))
    }

    @Test("k of n refunded items leave n - k, for every share that the store rounds down or to the nearest")
    func remaining() {
        for quantity in 1...120 {
            for refunded in 1..<max(2, quantity) where refunded < quantity {
                let exact = refunded * 100_000
                for share in Set([exact / quantity, (exact + quantity / 2) / quantity]) {
                    let left = PurchaseRefund.remaining(of: quantity, afterRefundOf: Int32(share))
                    #expect(left == quantity - refunded, "\(refunded) of \(quantity): \(share)")
                }
            }
        }
        #expect(PurchaseRefund.remaining(of: .max, afterRefundOf: 1) == 0)
        #expect(PurchaseRefund.remaining(of: 0, afterRefundOf: 1) == 0)
    }

    @Test(
        "a share in words names the items that remain only if it is that of complete items",
        arguments: [
            (1, 99_999, "99.999 %"), (1, 50_000, "50 %"), (3, 30_000, "30 %"), (2, 90_000, "90 %"),
            (3, 33_333, "33.333 %, 2 of 3 remain"), (3, 66_667, "66.667 %, 1 of 3 remain"),
            (2, 50_000, "50 %, 1 of 2 remain"), (3, 66_668, "66.668 %"), (3, 1, "0.001 %"),
        ])
    func words(quantity: Int64, share: Int64, words: String) {
        #expect(consumable(quantity, share).refund.text() == "refunded in part: \(words)")
    }

    @Test("a refunded amount is exact at every size, and a half is rounded away from zero")
    func amounts() {
        func amount(_ share: Int32, _ price: Int64) -> Int64 {
            PurchaseRefund.amount(of: share, of: Milliunits(price)).rawValue
        }
        #expect(amount(50_000, 1) == 1 && amount(50_000, -1) == -1 && amount(49_999, 1) == 0)
        #expect(amount(50_000, 3) == 2 && amount(33_333, 14_970) == 4990 && amount(0, 5) == 0)
        #expect(amount(100_000, .max) == .max && amount(100_000, .min) == .min)
        #expect(amount(50_000, .max) == .max / 2 + 1 && amount(99_999, .max) == 9_223_279_803_134_407_259)
        #expect(amount(.max, 7) == 7 && amount(.min, 7) == 0)
    }

    // MARK: Advanced Commerce

    private func items(_ text: String) throws -> JWSTransactionDecodedPayload {
        let json = #"{"type":"Auto-Renewable Subscription","price":4990,"advancedCommerceInfo":{"items":[\#(text)]}}"#
        let value = Self.value(try JSONSerialization.jsonObject(with: Data(json.utf8)))
        return JWSTransactionDecodedPayload(members: try #require(value.object))
    }

    private static func value(_ json: Any) -> JSONValue {
        switch json {
        case let object as [String: Any]:
            .object(object.reduce(into: JSONObject()) { $0[$1.key] = value($1.value) })
        case let array as [Any]: .array(array.map(value))
        case let text as String: .string(text)
        case let number as NSNumber: .integer(number.int64Value)
        default: .null
        }
    }

    @Test("an item that is refunded in part is named with its amount, and the purchase is not revoked")
    func itemInPart() throws {
        let half =
            #"{"SKU":"a","price":1000,"revocationDate":9,"refunds":[{"refundAmount":500,"refundType":"PRORATED"}]}"#
        let payload = try items(half)
        #expect(payload.refund.text(currency: "USD") == "refunded in part: item a, 0.50 of 1.00")
        #expect(!payload.isRevoked && payload.refundedAmount == Milliunits(500))
        let two = try items(half + #",{"price":2000,"revocationDate":9},{"SKU":"c"}"#)
        #expect(two.refund.text() == "refunded in part: item a, 0.50 of 1.00; item number 2, all of it")
        #expect(two.refundedAmount == Milliunits(2500) && !two.isRevoked)
    }

    @Test(
        "a purchase all of whose items are refunded in full is revoked",
        arguments: [
            #"{"revocationDate":9}"#, #"{"price":5,"refunds":[{"refundType":"FULL","refundDate":9}]}"#,
            #"{"price":5,"revocationDate":9,"refunds":[]}"#,
            #"{"price":5,"refunds":[{"refundAmount":2,"refundDate":8},{"refundAmount":3,"refundDate":9}]}"#,
            #"{"price":5,"revocationDate":9,"refunds":[{"refundType":"LATER"}]}"#,
            #"{"price":5,"revocationDate":9,"refunds":[{"refundAmount":9223372036854775807},{"refundAmount":9}]}"#,
        ])
    func allItems(item: String) throws {
        let payload = try items(item)
        #expect(payload.isRevoked && payload.revokedAt?.millisecondsSince1970 == 9)
        #expect(payload.refundedAmount == payload.price)
        let other = try items(item + #",{"SKU":"b","price":1}"#)
        #expect(!other.isRevoked && other.revokedAt == nil)
    }

    @Test("items without a refund leave the purchase as it is")
    func noItems() throws {
        #expect(try items(#"{"SKU":"a","price":1000},{"refunds":[],"revocationDate":null}"#).refund == .none)
        #expect(try items("").refund == .none)
    }
}
