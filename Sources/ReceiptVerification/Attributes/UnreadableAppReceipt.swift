internal import ReceiptTypes

/// The reason why the content of a receipt is rejected.
struct UnreadableAppReceipt: Error {
    let code: VerificationFailure.Code
    let expected: String
    let actual: String

    static func malformed(_ expected: String, _ actual: String) -> Self {
        Self(code: .attributesMalformed, expected: expected, actual: actual)
    }

    static func tooManyPurchases() -> Self {
        Self(
            code: .tooManyPurchases, expected: "at most \(Budget.appReceiptPurchases) in-app purchases",
            actual: "more in-app purchases")
    }

    /// - Parameter place: The receipt or an in-app purchase.
    static func tooManyAttributes(_ limit: Int, of place: String) -> Self {
        Self(
            code: .tooManyAttributes, expected: "at most \(limit) attributes", actual: "more attributes of \(place)")
    }

    static func duplicate(_ attribute: AppReceiptAttribute, in place: String) -> Self {
        Self(
            code: .attributeDuplicate, expected: "attribute \(attribute.type) (\(attribute.name)) at most once",
            actual: "twice in \(place)")
    }

    static func missing(_ attribute: AppReceiptAttribute) -> Self {
        Self(
            code: .attributeMissing, expected: "attribute \(attribute.type) (\(attribute.name))",
            actual: "no such attribute")
    }

    static func invalid(_ attribute: AppReceiptAttribute, _ expected: String, _ actual: String) -> Self {
        Self(
            code: .attributeInvalid, expected: "\(expected) in attribute \(attribute.type) (\(attribute.name))",
            actual: actual)
    }

    /// - Parameter value: The value, whose beginning is shown in hexadecimal.
    static func invalid(_ attribute: AppReceiptAttribute, _ expected: String, found value: RawSpan) -> Self {
        guard value.byteCount > 0 else { return invalid(attribute, expected, "no bytes") }
        let shown = 16
        let beginning = Hexadecimal.encode(value.extracting(0..<min(value.byteCount, shown)).array)
        return invalid(
            attribute, expected, "\(value.byteCount) bytes, \(beginning)\(value.byteCount > shown ? "…" : "")")
    }
}
