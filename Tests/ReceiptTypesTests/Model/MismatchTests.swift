import ReceiptTypes
import Testing

/// Known fields of the wrong type.
@Suite("Claims of the wrong type")
struct MismatchTests {
    static let values: [JSONValue] = [
        .boolean(false), .integer(1), .integer(3_000_000_000), .integer(.max), .decimal(0.5), .decimal(1e300),
        .string("1"), .array([]), .object(JSONObject()),
    ]

    /// What the rules say, apart from the shapes that are tested.
    static func accepts(_ notation: String, _ value: JSONValue) -> Bool {
        switch (notation, value) {
        case ("string", .string), ("int64", .integer), ("bool", .boolean): true
        case ("int32", .integer(let number)): (-0x8000_0000...0x7fff_ffff).contains(number)
        case ("date", .integer(let number)): number != .max
        case ("date", .decimal(let number)): number == 0.5
        case (_, .array): notation.hasPrefix("[")
        case (_, .object): notation.first?.isUppercase == true
        default: false
        }
    }

    @Test("[CARD-4] every field refuses every other type and says where and what", arguments: ModelSpecification.all)
    func everyField(model: ModelSpecification) {
        for field in model.fields {
            for value in Self.values {
                let mismatch = model.type.schema.firstMismatch(in: [field.name: value])
                #expect((mismatch == nil) == Self.accepts(field.type, value), "\(field.name): \(value)")
                guard let mismatch else { continue }
                #expect(mismatch.path == field.name)
                #expect(mismatch.actual == value.kind.detail)
                #expect(mismatch.expected == model.type.schema[field.name]?.shape.name)
            }
            #expect(model.type.schema.firstMismatch(in: [field.name: .null]) == nil)
        }
    }

    @Test("a payload of fitting values has no mismatch", arguments: ModelSpecification.all)
    func fitting(model: ModelSpecification) {
        var object = JSONObject()
        for field in model.fields { object[field.name] = ModelSpecification.example(of: field.type) }
        #expect(model.type.schema.firstMismatch(in: object) == nil)
    }

    @Test("a mismatch is found inside nested objects and lists, with its path")
    func nested() {
        let good: JSONObject = ["price": .integer(1990)]
        let bad: JSONObject = ["price": .decimal(19.9)]
        let info: JSONObject = ["items": .array([.object(good), .object(good), .object(bad)])]
        let mismatch = JWSTransactionDecodedPayload.schema.firstMismatch(in: ["advancedCommerceInfo": .object(info)])
        #expect(
            mismatch
                == ClaimMismatch(
                    path: "advancedCommerceInfo.items[2].price",
                    expected: "an integer",
                    actual: "the number 19.9"
                )
        )
    }

    @Test("an element of a list must not be null, though a field may")
    func nullInList() {
        let schema = JWSRenewalInfoDecodedPayload.schema
        let object: JSONObject = ["eligibleWinBackOfferIds": .array([.string("a"), .null])]
        #expect(schema.firstMismatch(in: object)?.path == "eligibleWinBackOfferIds[1]")
        #expect(schema.firstMismatch(in: ["eligibleWinBackOfferIds": .null]) == nil)
    }

    @Test("the first mismatch in the order of the text is the one that is reported")
    func order() {
        let object: JSONObject = ["unknown": .boolean(true), "quantity": .string("1"), "bundleId": .integer(1)]
        #expect(JWSTransactionDecodedPayload.schema.firstMismatch(in: object)?.path == "quantity")
    }

    @Test("unknown fields may have any type")
    func unknown() {
        for value in Self.values {
            #expect(JWSTransactionDecodedPayload.schema.firstMismatch(in: ["newField": value]) == nil)
        }
    }
}
