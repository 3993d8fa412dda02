public import ReceiptTypes

/// A flaw that a test receipt can have, with the code of the failure that a verifier reports for it.
///
/// A server that grants access must reject a receipt with any of the flaws. Some flaws are none for every server, such
/// as a revoked purchase; ``requirement`` says what the verifier must require.
///
/// ```swift
/// for flaw in ReceiptFlaw.all where flaw.kinds.contains(.transaction) {
///     let receipt = try flaw.makeReceipt(from: transaction.members, by: authority, at: now)
///     print(flaw.name, flaw.code, receipt.text)
/// }
/// ```
public struct ReceiptFlaw: Sendable {
    /// The stable name in kebab case, such as `expired-leaf`.
    public let name: String
    /// The code of the failure that `ReceiptVerifier` reports.
    public let code: VerificationFailure.Code
    /// What is wrong with the receipt, in lower case without a final full stop.
    public let meaning: String
    /// The kinds of receipts that can have the flaw; the first one is the usual one.
    public let kinds: [ReceiptKind]
    /// What the verifier must require beyond a signature, the app, the environment and the product.
    package let condition: Condition
    let change: Change

    /// What the verifier must require, in words; nil if it needs no more than the app, the environment and the product.
    public var requirement: String? { condition.text }

    /// Returns the flaw with a name; nil if there is none.
    public init?(named name: String) {
        guard let flaw = Self.all.first(where: { $0.name == name }) else { return nil }
        self = flaw
    }

    init(
        _ name: String,
        _ code: VerificationFailure.Code,
        _ meaning: String,
        in kinds: [ReceiptKind] = Self.appStoreKinds,
        if condition: Condition = .none,
        _ change: Change
    ) {
        self.name = name
        self.code = code
        self.meaning = meaning
        self.kinds = kinds
        self.condition = condition
        self.change = change
    }

    /// The kinds of receipts that are a JWS.
    static let appStoreKinds: [ReceiptKind] = [
        .transaction, .renewalInfo, .notification, .appTransaction, .realtimeRequest,
    ]

    /// What a verifier must require to reject a receipt for its flaw.
    package enum Condition: Sendable, Hashable {
        case none
        /// Only receipts of this kind are accepted.
        case kind(ReceiptKind)
        /// Revoked purchases are rejected.
        case noRevokedPurchases
        /// The policy is strict.
        case strictness
        /// The policy is strict, and trusts the root of the tests beside a built-in one.
        case strictnessBesideBuiltInRoot
        /// The root is trusted only for receipts of Xcode.
        case rootOfOtherEnvironment
        /// The leaf is distrusted.
        case distrustedLeaf
        /// The root of the receipt is trusted, which is not that of the authority.
        case ownRoot
        /// The key is trusted that comes with the receipt, for the package of the receipt.
        case ownPlayKey
        /// The receipt must be bound to the device whose ID is ``otherDeviceID``.
        case otherDevice

        /// The ID of a device to which no test receipt is bound.
        package static let otherDeviceID = "5EC0DE00-0000-4000-8000-000000000001"

        var text: String? {
            switch self {
            case .none: nil
            case .kind(let kind): "the verifier accepts only \(kind.title)"
            case .noRevokedPurchases: "the verifier rejects revoked purchases"
            case .strictness: "the verifier rejects receipts of which not every requirement could be checked"
            case .strictnessBesideBuiltInRoot:
                "the verifier is strict, and trusts the test root beside Apple's without naming environments"
            case .rootOfOtherEnvironment: "the verifier trusts the root only for receipts of Xcode"
            case .distrustedLeaf: "the verifier distrusts the signing certificate"
            case .ownRoot: "the verifier trusts the root that comes with the receipt"
            case .ownPlayKey: "the verifier uses the key that comes with the receipt"
            case .otherDevice: "the verifier requires the device \(Self.otherDeviceID)"
            }
        }
    }
}

extension ReceiptFlaw: Hashable {
    /// Returns whether the names are equal.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

    /// Feeds the name into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A receipt with a flaw, and what a verifier must trust to find it.
public struct FlawedReceipt: Sendable {
    /// The flaw.
    public let flaw: ReceiptFlaw
    /// The receipt: a JWS, a Google Play purchase as JSON with its signature, an app receipt in base64, or what arrives
    /// in place of a receipt.
    public let text: String
    /// The root to trust, in DER: that of the authority, unless the flaw is one of the root.
    public let rootCertificate: [UInt8]
    /// The signing certificate in DER; nil for Google Play.
    public let leafCertificate: [UInt8]?
    /// The package of a Google Play purchase and its public key; nil for the App Store.
    public let playKey: PlayKey?

    /// The public key of a Google Play app, as the Play Console shows it.
    public struct PlayKey: Sendable, Hashable {
        /// The package name of the app.
        public let package: String
        /// The key: base64 of a SubjectPublicKeyInfo.
        public let publicKey: String
    }
}
