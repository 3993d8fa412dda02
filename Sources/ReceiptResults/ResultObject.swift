package import ReceiptTypes
package import ReceiptVerification

/// The JSON object of a result, which has the same members for every verdict.
package struct ResultObject {
    /// The name of the object's schema, which is the value of its member `schema`.
    package static let schemaName = "verify-receipt/result-1"

    /// Returns the hint for a failure, with the spelling of the front end.
    private let hint: (VerificationFailure) -> String

    package init(hint: @escaping (VerificationFailure) -> String) {
        self.hint = hint
    }

    /// Returns the members of a result, without the schema.
    ///
    /// - Parameter line: The number of the line of the source in which the receipt begins; nil if it is not known.
    package func make(
        source: String, item: Int, line: Int?, report: ReceiptReport, warnings: [ResultWarning]
    ) -> JSONObject {
        var object = JSONObject()
        object["type"] = .string("result")
        object["source"] = .string(source)
        object["item"] = .integer(Int64(item))
        object["line"] = line.map { .integer(Int64($0)) } ?? .null
        fill(&object, with: report)
        object["warnings"] = .array(warnings.map(\.json))
        return object
    }

    private func fill(_ object: inout JSONObject, with report: ReceiptReport) {
        let failure = report.failure
        object["verdict"] = .string(report.verdict.rawValue)
        object["code"] = Self.text(failure?.code.rawValue)
        object["step"] = Self.text(failure?.step.rawValue)
        object["message"] = Self.text(failure?.code.meaning)
        object["expected"] = Self.text(failure?.expected)
        object["actual"] = Self.text(failure?.actual)
        object["certificate"] = failure?.certificateIndex.map { .integer(Int64($0)) } ?? .null
        object["hint"] = Self.text(failure.map(hint))
        object["identifiers"] = .array((failure?.identifiers ?? []).map(\.json))
        object["retryable"] = .boolean(failure?.isRetryable ?? false)
        object["kind"] = Self.text(report.kind?.rawValue)
        let claims = IdentifyingClaims(kind: report.kind, payload: report.payload)
        object["bundleId"] = Self.text(claims.bundleID)
        object["productId"] = Self.text(claims.productID)
        object["transactionId"] = Self.text(claims.transactionID)
        object["originalTransactionId"] = Self.text(claims.originalTransactionID)
        object["environment"] = Self.text(report.environment?.rawValue)
        object["signedDate"] = Self.text(report.signingTime?.description)
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
    package static func trace(_ trace: VerificationTrace) -> JSONValue {
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
    package static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}

/// The identifying claims of a verified receipt, under the same names for every kind.
private struct IdentifyingClaims {
    var bundleID: String?
    var productID: String?
    var transactionID: String?
    var originalTransactionID: String?

    init(kind: ReceiptKind?, payload: JSONObject?) {
        guard let kind, let payload else { return }
        switch kind {
        case .transaction, .renewalInfo, .realtimeRequest:
            bundleID = payload["bundleId"]?.text
            productID = payload["productId"]?.text
            transactionID = payload["transactionId"]?.text
            originalTransactionID = payload["originalTransactionId"]?.text
        case .appTransaction, .appReceipt: bundleID = payload["bundleId"]?.text
        case .notification:
            let objects = ["data", "summary", "externalPurchaseToken", "appData"]
            guard let object = objects.lazy.compactMap({ payload[$0]?.object }).first else { return }
            bundleID = object["bundleId"]?.text
            productID = object["productId"]?.text
        case .playPurchase:
            bundleID = payload["packageName"]?.text
            productID = payload["productId"]?.text ?? payload["productIds"]?.elements?.first?.text
            transactionID = payload["orderId"]?.text
        }
    }
}
