extension String: FieldValue {
    /// A string.
    public static var shape: FieldShape { .string }

    /// Reads a string.
    public init?(json: JSONValue) {
        guard case .string(let value) = json else { return nil }
        self = value
    }

    /// The string.
    public var json: JSONValue { .string(self) }
}

extension Int32: FieldValue {
    /// A whole number of 32 bits.
    public static var shape: FieldShape { .integer32 }

    /// Reads an integer of 32 bits.
    public init?(json: JSONValue) {
        guard case .integer(let value) = json else { return nil }
        self.init(exactly: value)
    }

    /// The integer.
    public var json: JSONValue { .integer(Int64(self)) }
}

extension Int64: FieldValue {
    /// A whole number.
    public static var shape: FieldShape { .integer64 }

    /// Reads an integer.
    public init?(json: JSONValue) {
        guard case .integer(let value) = json else { return nil }
        self = value
    }

    /// The integer.
    public var json: JSONValue { .integer(self) }
}

extension Bool: FieldValue {
    /// `true` or `false`.
    public static var shape: FieldShape { .boolean }

    /// Reads a boolean.
    public init?(json: JSONValue) {
        guard case .boolean(let value) = json else { return nil }
        self = value
    }

    /// The boolean.
    public var json: JSONValue { .boolean(self) }
}

extension Array: FieldValue where Element: FieldValue {
    /// A list of the element's shape.
    public static var shape: FieldShape { .list(Element.shape) }

    /// Reads an array; nil as soon as one element does not fit, because a list with gaps would be another list.
    public init?(json: JSONValue) {
        guard case .array(let values) = json else { return nil }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for value in values {
            guard let element = Element(json: value) else { return nil }
            elements.append(element)
        }
        self = elements
    }

    /// The elements as an array.
    public var json: JSONValue { .array(map(\.json)) }
}
