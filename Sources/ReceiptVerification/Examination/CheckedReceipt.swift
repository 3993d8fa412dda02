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

    /// A receipt about which the machine could decide nothing.
    init(isTracing: Bool, undecidedBy fault: CryptoFault) {
        self.init(isTracing: isTracing)
        examination.refuse(fault)
    }

    var isVerified: Bool { examination.holds }

    var verdict: Verdict { examination.failure?.verdict ?? .verified }

    /// The whole payload as a tree.
    var payload: JSONObject? { document?.root.object }

    /// The reason, with the payload under its warning name.
    var failure: VerificationFailure? {
        guard var failure = examination.failure else { return nil }
        failure.untrustedPayload = payload
        return failure
    }
}

extension VerificationResult where Payload: PayloadModel {
    /// The payload of a verified receipt in its own type, or the failure.
    init(_ receipt: CheckedReceipt) {
        if let failure = receipt.failure {
            self = .unverified(failure)
        } else if let payload = receipt.payload {
            self = .verified(Payload(members: payload))
        } else {
            self = .unverified(VerificationFailure(code: .internalError))
        }
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
