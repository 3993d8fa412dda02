internal import ReceiptTypes
internal import ReceiptVerification

/// The schema of policy files.
///
/// It accepts what the library accepts, except that a schema cannot see repeated names and the contents of roots and
/// keys.
enum PolicyFileSchema {
    static let name = VerificationConfiguration.schemaName
    static let meaning =
        "a policy file, for --config. Not in this schema: no member, bundle ID or package is twice, a root has the "
        + "same environments everywhere, and roots and keys can be used."

    static let schema = JSONSchema.object(
        ["schema": .constant(name), "apps": list(of: app, atMost: 1000)],
        optional: [
            "$schema": string(atMost: 65_536), "roots": .definition("roots"), "onlyGivenRoots": .flag,
            "kinds": set(of: .word(of: ReceiptKind.allCases.map(\.rawValue))), "strict": .flag, "refuseRevoked": .flag,
            "distrust": set(of: distrusted, atMost: 1000),
        ]
    ).closed.defining([
        "roots": list(of: root, atMost: 32), "identifier": identifier, "environments": environments,
    ])

    private static let app = JSONSchema.object(
        [:],
        optional: [
            "bundleId": .definition("identifier"),
            "appAppleId": JSONSchema([
                "type": .string("integer"), "minimum": .integer(1), "maximum": .integer(9_007_199_254_740_991),
            ]),
            "environments": .definition("environments"), "products": set(of: string(of: "!-~"), atMost: 1000),
            "playPackage": .definition("identifier"), "playKey": string(atMost: 65_536),
            "playKeyFile": string(atMost: 65_536), "roots": .definition("roots"), "strict": .flag,
        ]
    ).closed.setting("anyOf", .array([required("bundleId"), required("playPackage")]))
        .setting(
            "dependentRequired",
            .object([
                "bundleId": names("environments"), "appAppleId": names("bundleId"), "environments": names("bundleId"),
                "roots": names("bundleId"), "playKey": names("playPackage"), "playKeyFile": names("playPackage"),
            ])
        )
        .setting(
            "dependentSchemas",
            .object(["playPackage": .object(["oneOf": .array([required("playKey"), required("playKeyFile")])])]))

    private static let root = JSONSchema.object(
        ["environments": .definition("environments")],
        optional: ["file": string(atMost: 65_536), "pem": string(atMost: 65_536)]
    ).closed.setting("oneOf", .array([required("file"), required("pem")]))

    private static let distrusted = JSONSchema([
        "oneOf": .array([
            .object(string(of: "0-9A-Fa-f", from: 64, atMost: 64).keywords), .object(certificate.keywords),
        ])
    ])

    private static let certificate = JSONSchema.object(
        [:], optional: ["file": string(atMost: 65_536), "pem": string(atMost: 65_536)]
    ).closed.setting("oneOf", .array([required("file"), required("pem")]))

    private static let identifier = string(of: "A-Za-z0-9._-")
    private static let environments = set(of: .word(of: ["Production", "Sandbox", "Xcode", "LocalTesting"]))

    // MARK: Parts

    private static func required(_ name: String) -> JSONValue { .object(["required": names(name)]) }

    private static func names(_ name: String) -> JSONValue { .array([.string(name)]) }

    private static func string(atMost count: Int64) -> JSONSchema {
        JSONSchema.text.setting("minLength", .integer(1)).setting("maxLength", .integer(count))
    }

    /// A string of the characters of a class of a regular expression.
    ///
    /// Dialects differ in what `$` matches, so the expression finds a character that is not allowed.
    private static func string(of characters: String, from least: Int64 = 1, atMost most: Int64 = 255) -> JSONSchema {
        string(atMost: most).setting("minLength", .integer(least))
            .setting("not", .object(["pattern": .string("[^\(characters)]")]))
    }

    private static func list(of element: JSONSchema, atMost count: Int64) -> JSONSchema {
        JSONSchema.list(of: element).setting("minItems", .integer(1)).setting("maxItems", .integer(count))
    }

    private static func set(of element: JSONSchema, atMost count: Int64? = nil) -> JSONSchema {
        let list = JSONSchema.list(of: element).setting("minItems", .integer(1))
            .setting("uniqueItems", .boolean(true))
        return count.map { list.setting("maxItems", .integer($0)) } ?? list
    }
}

extension JSONSchema {
    /// The object without other members.
    fileprivate var closed: JSONSchema { setting("additionalProperties", .boolean(false)) }
}
