/// An enumeration that a store extends: every raw value is a valid value, and the known ones have names.
public protocol OpenEnum: RawRepresentable, FieldValue, Hashable, Codable, CustomStringConvertible
where RawValue: FieldValue & Hashable & Codable {
    /// The values that have names, in the order of their declaration.
    static var known: [Self] { get }

    /// Creates a value from any raw value.
    init(rawValue: RawValue)
}

extension OpenEnum where RawValue == String {
    /// Returns whether the raw values have the same bytes; `==` of `String` also accepts canonically equivalent
    /// strings.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isIdentical(to: right.rawValue) }

    /// Feeds the raw value into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension OpenEnum {
    /// Whether the value is one of ``known``.
    public var isKnown: Bool { Self.known.contains(self) }

    /// The shape of the raw value.
    public static var shape: FieldShape { RawValue.shape }

    /// Creates a value from the JSON of a raw value.
    public init?(json: JSONValue) {
        guard let value = RawValue(json: json) else { return nil }
        self.init(rawValue: value)
    }

    /// The raw value as JSON.
    public var json: JSONValue { rawValue.json }

    /// The value as text for a person.
    public var description: String { displayText }
}

/// An open enumeration whose raw values are numbers, each with a meaning in words.
public protocol NumberedEnum: OpenEnum where RawValue == Int32 {
    /// The known values and their meanings, in the order of their numbers.
    static var meanings: KeyValuePairs<Self, String> { get }
}

extension NumberedEnum {
    /// The known values.
    public static var known: [Self] { meanings.map(\.key) }

    /// The meaning of the value; nil for an unknown value.
    public var meaning: String? { Self.meanings.first { $0.key == self }?.value }

    /// The number, followed by the meaning of a known value: `2 (promotional offer)`.
    public var displayText: String {
        guard let meaning else { return "\(rawValue)" }
        return "\(rawValue) (\(meaning))"
    }
}
