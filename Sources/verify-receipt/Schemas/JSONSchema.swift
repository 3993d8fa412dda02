internal import ReceiptTypes

/// A schema, or a part of one, in the dialect 2020-12 of JSON Schema.
struct JSONSchema {
    private(set) var keywords: JSONObject

    init(_ keywords: JSONObject = [:]) {
        self.keywords = keywords
    }

    private init(type: String) {
        keywords = ["type": .string(type)]
    }

    // MARK: Values

    /// Any value.
    static let any = JSONSchema()
    static let text = JSONSchema(type: "string")
    static let flag = JSONSchema(type: "boolean")
    static let integer = JSONSchema(type: "integer")
    /// A number from 0.
    static let count = JSONSchema(["type": .string("integer"), "minimum": .integer(0)])
    /// A number from 1.
    static let number = JSONSchema(["type": .string("integer"), "minimum": .integer(1)])
    /// A time of RFC 3339.
    static let time = JSONSchema(["type": .string("string"), "format": .string("date-time")])
    /// The SHA-256 in 64 lower-case hexadecimal digits.
    static let digest = JSONSchema(["type": .string("string"), "pattern": .string("^[0-9a-f]{64}$")])
    /// An object with any members.
    static let members = JSONSchema(type: "object")

    /// Exactly one text.
    static func constant(_ text: String) -> JSONSchema { JSONSchema(["const": .string(text)]) }

    /// One of some words; a later version adds none.
    static func word(of words: [String]) -> JSONSchema { JSONSchema(["enum": .array(words.map(JSONValue.string))]) }

    /// A word; a later version can add some.
    static func openWord(such words: [String]) -> JSONSchema {
        JSONSchema(["type": .string("string"), "examples": .array(words.map(JSONValue.string))])
    }

    static func list(of element: JSONSchema) -> JSONSchema {
        JSONSchema(["type": .string("array"), "items": .object(element.keywords)])
    }

    /// An object in which each member is a count.
    static let counts = JSONSchema([
        "type": .string("object"), "additionalProperties": .object(JSONSchema.count.keywords),
    ])

    /// The schema of `$defs` with a name.
    static func definition(_ name: String) -> JSONSchema { JSONSchema(["$ref": .string("#/$defs/\(name)")]) }

    /// An object that has the required members, and can have the optional ones and others.
    static func object(
        _ required: KeyValuePairs<String, JSONSchema>, optional: KeyValuePairs<String, JSONSchema> = [:]
    ) -> JSONSchema {
        var properties = JSONObject()
        for (name, schema) in required { properties.append(name, .object(schema.keywords)) }
        for (name, schema) in optional { properties.append(name, .object(schema.keywords)) }
        return JSONSchema([
            "type": .string("object"), "properties": .object(properties),
            "required": .array(required.map { .string($0.key) }),
        ])
    }

    // MARK: Combinations

    /// The schema, or null.
    var orNull: JSONSchema {
        if case .string(let type)? = keywords["type"] {
            return setting("type", .array([.string(type), .string("null")]))
        }
        return JSONSchema(["anyOf": .array([.object(keywords), .object(["type": .string("null")])])])
    }

    /// The schema with the members of another object.
    func adding(_ other: JSONSchema) -> JSONSchema {
        var properties = keywords["properties"]?.object ?? [:]
        for member in other.keywords["properties"]?.object?.members ?? [] { properties[member.name] = member.value }
        let required = (keywords["required"]?.elements ?? []) + (other.keywords["required"]?.elements ?? [])
        return setting("properties", .object(properties)).setting("required", .array(required))
    }

    func described(_ text: String) -> JSONSchema { setting("description", .string(text)) }

    func setting(_ keyword: String, _ value: JSONValue) -> JSONSchema {
        var schema = self
        schema.keywords[keyword] = value
        return schema
    }

    func defining(_ definitions: KeyValuePairs<String, JSONSchema>) -> JSONSchema {
        var object = JSONObject()
        for (name, schema) in definitions { object.append(name, .object(schema.keywords)) }
        return setting("$defs", .object(object))
    }

    /// The complete document of a schema.
    func document(named name: String, meaning: String) -> JSONObject {
        var document: JSONObject = [
            "$schema": .string("https://json-schema.org/draft/2020-12/schema"),
            "$id": .string("urn:" + name.split(separator: "/").joined(separator: ":")), "title": .string(name),
            "description": .string(meaning),
        ]
        for member in keywords.members { document[member.name] = member.value }
        return document
    }
}
