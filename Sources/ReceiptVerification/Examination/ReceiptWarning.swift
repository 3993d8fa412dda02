public import ReceiptTypes

/// A circumstance that weakens a verdict without changing it; a strict policy rejects most such receipts instead.
public struct ReceiptWarning: Sendable, Hashable, CustomStringConvertible {
    /// The kind of warning; later versions can add codes.
    public struct Code: ErrorCode {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The chain of a receipt of Production ends at a given root without a limit, although Apple's root is trusted.
        public static let givenRootForProduction = Code(rawValue: "given-root-for-production")
        /// A Google Play purchase has no `purchaseState`, which Google's library reads as purchased.
        public static let purchaseStateAbsent = Code(rawValue: "purchase-state-absent")
        /// A part of the purchase was refunded, and the policy rejects revoked purchases.
        public static let refundedInPart = Code(rawValue: "refunded-in-part")
    }

    /// The kind of warning.
    public let code: Code
    /// What is true of this receipt in particular, such as what remains after a refund.
    public let detail: String?

    /// Creates a warning.
    public init(code: Code, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// The warning in one sentence, without a final full stop.
    public var message: String {
        switch code {
        case .givenRootForProduction:
            detail ?? "a receipt of Production is signed under a given root, not under Apple's"
        case .purchaseStateAbsent: "the purchase has no purchaseState; Google's library reads that as purchased"
        case .refundedInPart: detail ?? "a part of the purchase was refunded"
        default: "the receipt has a warning that this version cannot describe"
        }
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

/// The warnings about one receipt.
struct ReceiptWarnings: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let givenRootForProduction = ReceiptWarnings(rawValue: 1)

    static let purchaseStateAbsent = ReceiptWarnings(rawValue: 2)
    static let refundedInPart = ReceiptWarnings(rawValue: 4)
}

extension CheckedReceipt {
    /// The warnings, with what is true of this receipt in particular.
    var warningList: [ReceiptWarning] {
        var list: [ReceiptWarning] = []
        if warnings.contains(.givenRootForProduction) {
            // A receipt of an unknown environment counts as one of Production.
            let isProduction = claims?.environment == StoreEnvironment.production.rawValue
            let name = claims?.environment == nil ? "without an environment" : "of an environment that is not known"
            let detail = "a receipt \(name) is signed under a given root, not under Apple's"
            list.append(ReceiptWarning(code: .givenRootForProduction, detail: isProduction ? nil : detail))
        }
        if warnings.contains(.purchaseStateAbsent) { list.append(ReceiptWarning(code: .purchaseStateAbsent)) }
        if warnings.contains(.refundedInPart) {
            let refund = claims?.refund.text(currency: payload?["currency"]?.text)
            list.append(ReceiptWarning(code: .refundedInPart, detail: refund))
        }
        return list
    }
}
