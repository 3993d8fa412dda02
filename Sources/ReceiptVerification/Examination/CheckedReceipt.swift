internal import ReceiptTypes

/// A receipt with the outcome of its checks and, if its claims were checked, with its payload.
struct CheckedReceipt {
    var examination: Examination
    /// The kind of the payload; nil until the signature has verified.
    var kind: ReceiptKind?
    /// The payload; nil until the signature has verified and the claims were checked.
    ///
    /// It is authentic, but trusted only if all checks have passed.
    var document: JSONDocument? {
        get { json ?? appReceipt?.document }
        set { json = newValue }
    }
    private var json: JSONDocument?
    /// The content of an app receipt, under the same conditions.
    var appReceipt: AppReceiptContent?
    /// Whether the signed payload is exactly `null`.
    var isPayloadNull = false
    var signingTime: Timestamp?
    /// The environment that the claims tell, as ``ReceiptClaims/environment`` derives it.
    var environment: String?
    /// The place in the policy of the app whose rules the receipt has to meet; nil if it names none of them.
    var app: Int?
    var unchecked: UncheckedClaims = []
    /// The unchecked claims that the policy requires.
    var missing: UncheckedClaims = []
    var nested: [NestedReceipt] = []
    /// The certificates under which the receipt is signed; nil until the signature has verified, and for Google Play.
    var signer: SignerFacts?
    var warnings: ReceiptWarnings = []

    init(isTracing: Bool) {
        examination = Examination(isTracing: isTracing)
    }

    /// Creates a receipt that a failure of the system leaves undecided.
    init(isTracing: Bool, undecidedBy fault: CryptoFault) {
        self.init(isTracing: isTracing)
        examination.refuse(fault)
    }

    var isVerified: Bool { examination.isPassing }

    var verdict: Verdict { examination.failure?.verdict ?? .verified }

    /// The receipt as it would be if revoked purchases were not refused, which is the last check; nil if it was not
    /// refused so. The version of a purchase that shows its refund counts in sums.
    var acceptedIfRevoked: CheckedReceipt? {
        guard examination.failure?.code == .purchaseRevoked else { return nil }
        var accepted = self
        accepted.examination = Examination(isTracing: false)
        return accepted
    }

    /// The payload as a tree.
    var payload: JSONObject? {
        if let appReceipt { return appReceipt.payload }
        guard let document else { return nil }
        return document.root.object
    }

    /// The failure, with the payload as its untrusted payload.
    var failure: VerificationFailure? {
        guard var failure = examination.failure else { return nil }
        failure.untrustedPayload = payload
        return failure
    }
}

extension VerificationResult where Payload: PayloadModel {
    /// Creates the result of a check: the payload in its own type, or the failure.
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

extension VerificationResult where Payload == AppReceipt {
    /// Creates the result of a check: the app receipt, whose members are not made yet, or the failure.
    init(ofAppReceipt receipt: CheckedReceipt) {
        if receipt.examination.isPassing, let content = receipt.appReceipt {
            self = .verified(content.receipt)
        } else {
            self.init(receipt)
        }
    }
}

/// A receipt inside a notification.
final class NestedReceipt {
    /// The member that contains the receipt, such as `signedTransactionInfo`.
    let name: String
    let receipt: CheckedReceipt

    init(name: String, receipt: CheckedReceipt) {
        self.name = name
        self.receipt = receipt
    }
}

/// The claims that were not compared with the policy: the policy names no value, or the payload has none.
struct UncheckedClaims: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let bundleID = UncheckedClaims(rawValue: 1)
    static let appAppleID = UncheckedClaims(rawValue: 2)
    static let environment = UncheckedClaims(rawValue: 4)
    static let productID = UncheckedClaims(rawValue: 8)
    static let revocationDate = UncheckedClaims(rawValue: 16)
    static let device = UncheckedClaims(rawValue: 32)

    private static let allNames: [(claim: Self, name: String)] = [
        (.bundleID, "bundleId"), (.appAppleID, "appAppleId"), (.environment, "environment"),
        (.productID, "productId"), (.revocationDate, "revocationDate"),
        (.device, "deviceHash"),
    ]

    /// The names of the claims in the payload.
    var names: [String] { isEmpty ? [] : Self.allNames.filter { contains($0.claim) }.map(\.name) }
}
