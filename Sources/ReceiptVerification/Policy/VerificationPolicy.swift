public import ReceiptTypes

/// The claims that a receipt must have, beyond a valid signature, to be accepted.
///
/// Every requirement is optional. A claim without a requirement is not checked, and app and environment are then
/// reported as unchecked. One policy can accept several apps and environments, and each ``App`` can have rules of its
/// own. ``VerificationConfiguration`` reads a policy from a file.
///
/// ```swift
/// let policy = VerificationPolicy(
///     apps: [.init(bundleID: "com.example.app", appAppleID: 1_234_567_890)],
///     environments: [.production]
/// )
/// ```
public struct VerificationPolicy: Sendable, Hashable {
    /// The instant at which certificates must be valid.
    public enum Validity: Sendable, Hashable {
        /// The signing time of the receipt, so that a receipt stays valid after its certificate has expired.
        case signing
        /// The current time of the verifier's clock.
        case now
        /// A given instant.
        case at(Timestamp)
    }

    /// The default of ``maximumSize``: 262,144 bytes.
    public static let defaultMaximumSize = Budget.receiptSize

    /// The accepted apps; if empty, all apps.
    public var apps: [App]
    /// The accepted environments; if empty, all environments.
    public var environments: Set<StoreEnvironment>
    /// The accepted kinds of receipt; if empty, all kinds.
    public var kinds: Set<ReceiptKind>
    /// The accepted product IDs; if empty, all products.
    public var productIDs: Set<String>
    /// Whether a receipt is unverified if its app, its environment or another required claim was not checked.
    ///
    /// App and environment are unchecked if the policy does not name them. Every required claim is unchecked if the
    /// receipt does not have it; ``ReceiptReport/missingClaims`` names these. An Apple ID can be missing where the
    /// bundle ID was checked.
    public var isStrict: Bool
    /// Whether a purchase that the store has revoked is unverified.
    ///
    /// By default it is verified, and its payload has the revocation date. A purchase that was refunded in part
    /// (``/ReceiptTypes/PurchaseRefund``) is verified with the warning `refunded-in-part`.
    public var refusesRevokedPurchases: Bool
    /// The device to which an app receipt must be bound; nil for any device.
    ///
    /// Receipts of the other kinds are not bound to it, and are reported as unchecked.
    public var device: DeviceID?
    /// The instant at which certificates must be valid.
    public var validity: Validity
    /// The maximum size of a JWS or of a Google Play purchase in bytes; an app receipt can have 8 MiB.
    public var maximumSize: Int
    /// The SHA-256 digests of certificates and keys that are not trusted, although their chain ends at a trusted root.
    ///
    /// Use it for a leaf or an intermediate whose key was stolen: revocation is not checked. A digest can be that of a
    /// certificate in DER, of its TBSCertificate, of its SubjectPublicKeyInfo, or of its IssuerAndSerialNumber
    /// (RFC 5652 10.2.4). It is compared with each certificate of a chain, the root included, and with keys in the key
    /// cache. No signature covers the signature of a certificate, so a certificate is found in both forms that an ECDSA
    /// signature has. ``distrust(_:)`` adds the digests of a certificate.
    public var distrustedCertificates: Set<SHA256Digest>
    /// Whether a Google Play purchase is verified in any state, for a caller that reads the state itself.
    package var leavesPlayStateToCaller = false
    /// Whether a receipt is verified although it was signed after the current time, for a caller that reads the signing
    /// time itself.
    package var leavesFutureSignaturesToCaller = false

    /// Creates a policy.
    ///
    /// Without arguments, it accepts every receipt with a valid signature.
    public init(
        apps: [App] = [],
        environments: Set<StoreEnvironment> = [],
        kinds: Set<ReceiptKind> = [],
        productIDs: Set<String> = [],
        isStrict: Bool = false,
        refusesRevokedPurchases: Bool = false,
        device: DeviceID? = nil,
        validity: Validity = .signing,
        maximumSize: Int = defaultMaximumSize,
        distrustedCertificates: Set<SHA256Digest> = []
    ) {
        self.apps = apps
        self.environments = environments
        self.kinds = kinds
        self.productIDs = productIDs
        self.isStrict = isStrict
        self.refusesRevokedPurchases = refusesRevokedPurchases
        self.device = device
        self.validity = validity
        self.maximumSize = maximumSize
        self.distrustedCertificates = distrustedCertificates
    }
}
