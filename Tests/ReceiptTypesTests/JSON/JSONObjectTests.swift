import ReceiptTypes
import Testing

/// Tests the order, the lookup and the equality of the members.
@Suite("JSON objects")
struct JSONObjectTests {
    @Test("members keep their order when one of them is replaced")
    func order() {
        var object: JSONObject = ["b": .integer(1), "a": .integer(2)]
        object["c"] = .integer(3)
        object["b"] = .integer(4)
        #expect(object.members.map(\.name) == ["b", "a", "c"])
        #expect(object["b"] == .integer(4))
        object["a"] = nil
        #expect(object.members.map(\.name) == ["b", "c"])
        object["absent"] = nil
        #expect(object.members.count == 2)
        #expect(!object.isEmpty)
        #expect(JSONObject().isEmpty)
    }

    @Test("two objects are equal if they have the same names and values in any order")
    func equality() {
        let object: JSONObject = ["a": .integer(1), "b": .object(["x": .null, "y": .boolean(true)])]
        let turned: JSONObject = ["b": .object(["y": .boolean(true), "x": .null]), "a": .integer(1)]
        #expect(object == turned)
        #expect(object.hashValue == turned.hashValue)
        #expect(Set([object, turned]).count == 1)
        #expect(object != ["a": .integer(2), "b": .object(["x": .null, "y": .boolean(true)])])
        #expect(object != ["a": .integer(1)])
        #expect(object != ["a": .integer(1), "c": .object(["x": .null, "y": .boolean(true)])])
    }

    @Test("a member that is null is not an absent member")
    func null() {
        let object: JSONObject = ["a": .null]
        #expect(object["a"] == .null)
        #expect(object["b"] == nil)
        #expect(object != [:])
    }

    @Test("an integer, a decimal and a string with the same digits are not equal")
    func types() {
        #expect(JSONValue.integer(1) != .decimal(1))
        #expect(JSONValue.integer(1) != .string("1"))
        #expect(JSONValue.boolean(true) != .integer(1))
        #expect(JSONValue.array([]) != .object([:]))
        #expect(JSONValue.null != .boolean(false))
    }

    @Test("names are compared byte by byte: the Kelvin sign is not a K")
    func bytes() {
        let object: JSONObject = ["SKU": .integer(1)]
        #expect(object["S\u{212a}U"] == nil)
        #expect(object["SKU"] == .integer(1))
    }

    @Test("an object with very many members is built, compared and listed")
    func large() {
        var object = JSONObject()
        var reversed = JSONObject()
        for index in 0..<20_000 {
            object.append("member\(index)", .integer(Int64(index)))
            reversed.append("member\(19_999 - index)", .integer(Int64(19_999 - index)))
        }
        #expect(object == reversed)
        #expect(JWSTransactionDecodedPayload.schema.firstMismatch(in: object) == nil)
        #expect(JWSTransactionDecodedPayload.schema.listing(of: object).count == 20_000)
    }

    @Test("a value returns its content only as its own type")
    func content() {
        #expect(JSONValue.string("a").text == "a")
        #expect(JSONValue.integer(1).text == nil)
        #expect(JSONValue.integer(1).integer == 1)
        #expect(JSONValue.decimal(1).integer == nil)
        #expect(JSONValue.array([.null]).elements == [.null])
        #expect(JSONValue.null.elements == nil)
        #expect(JSONValue.object(["a": .null]).object == ["a": .null])
        #expect(JSONValue.array([]).object == nil)
    }

    @Test("the name of a type has an article, and the detail of a number has its value")
    func kinds() {
        #expect(JSONValue.null.kind.detail == "null")
        #expect(JSONValue.boolean(true).kind.detail == "true or false")
        #expect(JSONValue.integer(-7).kind.detail == "the integer -7")
        #expect(JSONValue.integer(-7).kind.name == "an integer")
        #expect(JSONValue.decimal(0.5).kind.detail == "the number 0.5")
        #expect(JSONValue.decimal(0.5).kind.name == "a decimal number")
        #expect(JSONValue.string("x").kind.detail == "a string")
        #expect(JSONValue.array([]).kind.detail == "an array")
        #expect(JSONValue.object([:]).kind.detail == "an object")
    }
}
