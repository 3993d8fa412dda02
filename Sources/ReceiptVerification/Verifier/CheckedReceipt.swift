internal import ReceiptTypes

/// A receipt that has been looked at: the verdict, and what it says where it was read.
struct CheckedReceipt {
    var examination: Examination
    /// What the payload is, once its signature has verified.
    var kind: ReceiptKind?
    /// The payload, once its signature has verified; authentic, but to be trusted only when the examination holds.
    var document: JSONDocument?
    var signingTime: Timestamp?
    var unchecked: UncheckedClaims = []
    var nested: [NestedReceipt] = []

    init(isTracing: Bool) {
        examination = Examination(isTracing: isTracing)
    }

    var isVerified: Bool { examination.holds }

    var verdict: Verdict { examination.failure?.verdict ?? .verified }

    /// The whole payload as a tree.
    var payload: JSONObject? { document?.root.object }

    /// What the payload says about where it belongs.
    var claims: ReceiptClaims? {
        guard let kind, let document else { return nil }
        return ReceiptClaims(document.root, kind: kind)
    }

    /// The reason, with the payload under its warning name.
    var failure: VerificationFailure? {
        guard var failure = examination.failure else { return nil }
        failure.untrustedPayload = payload
        return failure
    }
}

/// A receipt inside a notification.
final class NestedReceipt {
    /// The member that held it, such as `signedTransactionInfo`.
    let name: String
    let receipt: CheckedReceipt

    init(name: String, receipt: CheckedReceipt) {
        self.name = name
        self.receipt = receipt
    }
}

/// What a policy did not ask for, or asked for in vain.
struct UncheckedClaims: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let bundleID = UncheckedClaims(rawValue: 1)
    static let appAppleID = UncheckedClaims(rawValue: 2)
    static let environment = UncheckedClaims(rawValue: 4)

    /// The claims' names in the payload.
    var names: [String] {
        [(Self.bundleID, "bundleId"), (.appAppleID, "appAppleId"), (.environment, "environment")]
            .filter { contains($0.0) }.map(\.1)
    }
}
