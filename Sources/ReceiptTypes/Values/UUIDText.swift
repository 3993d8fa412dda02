/// A text that should be a UUID, kept as it came also when it is none.
public struct UUIDText: Sendable, Hashable {
    /// The text as it came.
    public let rawValue: String

    /// Takes any text.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Whether the text has the form of a UUID: 8, 4, 4, 4 and 12 hexadecimal digits (RFC 9562 4).
    public var isUUID: Bool {
        let groups = rawValue.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && groups.allSatisfy { $0.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } }
    }
}

extension UUIDText: CustomStringConvertible {
    /// The text as it came.
    public var description: String { rawValue }
}

extension UUIDText: FieldValue {
    /// The JSON that the field takes.
    public static var shape: FieldShape { .string }

    /// Reads the field; nil for JSON of another shape.
    public init?(json: JSONValue) {
        guard let text = json.text else { return nil }
        self.init(text)
    }

    /// The field as JSON.
    public var json: JSONValue { .string(rawValue) }
}
