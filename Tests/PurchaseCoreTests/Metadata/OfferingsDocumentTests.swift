import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Offerings document")
struct OfferingsDocumentTests {
    private static let product = """
        {"id": "export", "type": "non_consumable", "title": "Export", "description": "All formats", "price": 39.99,
         "priceString": "$39.99", "currencyCode": "USD", "entitlements": [], "features": ["export", "print"]}
        """

    private func document(_ json: String) throws(DocumentError) -> OfferingsDocument {
        try OfferingsDocument(json: Array(json.utf8))
    }

    /// A document with one package, in whose product a text is replaced.
    private func document(replacing old: String, by new: String) throws(DocumentError) -> OfferingsDocument {
        let product = Self.product.replacing(old, with: new)
        return try document(
            #"{"identifier": "tier", "packages": [{"identifier": "$rc_lifetime", "product": \#(product)}]}"#)
    }

    @Test("[OTP-1.3] a one-time product is read with its exact price and its features, and unknown fields are ignored")
    func oneTime() throws {
        let document = try document(
            """
            {"identifier": "premium_tier", "serverDescription": null, "metadata": {"a": [1]}, "packages": [
                {"identifier": "$rc_lifetime", "packageType": "LIFETIME", "product": \(Self.product)},
                {"identifier": "$rc_monthly", "product": {"id": "monthly", "type": "subscription", "price": "free"}},
                {"identifier": "coins", "product": {"id": "coins", "type": "consumable", "title": "100 coins",
                    "price": "0.99", "priceString": "$0.99", "currencyCode": "USD", "description": null}}
            ]}
            """)
        #expect(document.identifier == "premium_tier")
        #expect(document.skippedPackages == ["$rc_monthly"])
        #expect(document.packages.map(\.identifier) == ["$rc_lifetime", "coins"])
        #expect(document.packages.map(\.features) == [["export", "print"], []])
        let products = document.packages.map(\.product)
        #expect(products.map(\.type) == [.nonConsumable, .consumable])
        #expect(products.map(\.price) == [Milliunits(39_990), Milliunits(990)])
        #expect(products[0].displayName == "Export" && products[0].description == "All formats")
        #expect(products[0].displayPrice == "$39.99" && products[0].currency == "USD")
        #expect(products[0].subscription == nil)
    }

    @Test(
        "a price is read exactly, as a number or as a string",
        arguments: [
            ("39.99", 39_990), ("0.125", 125), ("\"2.5\"", 2_500), ("0", 0), ("1200", 1_200_000), ("5.0", 5_000),
            ("999999999999.999", 999_999_999_999_999), ("\"9223372036854775.807\"", Int64.max),
        ])
    func price(text: String, expected: Int64) throws {
        let document = try document(replacing: "39.99,", by: "\(text),")
        #expect(document.packages.map(\.product.price) == [Milliunits(expected)])
    }

    @Test(
        "a field that is missing or wrong is an error with its place, what was expected and what was found",
        arguments: [
            (#""id": "export""#, #""id": 7"#, DocumentError.Code.wrongType, "id", "the integer 7"),
            (#""id": "export""#, #""id": """#, .wrongValue, "id", "\"\""),
            (#""type": "non_consumable""#, #""kind": "x""#, .missingField, "type", "none"),
            (#""title": "Export""#, #""title": null"#, .missingField, "title", "none"),
            (#""priceString": "$39.99""#, #""priceString": 39.99"#, .wrongType, "priceString", "the number 39.99"),
            ("39.99,", "-1,", .wrongValue, "price", "-1"),
            ("39.99,", "0.0001,", .wrongValue, "price", "0.0001"),
            ("39.99,", "1234567890123.5,", .wrongValue, "price", "1234567890123.5"),
            ("39.99,", "\"free\",", .wrongValue, "price", "\"free\""),
            ("39.99,", "[],", .wrongType, "price", "an array"),
            (#""entitlements": []"#, #""entitlements": ["pro"]"#, .wrongValue, "entitlements", "1 elements"),
            (#""features": ["export", "print"]"#, #""features": "export""#, .wrongType, "features", "a string"),
            (#""features": ["export", "print"]"#, #""features": ["a", {}]"#, .wrongType, "features[1]", "an object"),
        ])
    func wrongFields(old: String, new: String, code: DocumentError.Code, field: String, found: String) throws {
        let error = try #require(throws: DocumentError.self) { try document(replacing: old, by: new) }
        #expect(error.code == code)
        #expect(error.path == "packages[0].product.\(field)")
        #expect(!error.expected.isEmpty)
        if field != "price" || code != .wrongValue { #expect(error.found == found) }
        #expect(error.message.contains(error.path) && error.message.contains(error.found))
    }

    @Test(
        "a document of another shape is an error",
        arguments: [
            ("", DocumentError.Code.malformed, ""), ("{", .malformed, ""), ("[]", .wrongType, ""),
            ("{}", .missingField, "identifier"), (#"{"identifier": "a"}"#, .missingField, "packages"),
            (#"{"identifier": "a", "packages": {}}"#, .wrongType, "packages"),
            (#"{"identifier": "a", "packages": [7]}"#, .wrongType, "packages[0]"),
            (#"{"identifier": "a", "packages": [{"identifier": "b"}]}"#, .missingField, "packages[0].product"),
        ])
    func wrongShape(json: String, code: DocumentError.Code, path: String) throws {
        let error = try #require(throws: DocumentError.self) { try document(json) }
        #expect(error.code == code && error.path == path)
    }

    @Test("a document beyond a bound is refused before it is used")
    func bounds() throws {
        let blank = Array(repeating: UInt8(ascii: " "), count: OfferingsDocument.maximumSize + 1)
        let large = try #require(throws: DocumentError.self) { try OfferingsDocument(json: blank) }
        #expect(large.code == .tooLarge && large.path.isEmpty)
        let packages = Array(repeating: "0", count: OfferingsDocument.maximumCount + 1).joined(separator: ",")
        let many = try #require(throws: DocumentError.self) {
            try document(#"{"identifier": "a", "packages": [\#(packages)]}"#)
        }
        #expect(many.code == .tooLarge && many.path == "packages")
        let name = String(repeating: "x", count: OfferingsDocument.maximumStringSize + 1)
        let long = try #require(throws: DocumentError.self) {
            try document(#"{"identifier": "\#(name)", "packages": []}"#)
        }
        #expect(long.code == .tooLarge && long.path == "identifier")
        func nested(_ depth: Int) -> String {
            let value = String(repeating: "[", count: depth) + #""]\"[[""# + String(repeating: "]", count: depth)
            return #"{"identifier": "a", "packages": [], "other": \#(value)}"#
        }
        #expect(try document(nested(OfferingsDocument.maximumDepth - 1)).packages.isEmpty)
        for depth in [OfferingsDocument.maximumDepth, 100_000] {
            let deep = try #require(throws: DocumentError.self) { try document(nested(depth)) }
            #expect(deep.code == .tooLarge && deep.path.isEmpty)
        }
        // Two products of one id would leave it open which price is shown.
        let package = #"{"identifier": "a", "product": \#(Self.product)}"#
        let twice = try #require(throws: DocumentError.self) {
            try document(#"{"identifier": "a", "packages": [\#(package), \#(package)]}"#)
        }
        #expect(twice.code == .wrongValue && twice.path == "packages[1].product.id")
    }

    @Test("a text of the document cannot control a terminal that shows the error")
    func hiddenCharacters() throws {
        let error = try #require(throws: DocumentError.self) {
            try document(replacing: "39.99,", by: #""\u001b[2J","#)
        }
        #expect(!error.message.contains("\u{1b}"))
    }
}
