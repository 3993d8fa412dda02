internal import PurchaseCore
internal import ReceiptTypes

/// Returns the log for support as a document, with some facts by name.
public typealias SupportLogExport = @Sendable (_ facts: [String: String]) async throws -> [UInt8]

extension Sequence<PurchaseError> {
    /// The facts about failures for a log for support: the products, the classes, and the codes of rejected purchases.
    var supportFacts: [String: String] {
        var facts: [String: String] = [:]
        func add(_ name: String, _ value: (PurchaseError) -> String?) {
            var values: [String] = []
            for value in compactMap(value) where !values.contains(value) { values.append(value) }
            if !values.isEmpty { facts[name] = values.joined(separator: ", ") }
        }
        add("product") { $0.productID }
        add("failure") { $0.code.rawValue }
        add("verification") { $0.verificationFailure?.code.rawValue }
        return facts
    }
}

extension PurchaseError {
    /// The reason that a purchase is not verified, also as the cause of a purchase that has failed; nil for other
    /// errors.
    var verificationFailure: VerificationFailure? {
        (underlying as? VerificationFailure) ?? (underlying as? PurchaseFlowError)?.verificationFailure
    }
}
