import ReceiptTypes
import Testing

/// Tests the lines that show a payload to a person.
@Suite("Listings")
struct ListingTests {
    func lines(_ object: JSONObject) -> [String] {
        JWSTransactionDecodedPayload.schema.listing(of: object).map { "\($0.isKnown ? " " : "?")\($0.name)=\($0.text)" }
    }

    @Test("a listing shows dates in RFC 3339, money as decimals, and numbered enumerations with their meanings")
    func values() {
        #expect(
            lines([
                "purchaseDate": .integer(1_759_302_518_835), "price": .integer(1990), "offerType": .integer(2),
                "productId": .string("pro"), "isUpgraded": .boolean(false), "bundleId": .null,
            ]) == [
                " purchaseDate=2025-10-01T07:08:38.835Z", " price=1.99", " offerType=2 (promotional offer)",
                " productId=pro", " isUpgraded=false", " bundleId=null",
            ]
        )
    }

    @Test("each value inside a known object or list has its own line with its path")
    func nested() {
        let item: JSONObject = [
            "SKU": .string("a"), "price": .integer(500), "refunds": .array([]), "extra": .integer(1),
        ]
        #expect(
            lines(["advancedCommerceInfo": .object(["items": .array([.object(item)]), "descriptors": .object([:])])])
                == [
                    " advancedCommerceInfo.items[0].SKU=a", " advancedCommerceInfo.items[0].price=0.50",
                    " advancedCommerceInfo.items[0].refunds=[]", "?advancedCommerceInfo.items[0].extra=1",
                    " advancedCommerceInfo.descriptors={}",
                ]
        )
    }

    @Test("unknown fields and values of the wrong type are listed as JSON")
    func others() {
        #expect(
            lines(["new": .object(["a": .array([.integer(1), .string("x")])]), "price": .decimal(1.5)])
                == ["?new={\"a\":[1,\"x\"]}", " price=1.5"]
        )
    }

    @Test("hidden characters are escaped in names and in values")
    func hidden() {
        #expect(
            lines(["productId": .string("a\u{1b}[2J\u{202e}b"), "\u{200b}x": .string("\n")])
                == [" productId=a\\u{1b}[2J\\u{202e}b", "?\\u{200b}x=\\u{a}"]
        )
    }
}
