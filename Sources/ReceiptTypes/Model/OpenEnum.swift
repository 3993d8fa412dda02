/// An enumeration that another party extends: every raw value is a value, and some of them have names here.
public protocol OpenEnum: RawRepresentable, FieldValue, Hashable, Codable, CustomStringConvertible
where RawValue: FieldValue & Hashable & Codable {
    /// The values that have names, in the order of their declaration.
    static var known: [Self] { get }

    /// Takes any raw value.
    init(rawValue: RawValue)
}

extension OpenEnum where RawValue == String {
    /// Whether both are the same bytes: Swift also takes texts for equal that only look the same.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isIdentical(to: right.rawValue) }

    /// Feeds the raw value into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension OpenEnum {
    /// Whether the value is one that has a name.
    public var isKnown: Bool { Self.known.contains(self) }

    /// The shape of the raw value.
    public static var shape: FieldShape { RawValue.shape }

    /// Reads the raw value.
    public init?(json: JSONValue) {
        guard let value = RawValue(json: json) else { return nil }
        self.init(rawValue: value)
    }

    /// The raw value.
    public var json: JSONValue { rawValue.json }

    /// The raw value as text.
    public var description: String { displayText }
}
