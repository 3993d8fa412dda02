/// A type that a payload field can have.
public protocol FieldValue: Sendable, Hashable {
    /// The JSON that such a field takes.
    static var shape: FieldShape { get }
    /// Reads the field; nil for JSON of another shape.
    init?(json: JSONValue)
    /// The field as JSON.
    var json: JSONValue { get }
    /// The field as a person reads it.
    var displayText: String { get }
}

extension FieldValue {
    /// The field as a person reads it: texts without quotation marks, everything else as JSON.
    public var displayText: String { json.displayText }
}

extension JSONValue {
    /// The value as a person reads it: texts without quotation marks, everything else as JSON.
    public var displayText: String {
        if case .string(let text) = self { HiddenCharacters.escaped(text) } else { description }
    }
}
