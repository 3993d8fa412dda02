internal import ReceiptTypes

/// The schemas of the results of `verify` and `explain`.
enum ResultSchemas {
    static let result = beginning.adding(report).adding(.object(["warnings": warnings])).defining(["nested": nested])

    static let explanation = beginning.adding(report).adding(
        .object([
            "warnings": warnings, "trace": trace,
            "unreached": .list(of: Shapes.step).described("the steps after the last one with a check"),
            "certificates": Shapes.certificates, "signature": signature,
            "unverifiedPayload": .members.orNull.described("what a refused receipt says, which nothing vouches for"),
        ])
    ).defining(["nested": nested])

    private static let signature = JSONSchema.object(
        [:],
        optional: [
            "signedSha256": .digest, "r": .text, "s": .text, "signature": .text, "keySha256": .digest, "problem": .text,
        ]
    ).described("the values of the signature in hexadecimal digits")

    private static let beginning = JSONSchema.object([
        "type": .constant("result"), "source": .text.described("the file, - or argument"),
        "item": .number.described("the number of the receipt in its input"),
        "line": .number.orNull.described(
            "the line in which it begins; null if the input does not have it as it is: in an encoding, as bytes or "
                + "numbers, or with digits of something else between its lines"),
    ])

    /// The members of a receipt's report, also of one inside a notification.
    private static let report = JSONSchema.object([
        "verdict": Shapes.verdict, "code": Shapes.code.orNull, "step": Shapes.step.orNull, "message": .text.orNull,
        "expected": .text.orNull, "actual": .text.orNull, "certificate": Shapes.certificate.orNull,
        "hint": .text.orNull, "identifiers": Shapes.identifiers, "retryable": .flag, "kind": Shapes.kind.orNull,
        "bundleId": .text.orNull,
        "productId": .text.orNull, "transactionId": .text.orNull, "originalTransactionId": .text.orNull,
        "environment": Shapes.environment.orNull, "signedDate": .time.orNull,
        "payload": .members.orNull.described("what the store has signed; null unless the receipt is verified"),
        "anchor": Shapes.anchor.orNull, "leaf": Shapes.leaf.orNull, "unchecked": Shapes.claims,
        "missing": Shapes.claims, "nested": .list(of: .definition("nested")),
    ])

    private static let nested = JSONSchema.object(["name": .text]).adding(report)

    private static let warnings = JSONSchema.list(of: .object(["code": .text, "message": .text]))

    private static let trace = JSONSchema.list(
        of: .object([
            "step": Shapes.step, "check": .text,
            "outcome": .word(of: [VerificationTrace.Outcome.passed, .failed, .skipped].map(\.rawValue)),
            "expected": .text.orNull, "actual": .text.orNull, "certificate": Shapes.certificate.orNull,
            "code": Shapes.code.orNull, "note": .text.orNull,
        ]))
}

/// The schema of the contents that `inspect` prints, of which nothing is verified.
enum InspectionSchema {
    static let inspection = JSONSchema.object(
        [
            "type": .constant("inspection"), "source": .text, "item": .number, "line": .number.orNull,
            "verified": .falsehood,
            "form": .openWord(such: ["jws", "play", "app-receipt", "unrecognized"]),
        ],
        optional: [
            "data": .text, "signature": .text, "looksLike": Shapes.kind.orNull, "header": .members,
            "certificates": Shapes.certificates, "payload": .any, "signatureBytes": .count.orNull,
            "nested": .list(of: .definition("nested")),
        ]
    ).defining(["nested": nested])

    private static let nested = JSONSchema.object(
        [
            "name": .text, "verified": .falsehood, "looksLike": Shapes.kind.orNull, "header": .members,
            "certificates": Shapes.certificates, "payload": .any, "signatureBytes": .count.orNull,
        ], optional: ["nested": .list(of: .definition("nested"))])

}

extension JSONSchema {
    fileprivate static let falsehood = JSONSchema(["const": .boolean(false)])
}
