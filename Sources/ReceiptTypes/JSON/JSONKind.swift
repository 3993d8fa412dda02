/// The type of a JSON value, with the numbers that type rules look at.
public enum JSONKind: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean
    /// A number without fraction and exponent.
    case integer(Int64)
    /// A number with fraction or exponent.
    case decimal(Double)
    /// A text.
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

    /// The type in words, such as "an integer".
    public var name: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .decimal: "a decimal number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
