/// A payload, or an object inside one, with named and typed fields over the JSON members that it was made of.
///
/// The fields are declared once, as stored properties of `Fields`; reading, writing, checking and listing follow from
/// them. Members that no field names are kept, and so are values that nobody documented yet.
///
/// ```swift
/// let price: Milliunits? = transaction.price
/// let raw = transaction.members["price"]
/// ```
@dynamicMemberLookup
public protocol PayloadModel: FieldValue {
    /// The field declarations.
    associatedtype Fields: Sendable
    /// The fields by name.
    static var fields: Fields { get }
    /// The fields as a list.
    static var schema: Schema { get }
    /// The JSON members, known and unknown, in their order.
    var members: JSONObject { get set }
    /// Takes JSON members; what their types are is looked at when a field is read.
    init(members: JSONObject)
}

extension PayloadModel {
    /// A payload without members.
    public init() {
        self.init(members: JSONObject())
    }

    /// A field; nil where it is absent, null, or of another type.
    public subscript<Value: FieldValue>(dynamicMember path: KeyPath<Fields, Field<Value>>) -> Value? {
        get { members[Self.fields[keyPath: path].name].flatMap(Value.init(json:)) }
        set { members[Self.fields[keyPath: path].name] = newValue?.json }
    }

    /// The JSON that the field takes.
    public static var shape: FieldShape { .object(schema) }

    /// Reads the field; nil for JSON of another shape.
    public init?(json: JSONValue) {
        guard let object = json.object else { return nil }
        self.init(members: object)
    }

    /// The field as JSON.
    public var json: JSONValue { .object(members) }

    /// The members that no field names.
    public var unknownMembers: [JSONObject.Member] {
        members.members.filter { Self.schema[$0.name] == nil }
    }
}
