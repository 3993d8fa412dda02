internal import ReceiptTypes
internal import ReceiptVerification

/// One result for a program: a JSON object with the same members whatever the verdict.
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
        let facts = ReceiptFacts(kind: report.kind, payload: report.payload)
        object["bundleId"] = text(facts.bundleID)
        object["productId"] = text(facts.productID)
        object["transactionId"] = text(facts.transactionID)
        object["originalTransactionId"] = text(facts.originalTransactionID)
        object["environment"] = text(facts.environment)
        object["signedDate"] = text(report.signingTime?.description)
        object["payload"] = report.payload.map(JSONValue.object) ?? .null
        object["unchecked"] = .array(report.uncheckedClaims.map(JSONValue.string))
        object["nested"] = .array(
            report.nested.map { nested in
                var inner = JSONObject()
                inner["name"] = .string(nested.name)
                fill(&inner, with: nested.report)
                return .object(inner)
            }
        )
    }

    /// The trace of an explanation.
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

    static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}
