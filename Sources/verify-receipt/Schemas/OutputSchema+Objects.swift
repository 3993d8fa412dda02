internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

extension OutputSchema {
    /// The JSON Schema of the objects, which other members can join.
    var objectSchema: JSONSchema {
        let schema: JSONSchema =
            switch self {
            case .result: ResultSchemas.result
            case .explanation: ResultSchemas.explanation
            case .inspection: InspectionSchema.inspection
            case .batchResult: BatchSchemas.result
            case .batchFields: BatchSchemas.fields
            case .batchCount: BatchSchemas.count
            case .batchSum: BatchSchemas.sum
            case .batchDuplicate: BatchSchemas.duplicate
            case .batchSummary: BatchSchemas.summary
            case .subscription: LegacyResponseSchemas.subscription
            case .code: Self.codeSchema
            case .key: Self.keySchema
            case .root: Self.rootSchema
            case .specimen: Self.specimenSchema
            case .vectorDifference: Self.differenceSchema
            case .vectorSummary: Self.vectorSummarySchema
            }
        return JSONSchema.object(["schema": .constant(rawValue)]).adding(schema).keepingRules(of: schema)
    }

    private static let codeSchema = JSONSchema.object([
        "type": .constant("code"), "code": Shapes.code, "verdict": Shapes.verdict, "step": Shapes.step,
        "meaning": .text, "hint": .text, "retryable": .flag, "errorCode": .text,
    ])

    private static let keySchema = JSONSchema.object([
        "type": .constant("key"), "subject": .text, "serialNumber": .text, "notBefore": .time, "notAfter": .time,
        "chain": .digest, "anchor": .digest, "localTesting": .flag, "publicKey": .text,
    ])

    private static let rootSchema = JSONSchema.object(
        [
            "type": .constant("root"), "subject": .text, "sha256": .digest, "notBefore": .time,
            "notAfter": .time, "builtIn": .flag, "environments": .list(of: Shapes.environment).orNull,
        ], optional: ["source": .text, "trusted": .flag, "role": .openWord(such: ["root", "local", "leaf"])])

    private static let specimenSchema = JSONSchema.object([
        "type": .constant("specimen"), "file": .text, "kind": Shapes.kind, "flaw": .text.orNull,
        "verdict": Shapes.verdict, "code": Shapes.code.orNull, "meaning": .text.orNull, "requirement": .text.orNull,
        "root": .text, "bundleId": .text, "appAppleId": .integer, "environment": Shapes.environment, "productId": .text,
        "signedAt": .time, "arguments": .list(of: .text).described("the options of verify that the code needs"),
    ])

    private static let differenceSchema = JSONSchema.object([
        "type": .constant("difference"), "file": .text, "id": .integer, "comment": .text, "expected": .text,
        "actual": .text,
    ])

    private static let vectorSummarySchema = JSONSchema.object([
        "type": .constant("summary"), "vectors": .count, "files": .count, "differences": .count,
    ])
}

extension JSONSchema {
    /// The schema with what another one has beside its members: its definitions, and whether others are described.
    fileprivate func keepingRules(of other: JSONSchema) -> JSONSchema {
        ["additionalProperties", "$defs"].reduce(self) { schema, name in
            other.keywords[name].map { schema.setting(name, $0) } ?? schema
        }
    }
}

/// The shapes that several schemas share.
enum Shapes {
    static let verdict = JSONSchema.word(of: Verdict.allCases.map(\.rawValue))
    static let code = JSONSchema.openWord(such: VerificationFailure.Code.all.map(\.rawValue))
        .described("a code that verify-receipt codes lists")
    static let step = JSONSchema.openWord(such: VerificationStep.allCases.map(\.rawValue))
    static let kind = JSONSchema.openWord(such: ReceiptKind.allCases.map(\.rawValue))
    static let environment = JSONSchema.openWord(such: StoreEnvironment.known.map(\.rawValue))
    static let claims = JSONSchema.list(
        of: .openWord(such: ["bundleId", "appAppleId", "environment", "productId", "revocationDate"]))
    static let identifiers = JSONSchema.list(
        of: .object([
            "kind": .openWord(such: FoundIdentifier.Kind.allCases.map(\.rawValue)), "value": .text, "lookup": .text,
        ])
    ).described("the identifiers of purchases in an input without a receipt, and where to look them up")
    static let anchor = JSONSchema.object(["subject": .text, "sha256": .digest, "builtIn": .flag])
        .described("the root under which the receipt is signed")
    static let leaf = JSONSchema.object(["serialNumber": .text, "sha256": .digest])
    /// The index in `x5c` of the certificate that was rejected.
    static let certificate = JSONSchema.count
    /// The certificates of a chain, of which nothing is verified.
    static let certificates = JSONSchema.list(
        of: .object([
            "index": .count, "subject": .text, "issuer": .text, "serialNumber": .text, "notBefore": .time,
            "notAfter": .time, "key": .text, "signatureAlgorithm": .text, "extensions": .list(of: .text),
            "sha256": .digest,
        ]))
}
