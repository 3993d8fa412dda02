internal import ReceiptTypes

/// The schemas of the lines of `batch`.
enum BatchSchemas {
    static let result = JSONSchema.object(
        [
            "type": .constant("result"), "source": .text, "line": .number,
            "record": .number.described("the number of the line or row in its source, without the header row"),
            "item": .number.described("the number of the receipt in its record"),
        ], optional: ["input": .members.orNull.described("what --keep names, as it is in the record")]
    ).adding(report).defining(["nested": JSONSchema.object(["name": .text]).adding(report)])

    /// The members of a receipt's report, also of one inside a notification.
    private static let report = JSONSchema.object(
        [
            "verdict": Shapes.verdict, "code": Shapes.code.orNull, "kind": Shapes.kind.orNull, "bundleId": .text.orNull,
            "productId": .text.orNull, "transactionId": .text.orNull, "originalTransactionId": .text.orNull,
            "environment": Shapes.environment.orNull, "signedDate": .time.orNull, "revocationDate": .time.orNull,
            "anchor": Shapes.anchor.orNull, "leaf": Shapes.leaf.orNull,
        ],
        optional: [
            "missing": Shapes.claims, "revoked": JSONSchema(["const": .boolean(true)]),
            "refundedInPart": JSONSchema(["const": .boolean(true)]), "revocationReason": .any,
            "notificationType": .any, "subtype": .any, "notificationUUID": .any, "expiresDate": .any,
            "price": .any.described("a decimal in units of the currency"), "currency": .any, "storefront": .any,
            "step": Shapes.step, "message": .text, "expected": .text.orNull, "actual": .text.orNull,
            "certificate": Shapes.certificate, "identifiers": Shapes.identifiers,
            "unverifiedIds": JSONSchema.object(
                [:],
                optional: [
                    "bundleId": .text, "productId": .text, "transactionId": .text, "originalTransactionId": .text,
                ]
            ).described("what the receipt claims to be, although it is not verified"),
            "payload": .members, "nested": .list(of: .definition("nested")),
        ])

    /// The fields have the names of --fields.
    static let fields = JSONSchema.object([:], optional: ["input": .members.orNull, "payload": .any])
        .setting("additionalProperties", .boolean(true))

    static let count = JSONSchema.object(["type": .constant("count"), "fields": .members, "count": .number])

    static let sum = JSONSchema.object([
        "type": .constant("sum"), "fields": .members, "purchases": .number,
        "price": .any.described("a decimal in units of the currency; null if it is too large"),
        "refunded": .any, "kept": .any,
    ])

    static let duplicate = JSONSchema.object([
        "type": .constant("duplicate"), "bundleId": .text.orNull, "environment": Shapes.environment.orNull,
        "transactionId": .text.orNull, "purchaseToken": .text.orNull, "count": .number, "verified": .count,
        "sameReceipt": .flag.described("whether all are one receipt, byte for byte in what is signed"),
        "occurrences": .list(
            of: .object([
                "source": .text, "line": .number, "record": .number, "item": .number, "verdict": Shapes.verdict,
                "signedSha256": .text.orNull,
            ])
        ).described("the first of them"),
    ])

    static let summary = JSONSchema.object(
        [
            "type": .constant("summary"), "total": .count, "verdicts": .counts, "codes": .counts, "kinds": .counts,
            "environments": .counts, "revoked": .count, "missing": .counts,
        ],
        optional: [
            "searchable": .number, "undated": .number, "empty": .number, "misquoted": .number, "code": Shapes.code,
        ])
}
