/// The fields of a payload model.
public final class Schema: Sendable {
    /// The fields in the order in which the model declares them.
    public let fields: [SchemaField]
    private let fieldsByName: [String: SchemaField]

    /// Collects the fields from the stored properties of a model's `Fields`, so that they are written down once.
    public init(reflecting fields: some Sendable) {
        self.fields = Mirror(reflecting: fields).children.compactMap { ($0.value as? any AnyField)?.entry }
        fieldsByName = Dictionary(self.fields.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The field of that name, compared byte by byte.
    public subscript(name: String) -> SchemaField? {
        guard let field = fieldsByName[name], field.name.isIdentical(to: name) else { return nil }
        return field
    }
}
