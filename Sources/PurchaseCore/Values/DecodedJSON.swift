package import ReceiptTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A JSON value that `JSONDecoder` reads. The order of members is not kept.
package struct DecodedJSON: Decodable {
    let value: JSONValue

    /// Returns the value of a JSON text in UTF-8; throws if it is malformed.
    ///
    /// Check its ``depth(of:)`` before: the recursion of the parser could use up the stack.
    package static func value(of text: [UInt8]) throws -> JSONValue { try value(of: Data(text)) }

    /// Returns the largest number of arrays and objects that are open at one place of a JSON text.
    package static func depth(of text: [UInt8]) -> Int {
        var (open, largest) = (0, 0)
        JSONDelimiters.forEach(in: text[...]) { _, mark in
            switch mark {
            case UInt8(ascii: "["), UInt8(ascii: "{"): open += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): open -= 1
            default: break
            }
            largest = max(largest, open)
        }
        return largest
    }

    /// Returns the value of a JSON text; throws if it is malformed.
    static func value(of text: Data) throws -> JSONValue {
        try JSONDecoder().decode(DecodedJSON.self, from: text).value
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    package init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            var object = JSONObject()
            for name in container.allKeys.sorted(by: { $0.stringValue.precedes($1.stringValue) }) {
                object.append(name.stringValue, try container.decode(DecodedJSON.self, forKey: name).value)
            }
            value = .object(object)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(DecodedJSON.self).value) }
            value = .array(elements)
        } else {
            value = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let flag = try? container.decode(Bool.self) { return .boolean(flag) }
        if let integer = try? container.decode(Int64.self) { return .integer(integer) }
        if let decimal = try? container.decode(Double.self) { return .decimal(decimal) }
        return .string(try container.decode(String.self))
    }
}
