internal import ReceiptTypes
internal import ReceiptVerification

/// The JSON object of a result, which has the same members for every verdict.
enum ResultObject {
    static func make(
        source: String,
        item: Int,
        report: ReceiptReport,
        warnings: [PolicyWarning]
    ) -> JSONObject {
        var object = JSONObject()
        object["type"] = .string("result")
        object["source"] = .string(source)
        object["item"] = .integer(Int64(item))
        fill(&object, with: report)
        object["warnings"] = .array(warnings.map(\.json))
        return object
    }

    private static func fill(_ object: inout JSONObject, with report: ReceiptReport) {
        let failure = report.failure
        object["verdict"] = .string(report.verdict.rawValue)
        object["code"] = text(failure?.code.rawValue)
        object["step"] = text(failure?.step.rawValue)
        object["message"] = text(failure?.code.meaning)
        object["expected"] = text(failure?.expected)
        object["actual"] = text(failure?.actual)
        object["certificate"] = failure?.certificateIndex.map { .integer(Int64($0)) } ?? .null
        object["hint"] = text(failure?.hintWithRemedy)
        object["retryable"] = .boolean(failure?.isRetryable ?? false)
        object["kind"] = text(report.kind?.rawValue)
        let claims = IdentifyingClaims(kind: report.kind, payload: report.payload)
        object["bundleId"] = text(claims.bundleID)
        object["productId"] = text(claims.productID)
        object["transactionId"] = text(claims.transactionID)
        object["originalTransactionId"] = text(claims.originalTransactionID)
        object["environment"] = text(claims.environment)
        object["signedDate"] = text(report.signingTime?.description)
        object["payload"] = report.payload.map(JSONValue.object) ?? .null
        object["anchor"] = report.anchor?.json ?? .null
        object["leaf"] = report.leaf?.json ?? .null
        object["unchecked"] = .array(report.uncheckedClaims.map(JSONValue.string))
        object["missing"] = .array(report.missingClaims.map(JSONValue.string))
        object["nested"] = .array(
            report.nested.map { nested in
                var inner = JSONObject()
                inner["name"] = .string(nested.name)
                fill(&inner, with: nested.report)
                return .object(inner)
            }
        )
    }

    /// Returns the checks of a verification as a JSON array.
    static func trace(_ trace: VerificationTrace) -> JSONValue {
        .array(
            trace.events.map { event in
                var object = JSONObject()
                object["step"] = .string(event.step.rawValue)
                object["check"] = .string(event.check)
                object["outcome"] = .string(event.outcome.rawValue)
                object["expected"] = text(event.expected)
                object["actual"] = text(event.actual)
                object["certificate"] = event.certificateIndex.map { .integer(Int64($0)) } ?? .null
                object["code"] = text(event.code?.rawValue)
                object["note"] = text(event.note)
                return .object(object)
            }
        )
    }

    /// Returns a JSON string, or null for nil.
    static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}

/// The identifying claims of a verified receipt, under the same names for every kind.
private struct IdentifyingClaims {
    var bundleID: String?
    var productID: String?
    var transactionID: String?
    var originalTransactionID: String?
    var environment: String?

    init(kind: ReceiptKind?, payload: JSONObject?) {
        guard let kind, let payload else { return }
        switch kind {
        case .transaction, .renewalInfo, .realtimeRequest:
            bundleID = payload["bundleId"]?.text
            productID = payload["productId"]?.text
            transactionID = payload["transactionId"]?.text
            originalTransactionID = payload["originalTransactionId"]?.text
            environment = payload["environment"]?.text
        case .appTransaction:
            bundleID = payload["bundleId"]?.text
            environment = payload["receiptType"]?.text
        case .notification:
            let objects = ["data", "summary", "externalPurchaseToken", "appData"]
            guard let object = objects.lazy.compactMap({ payload[$0]?.object }).first else { return }
            bundleID = object["bundleId"]?.text
            productID = object["productId"]?.text
            environment = object["environment"]?.text
        case .playPurchase:
            bundleID = payload["packageName"]?.text
            productID = payload["productId"]?.text ?? payload["productIds"]?.elements?.first?.text
            transactionID = payload["orderId"]?.text
        case .appReceipt:
            bundleID = payload["bundleId"]?.text
            environment = AppReceipt(members: payload).environment?.rawValue
        }
    }
}
