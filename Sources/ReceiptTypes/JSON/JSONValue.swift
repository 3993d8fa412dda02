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
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// Returns whether both values are equal; strings are compared byte by byte.
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

    /// The type of the value.
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

    /// The string; nil for a value of another type.
    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The integer; nil for a value of another type.
    public var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    /// The object; nil for a value of another type.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The elements of an array; nil for a value of another type.
    public var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

extension JSONValue: CustomStringConvertible {
    /// Compact JSON.
    public var description: String {
        var text: [UInt8] = []
        JSONText.append(self, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// The type of a JSON value, with the value of a number, because the range of a number is part of a field's type.
public enum JSONKind: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean
    /// A number without fraction and exponent.
    case integer(Int64)
    /// A number with fraction or exponent.
    case decimal(Double)
    /// A string.
    case string
    /// An array.
    case array
    /// An object.
    case object

    /// The type in words, with the value of a number, such as "the integer 7".
    public var detail: String {
        switch self {
        case .integer(let value): "the integer \(value)"
        case .decimal(let value): "the number \(value)"
        default: name
        }
    }

    /// The type in words with its article, such as "an integer".
    public var name: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .decimal: "a decimal number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
