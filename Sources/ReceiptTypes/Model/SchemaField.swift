/// A field as a schema knows it.
public struct SchemaField: Sendable {
    /// The name in the JSON text.
    public let name: String
    /// What the value has to be.
    public let shape: FieldShape

    /// The name's bytes.
    let utf8Name: [UInt8]
    private let display: @Sendable (JSONValue) -> String?

    init(name: String, shape: FieldShape, display: @escaping @Sendable (JSONValue) -> String?) {
        self.name = name
        utf8Name = [UInt8](name.utf8)
        self.shape = shape
        self.display = display
    }

    /// The value as a person reads it: dates as RFC 3339, money as decimals; what does not fit the field, as JSON.
    public func displayText(of value: JSONValue) -> String {
        display(value) ?? value.displayText
    }
}
