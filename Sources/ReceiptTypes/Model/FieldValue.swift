/// A type that a payload field can have.
public protocol FieldValue: Sendable, Hashable {
    /// The JSON types that the field accepts.
    static var shape: FieldShape { get }
    /// Creates the value from JSON; nil if the JSON has another type.
    init?(json: JSONValue)
    /// The value as JSON.
    var json: JSONValue { get }
    /// The value as text for a person.
    var displayText: String { get }
}

extension FieldValue {
    /// The value as text for a person: strings without quotation marks, everything else as JSON.
    public var displayText: String { json.displayText }
}

extension JSONValue {
    /// The value as text for a person: strings without quotation marks, everything else as JSON.
    public var displayText: String {
        if case .string(let text) = self { HiddenCharacters.escaped(text) } else { description }
    }
}
