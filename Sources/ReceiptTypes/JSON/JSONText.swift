/// Functions that append JSON to a byte buffer.
///
/// Besides the characters that JSON requires to be escaped, all hidden characters are escaped: a terminal shows every
/// character of the output, and every JSON reader decodes the original string.
public enum JSONText {
    /// Deeper values are written as null; the parsers of this package reject such depths.
    private static let maximumDepth = 512

    /// Appends a value as compact JSON.
    public static func append(_ value: JSONValue, to output: inout [UInt8]) {
        append(value, depth: 0, to: &output)
    }

    private static func append(_ value: JSONValue, depth: Int, to output: inout [UInt8]) {
        guard depth < maximumDepth else { return append(literal: "null", to: &output) }
        switch value {
        case .null: append(literal: "null", to: &output)
        case .boolean(let flag): append(literal: flag ? "true" : "false", to: &output)
        case .integer(let integer): append(integer, to: &output)
        case .decimal(let decimal): append(literal: decimal.isFinite ? decimal.description : "null", to: &output)
        case .string(let text): append(text, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                append(element, depth: depth + 1, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                append(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                append(member.value, depth: depth + 1, to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// Appends text that is already JSON.
    public static func append(literal: StaticString, to output: inout [UInt8]) {
        literal.withUTF8Buffer { unsafe output.append(contentsOf: $0) }
    }

    /// Appends an integer.
    public static func append(_ integer: Int64, to output: inout [UInt8]) {
        append(literal: integer.description, to: &output)
    }

    private static func append(literal text: String, to output: inout [UInt8]) {
        output.append(contentsOf: text.utf8)
    }
}
