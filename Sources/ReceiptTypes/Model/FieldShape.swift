/// The JSON that a payload field takes.
public indirect enum FieldShape: Sendable {
    /// A text.
    case string
    /// An integer of 32 bits.
    case integer32
    /// An integer of 64 bits.
    case integer64
    /// `true` or `false`.
    case boolean
    /// Milliseconds since 1970, integer or decimal, within the years 0 to 9999.
    case milliseconds
    /// An array of one shape.
    case list(FieldShape)
    /// An object with fields of its own.
    case object(Schema)

    /// Whether a value of that type fits; what an array or object holds is looked at separately. Null fits everywhere,
    /// since the stores use it for an absent field.
    public func accepts(_ kind: JSONKind) -> Bool {
        switch (self, kind) {
        case (_, .null): true
        case (.string, .string), (.boolean, .boolean), (.integer64, .integer), (.list, .array), (.object, .object): true
        case (.integer32, .integer(let value)): Int32(exactly: value) != nil
        case (.milliseconds, .integer(let value)): Timestamp(milliseconds: value) != nil
        case (.milliseconds, .decimal(let value)): Timestamp(decimalMilliseconds: value) != nil
        default: false
        }
    }

    /// The shape in words.
    public var name: String {
        switch self {
        case .string: "a text"
        case .integer32: "an integer of 32 bits"
        case .integer64: "an integer"
        case .boolean: "true or false"
        case .milliseconds: "milliseconds since 1970"
        case .list: "an array"
        case .object: "an object"
        }
    }
}
