/// A payload, or an object inside one, with typed fields over its JSON members.
///
/// A model declares each field once, as a stored property of ``Fields``; reading, writing, checking and listing follow
/// from these declarations. Unknown members and unknown enumeration values are kept.
///
/// ```swift
/// let price: Milliunits? = transaction.price
/// let raw = transaction.members["price"]
/// ```
@dynamicMemberLookup
public protocol PayloadModel: FieldValue {
    /// The type that declares the fields.
    associatedtype Fields: Sendable
    /// The field declarations.
    static var fields: Fields { get }
    /// The fields as a list that is searchable by name.
    static var schema: Schema { get }
    /// The JSON members, known and unknown, in their order.
    var members: JSONObject { get set }
    /// Creates a payload from JSON members of any type; a field checks the type when it is read.
    init(members: JSONObject)
}

extension PayloadModel {
    /// Creates a payload without members.
    public init() {
        self.init(members: JSONObject())
    }

    /// The value of a field; nil if the member is absent, null, or of another type.
    public subscript<Value: FieldValue>(dynamicMember path: KeyPath<Fields, Field<Value>>) -> Value? {
        get { members[Self.fields[keyPath: path].name].flatMap(Value.init(json:)) }
        set { members[Self.fields[keyPath: path].name] = newValue?.json }
    }

    /// An object with the fields of the schema.
    public static var shape: FieldShape { .object(schema) }

    /// Creates a payload from a JSON object.
    public init?(json: JSONValue) {
        guard let object = json.object else { return nil }
        self.init(members: object)
    }

    /// The members as a JSON object.
    public var json: JSONValue { .object(members) }

    /// The members that have no field.
    public var unknownMembers: [JSONObject.Member] {
        members.members.filter { Self.schema[$0.name] == nil }
    }
}

/// The declaration of one payload field: its JSON name and its type.
public struct Field<Value: FieldValue>: Sendable {
    /// The name of the JSON member.
    public let name: String

    /// Declares a field.
    public init(_ name: String) {
        self.name = name
    }
}
