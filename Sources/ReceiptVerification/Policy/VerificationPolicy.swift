public import ReceiptTypes

/// What a receipt must say, beside being signed, to be accepted.
///
/// Everything is optional: what is not asked for is not checked, and is reported as unchecked. One policy can accept
/// several apps and environments.
///
/// ```swift
/// let policy = VerificationPolicy(
///     apps: [.init(bundleID: "com.example.app", appAppleID: 1_234_567_890)],
///     environments: [.production]
/// )
/// ```
public struct VerificationPolicy: Sendable, Hashable {
    /// An app whose receipts are accepted.
    public struct App: Sendable, Hashable {
        /// The bundle id, or the package name on Google Play; compared whole and case-sensitively.
        public var bundleID: String
        /// The app's numeric id in the App Store, compared where the receipt has one.
        public var appAppleID: Int64?

        /// Names an app.
        public init(bundleID: String, appAppleID: Int64? = nil) {
            self.bundleID = bundleID
            self.appAppleID = appAppleID
        }
    }

    /// The instant at which certificates have to be valid.
    public enum Validity: Sendable, Hashable {
        /// When the receipt says that it was signed; a genuine receipt stays genuine after its certificate has expired.
        case signing
        /// The verifier's clock.
        case now
        /// A given instant.
        case at(Timestamp)
    }

    /// The default of ``maximumSize``, in bytes. The largest genuine notification seen has 18.8 kB.
    public static let defaultMaximumSize = 262_144

    /// The accepted apps; none: every app.
    public var apps: [App]
    /// The accepted environments; none: every environment.
    public var environments: Set<StoreEnvironment>
    /// The accepted kinds of receipt; none: every kind.
    public var kinds: Set<ReceiptKind>
    /// The accepted product ids; none: every product.
    public var productIDs: Set<String>
    /// Whether a receipt is refused when its app or environment was not checked.
    public var isStrict: Bool
    /// Whether a purchase that the store has revoked is refused; by default it is verified and says that it is revoked.
    public var refusesRevokedPurchases: Bool
    /// The instant at which certificates have to be valid.
    public var validity: Validity
    /// The largest receipt that is looked at, in bytes.
    public var maximumSize: Int

    /// Makes a policy; without arguments it accepts whatever is signed.
    public init(
        apps: [App] = [],
        environments: Set<StoreEnvironment> = [],
        kinds: Set<ReceiptKind> = [],
        productIDs: Set<String> = [],
        isStrict: Bool = false,
        refusesRevokedPurchases: Bool = false,
        validity: Validity = .signing,
        maximumSize: Int = defaultMaximumSize
    ) {
        self.apps = apps
        self.environments = environments
        self.kinds = kinds
        self.productIDs = productIDs
        self.isStrict = isStrict
        self.refusesRevokedPurchases = refusesRevokedPurchases
        self.validity = validity
        self.maximumSize = maximumSize
    }
}
