import ReceiptTypes
import Testing

/// A payload model with the list of its fields from Apple's and Google's documentation.
///
/// The list repeats the declarations on purpose, so a test notices a lost or changed field.
struct ModelSpecification: CustomTestStringConvertible, Sendable {
    let type: any PayloadModel.Type
    /// The name and the type notation of every field, in the order of the declarations.
    let fields: [(name: String, type: String)]

    init(_ type: any PayloadModel.Type, _ fields: String) {
        self.type = type
        self.fields = fields.split(whereSeparator: \.isNewline).map { line in
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            return (words[0], words[1])
        }
    }

    var testDescription: String { "\(type)" }

    /// Returns the notation of a shape: a type name, a list in brackets, or the name of a model.
    static func notation(of shape: FieldShape) -> String {
        switch shape {
        case .string: "string"
        case .stringOrInteger: "id"
        case .integer32: "int32"
        case .integer64: "int64"
        case .boolean: "bool"
        case .milliseconds: "date"
        case .list(let element): "[\(notation(of: element))]"
        case .object(let schema): all.first { $0.type.schema === schema }.map { "\($0.type)" } ?? "unknown object"
        }
    }

    /// Returns a value of the type in a notation; an object is empty.
    static func example(of notation: String) -> JSONValue {
        switch notation {
        case "string": .string("text")
        case "id": .string("2000000000000001")
        case "int32": .integer(7)
        case "int64": .integer(7_000_000_000)
        case "bool": .boolean(true)
        case "date": .integer(1_759_302_518_835)
        case _ where notation.hasPrefix("["): .array([example(of: String(notation.dropFirst().dropLast()))])
        default: .object(JSONObject())
        }
    }
}
