/// An open enumeration of numbers, whose values say nothing to a reader without a name.
public protocol NumberedEnum: OpenEnum where RawValue == Int32 {
    /// The known values with what they mean, in the order of their numbers.
    static var meanings: KeyValuePairs<Self, String> { get }
}

extension NumberedEnum {
    /// The known values.
    public static var known: [Self] { meanings.map(\.key) }

    /// What the value means; nil where it is not known.
    public var meaning: String? { Self.meanings.first { $0.key == self }?.value }

    /// The number, with its meaning where that is known.
    public var displayText: String {
        guard let meaning else { return "\(rawValue)" }
        return "\(rawValue) (\(meaning))"
    }
}
