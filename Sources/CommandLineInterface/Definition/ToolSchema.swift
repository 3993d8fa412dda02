package import ReceiptTypes

/// The schemas of the JSON objects that a tool prints: one for each set of members.
///
/// A program that reads the output ignores members that it does not know: a schema can get further members. If members
/// change or disappear, the schema gets another number.
package protocol ToolSchema: RawRepresentable, CaseIterable, Sendable where RawValue == String {
    /// The contents of an object, in a few words.
    var meaning: String { get }
}

extension ToolSchema {
    /// Returns an object whose first member names the schema, followed by the given members.
    package func object(_ members: JSONObject) -> JSONObject {
        var object = JSONObject()
        object.append("schema", .string(rawValue))
        for member in members.members { object.append(member.name, member.value) }
        return object
    }
}

extension JSONValue {
    /// A string with the value's description; null for nil.
    package static func optionalString(_ value: (some CustomStringConvertible)?) -> JSONValue {
        value.map { .string($0.description) } ?? .null
    }
}
