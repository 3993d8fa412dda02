import ReceiptTypes
import Testing

/// Tests the search for known fields of the wrong JSON type.
@Suite("Claim mismatches")
struct MismatchTests {
    static let values: [JSONValue] = [
        .boolean(false), .integer(1), .integer(3_000_000_000), .integer(.max), .decimal(0.5), .decimal(1e300),
        .string("1"), .array([]), .object(JSONObject()),
    ]

    /// Returns whether a type notation accepts a value, independently of `FieldShape`.
    static func accepts(_ notation: String, _ value: JSONValue) -> Bool {
        switch (notation, value) {
        case ("string", .string), ("int64", .integer), ("bool", .boolean), ("id", .string), ("id", .integer): true
        case ("int32", .integer(let number)): (-0x8000_0000...0x7fff_ffff).contains(number)
        case ("date", .integer(let number)): number != .max
        case ("date", .decimal(let number)): number == 0.5
        case (_, .array): notation.hasPrefix("[")
        case (_, .object): notation.first?.isUppercase == true
        default: false
        }
    }

    @Test("every field rejects every other type and reports the path and both types", arguments: ModelSpecification.all)
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

    @Test("a payload whose values have the right types has no mismatch", arguments: ModelSpecification.all)
    func fitting(model: ModelSpecification) {
        var object = JSONObject()
        for field in model.fields { object[field.name] = ModelSpecification.example(of: field.type) }
        #expect(model.type.schema.firstMismatch(in: object) == nil)
    }

    @Test("a mismatch inside nested objects and lists is found with its path")
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

    @Test("null is accepted as a field, and rejected as an element of a list")
    func nullInList() {
        let schema = JWSRenewalInfoDecodedPayload.schema
        let object: JSONObject = ["eligibleWinBackOfferIds": .array([.string("a"), .null])]
        #expect(schema.firstMismatch(in: object)?.path == "eligibleWinBackOfferIds[1]")
        #expect(schema.firstMismatch(in: ["eligibleWinBackOfferIds": .null]) == nil)
    }

    @Test("of several mismatches, the first in the order of the members is reported")
    func order() {
        let object: JSONObject = ["unknown": .boolean(true), "quantity": .string("1"), "bundleId": .integer(1)]
        #expect(JWSTransactionDecodedPayload.schema.firstMismatch(in: object)?.path == "quantity")
    }

    @Test("an unknown field may have any type")
    func unknown() {
        for value in Self.values {
            #expect(JWSTransactionDecodedPayload.schema.firstMismatch(in: ["newField": value]) == nil)
        }
    }
}
