public import ReceiptTypes

extension VerificationPolicy {
    /// An app whose receipts are accepted, with the rules for its receipts.
    ///
    /// A rule that is nil is that of the policy.
    ///
    /// ```swift
    /// let policy = VerificationPolicy(apps: [
    ///     .init(bundleID: "com.example.app", environments: [.production], isStrict: true),
    ///     .init(bundleID: "com.example.app.beta", environments: [.sandbox]),
    /// ])
    /// ```
    ///
    /// If several apps have the same bundle ID, the rules are those of the first with the receipt's Apple ID, or else
    /// of the first without one, and for a receipt without an Apple ID those of the first. A receipt that names no app,
    /// such as a renewal info, has the rules of the policy; inside a notification, it also has to meet those of the
    /// notification's app for products and roots.
    public struct App: Sendable, Hashable {
        /// The bundle ID, or the package name on Google Play; compared byte for byte.
        public var bundleID: String
        /// The app's Apple ID in the App Store; compared if the receipt has one.
        public var appAppleID: Int64?
        /// The platform whose receipts are accepted; nil for both.
        public var platform: ReceiptPlatform?
        /// The accepted environments; if empty, all environments.
        public var environments: Set<StoreEnvironment>?
        /// The accepted product IDs; if empty, all products.
        public var productIDs: Set<String>?
        /// Whether a receipt is unverified if a required claim was not checked.
        public var isStrict: Bool?
        /// The SHA-256 digests of the roots that the app's receipts may be signed under; nil for all that the verifier
        /// trusts.
        ///
        /// A root that is not here is untrusted for the app (`untrusted-root`), also if it is one of the
        /// ``TrustAnchors``.
        public var roots: Set<SHA256Digest>?

        /// Creates an app.
        public init(
            bundleID: String,
            appAppleID: Int64? = nil,
            platform: ReceiptPlatform? = nil,
            environments: Set<StoreEnvironment>? = nil,
            productIDs: Set<String>? = nil,
            isStrict: Bool? = nil,
            roots: Set<SHA256Digest>? = nil
        ) {
            self.bundleID = bundleID
            self.appAppleID = appAppleID
            self.platform = platform
            self.environments = environments
            self.productIDs = productIDs
            self.isStrict = isStrict
            self.roots = roots
        }
    }

    /// The apps whose receipts come from the App Store.
    package var appStoreApps: [App] { apps.filter { $0.platform != .android } }
}
