/// A JSON value (RFC 8259).
public enum JSONValue: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// A number without fraction and exponent.
    case integer(Int64)
    /// A number with fraction or exponent.
    case decimal(Double)
    /// A text.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// Whether both are the same value; texts are compared byte by byte.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.decimal(let left), .decimal(let right)): left == right
        case (.string(let left), .string(let right)): left.isIdentical(to: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// The value's type.
    public var kind: JSONKind {
        switch self {
        case .null: .null
        case .boolean: .boolean
        case .integer(let value): .integer(value)
        case .decimal(let value): .decimal(value)
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The text, where the value is one.
    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The integer, where the value is one.
    public var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    /// The object, where the value is one.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The elements, where the value is an array.
    public var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

extension JSONValue: CustomStringConvertible {
    /// Compact JSON text.
    public var description: String {
        var text: [UInt8] = []
        JSONText.append(self, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
