internal import ReceiptTypes

/// The schemas of what `legacy-response` prints.
///
/// A response has no member `schema`, because the endpoint's had none.
enum LegacyResponseSchemas {
    static let name = "verify-receipt/legacy-response-1"
    static let meaning =
        "a response as the verifyReceipt endpoint gave it, from legacy-response; no member names this schema"

    static let response = JSONSchema.object(
        ["status": JSONSchema(["enum": .array(VerifyReceiptStatus.known.map(\.json))])],
        optional: [
            "environment": Shapes.environment, "receipt": receipt, "latest_receipt_info": purchases,
            "latest_receipt": .text.described("the receipt in base64"),
            "pending_renewal_info": .list(
                of: .object([:], optional: ["original_transaction_id": .text, "product_id": .text])),
        ]
    ).defining([
        "purchase": purchase, "date": date("Etc/GMT"), "milliseconds": digits, "pacific": date("America/Los_Angeles"),
        "flag": .word(of: ["true", "false"]),
    ])

    static let subscription = JSONSchema.object([
        "type": .constant("subscription"), "source": .text, "item": .number, "bundleId": .text.orNull,
        "environment": Shapes.environment.orNull, "originalTransactionId": .text, "productId": .text.orNull,
        "transactionId": .text.orNull, "state": JSONSchema.openWord(such: states).orNull, "purchaseDate": .time.orNull,
        "expiresDate": .time.orNull, "cancellationDate": .time.orNull, "isTrialPeriod": JSONSchema.flag.orNull,
        "isInIntroOfferPeriod": JSONSchema.flag.orNull, "promotionalOfferId": .text.orNull, "transactions": .number,
        "signedDate": .time.orNull,
    ])

    private static let states = AppReceiptSubscription.State.allCases.map(\.rawValue)

    private static let receipt = JSONSchema.object(
        ["receipt_type": .text, "bundle_id": .text, "in_app": purchases],
        optional: [
            "adam_id": .integer, "app_item_id": .integer, "application_version": .text, "download_id": .integer,
            "version_external_identifier": .integer, "original_application_version": .text,
        ]
    ).addingDates(["receipt_creation_date", "request_date", "original_purchase_date", "expiration_date"])

    private static let purchases = JSONSchema.list(of: .definition("purchase"))

    private static let purchase = JSONSchema.object(
        [:],
        optional: [
            "quantity": digits, "product_id": .text, "transaction_id": .text, "original_transaction_id": .text,
            "web_order_line_item_id": digits, "is_trial_period": .definition("flag"),
            "is_in_intro_offer_period": .definition("flag"), "cancellation_reason": digits,
            "promotional_offer_id": .text,
        ]
    ).addingDates(["purchase_date", "original_purchase_date", "expires_date", "cancellation_date"])

    private static let digits = JSONSchema.text.setting("pattern", .string("^-?[0-9]+$"))

    private static func date(_ zoneName: String) -> JSONSchema {
        JSONSchema.text.setting(
            "pattern", .string("^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} \(zoneName)$"))
    }
}

extension JSONSchema {
    /// The object with three optional members for each date.
    fileprivate func addingDates(_ names: [String]) -> JSONSchema {
        names.reduce(self) { schema, name in
            schema.adding(
                JSONSchema(["properties": .object(Self.dateMembers(name))]))
        }
    }

    private static func dateMembers(_ name: String) -> JSONObject {
        [
            name: .object(definition("date").keywords), "\(name)_ms": .object(definition("milliseconds").keywords),
            "\(name)_pst": .object(definition("pacific").keywords),
        ]
    }
}
