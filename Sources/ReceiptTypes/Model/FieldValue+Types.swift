// MARK: Standard library

extension String: FieldValue {
    /// A JSON string.
    public static var shape: FieldShape { .string }

    /// Creates the value from a JSON string.
    public init?(json: JSONValue) {
        guard case .string(let value) = json else { return nil }
        self = value
    }

    /// The value as a JSON string.
    public var json: JSONValue { .string(self) }
}

extension Int32: FieldValue {
    /// A JSON integer of 32 bits.
    public static var shape: FieldShape { .integer32 }

    /// Creates the value from a JSON integer of 32 bits.
    public init?(json: JSONValue) {
        guard case .integer(let value) = json else { return nil }
        self.init(exactly: value)
    }

    /// The value as a JSON integer.
    public var json: JSONValue { .integer(Int64(self)) }
}

extension Int64: FieldValue {
    /// A JSON integer of 64 bits.
    public static var shape: FieldShape { .integer64 }

    /// Creates the value from a JSON integer.
    public init?(json: JSONValue) {
        guard case .integer(let value) = json else { return nil }
        self = value
    }

    /// The value as a JSON integer.
    public var json: JSONValue { .integer(self) }
}

extension Bool: FieldValue {
    /// `true` or `false`.
    public static var shape: FieldShape { .boolean }

    /// Creates the value from a JSON boolean.
    public init?(json: JSONValue) {
        guard case .boolean(let value) = json else { return nil }
        self = value
    }

    /// The value as a JSON boolean.
    public var json: JSONValue { .boolean(self) }
}

extension Array: FieldValue where Element: FieldValue {
    /// A JSON array with elements of the element's shape.
    public static var shape: FieldShape { .list(Element.shape) }

    /// Creates the value from a JSON array; nil if one element does not fit, because a partial list would mislead.
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

    /// The value as a JSON array.
    public var json: JSONValue { .array(map(\.json)) }
}

// MARK: Values of this module

extension Timestamp: FieldValue {
    /// Milliseconds since 1970.
    public static var shape: FieldShape { .milliseconds }

    /// Creates an instant from a JSON number of milliseconds since 1970, rounded down.
    public init?(json: JSONValue) {
        switch json {
        case .integer(let milliseconds): self.init(milliseconds: milliseconds)
        case .decimal(let milliseconds): self.init(decimalMilliseconds: milliseconds)
        default: return nil
        }
    }

    /// The instant as a JSON integer of milliseconds since 1970.
    public var json: JSONValue { .integer(millisecondsSince1970) }

    /// The instant in RFC 3339 format.
    public var displayText: String { description }
}

extension Milliunits: FieldValue {
    /// A JSON integer of 64 bits.
    public static var shape: FieldShape { .integer64 }

    /// Creates an amount from a JSON integer of thousandths; nil for a decimal number.
    public init?(json: JSONValue) {
        guard let value = json.integer else { return nil }
        self.init(value)
    }

    /// The amount as a JSON integer of thousandths.
    public var json: JSONValue { .integer(rawValue) }

    /// The amount as a decimal number.
    public var displayText: String { description }
}

extension UUIDText: FieldValue {
    /// A JSON string.
    public static var shape: FieldShape { .string }

    /// Creates the value from any JSON string.
    public init?(json: JSONValue) {
        guard let text = json.text else { return nil }
        self.init(text)
    }

    /// The text as a JSON string.
    public var json: JSONValue { .string(rawValue) }
}

extension StoreID: FieldValue {
    /// A JSON string or integer.
    public static var shape: FieldShape { .stringOrInteger }

    /// Creates the value from a JSON string or integer.
    public init?(json: JSONValue) {
        switch json {
        case .string(let text): self.init(text)
        case .integer(let number): self.init(String(number))
        default: return nil
        }
    }

    /// The ID as a JSON string.
    public var json: JSONValue { .string(rawValue) }
}
