/// The JSON types that a payload field accepts.
public indirect enum FieldShape: Sendable {
    /// A string.
    case string
    /// A string or an integer.
    case stringOrInteger
    /// An integer of 32 bits.
    case integer32
    /// An integer of 64 bits.
    case integer64
    /// `true` or `false`.
    case boolean
    /// Milliseconds since 1970, an integer or a decimal number within the years 0 to 9999.
    case milliseconds
    /// An array with elements of one shape.
    case list(FieldShape)
    /// An object with fields of its own.
    case object(Schema)

    /// Returns whether a value of a JSON type fits.
    ///
    /// The contents of an array or an object are not checked. Null fits every shape, because the stores send it for an
    /// absent field.
    public func accepts(_ kind: JSONKind) -> Bool {
        switch (self, kind) {
        case (_, .null): true
        case (.string, .string), (.boolean, .boolean), (.integer64, .integer), (.list, .array), (.object, .object): true
        case (.stringOrInteger, .string), (.stringOrInteger, .integer): true
        case (.integer32, .integer(let value)): Int32(exactly: value) != nil
        case (.milliseconds, .integer(let value)): Timestamp(milliseconds: value) != nil
        case (.milliseconds, .decimal(let value)): Timestamp(decimalMilliseconds: value) != nil
        default: false
        }
    }

    /// The shape in words with its article, such as "an integer".
    public var name: String {
        switch self {
        case .string: "a string"
        case .stringOrInteger: "a string or an integer"
        case .integer32: "an integer of 32 bits"
        case .integer64: "an integer"
        case .boolean: "true or false"
        case .milliseconds: "milliseconds since 1970"
        case .list: "an array"
        case .object: "an object"
        }
    }
}
