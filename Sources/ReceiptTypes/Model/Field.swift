/// One field of a payload: its name in the JSON, and its type.
public struct Field<Value: FieldValue>: Sendable {
    /// The name in the JSON.
    public let name: String

    /// Names a field.
    public init(_ name: String) {
        self.name = name
    }
}

/// A field whose type does not matter to the reader, for lists of fields.
protocol AnyField {
    var entry: SchemaField { get }
}

extension Field: AnyField {
    var entry: SchemaField { SchemaField(name: name, shape: Value.shape, display: { Value(json: $0)?.displayText }) }
}
