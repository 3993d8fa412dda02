internal import ReceiptTypes

extension JSONText {
    /// Appends a node as compact JSON, with its members in the order of the document.
    ///
    /// The parser bounds the depth of the recursion.
    static func append(_ node: borrowing JSONNode, to output: inout [UInt8]) {
        switch node.kind {
        case .null: append(literal: "null", to: &output)
        case .boolean: append(literal: node.boolean == true ? "true" : "false", to: &output)
        case .integer(let integer): append(integer, to: &output)
        case .decimal(let decimal): append(JSONValue.decimal(decimal), to: &output)
        case .string:
            if let text = node.string { append(utf8: text, to: &output) }
        case .array:
            var separator = UInt8(ascii: "[")
            node.forEachElement { element in
                output.append(separator)
                separator = UInt8(ascii: ",")
                append(element, to: &output)
                return true
            }
            if separator == UInt8(ascii: "[") { output.append(separator) }
            output.append(UInt8(ascii: "]"))
        case .object:
            var separator = UInt8(ascii: "{")
            node.forEachMember { name, value in
                output.append(separator)
                separator = UInt8(ascii: ",")
                append(utf8: name, to: &output)
                output.append(UInt8(ascii: ":"))
                append(value, to: &output)
                return true
            }
            if separator == UInt8(ascii: "{") { output.append(separator) }
            output.append(UInt8(ascii: "}"))
        }
    }
}
