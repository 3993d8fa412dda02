public import ReceiptTypes

/// Verifies receipts of the App Store and of Google Play.
///
/// Verification is synchronous: it waits for nothing and needs no network. A verifier is a value that is cheap to copy and
/// may be used by any number of threads at once; its copies share one key cache.
///
/// ```swift
/// let verifier = ReceiptVerifier(policy: .init(apps: [.init(bundleID: "com.example.app")]))
/// switch verifier.verifyTransaction(jws) {
/// case .verified(let transaction): unlock(transaction.productId)
/// case .unverified(let failure): log(failure.code, failure.explanation)
/// }
/// ```
public struct ReceiptVerifier: Sendable {
    /// What a receipt must say to be accepted.
    public let policy: VerificationPolicy
    /// The roots that chains may end at.
    public let trustAnchors: TrustAnchors
    /// The keys of Google Play apps.
    public let playKeys: PlayKeyring
    /// The keys of signers that have been validated.
    public let keyCache: VerificationKeyCache

    let chainPolicy: ChainPolicy
    let validityPolicy: ValidityPolicy
    let claimsPolicy: ClaimsPolicy
    let workspaces = WorkspacePool()
    /// Nil when the machine had no memory to compute it: then nothing is decided.
    let anchorSet: SHA256Digest?

    /// Makes a verifier; without arguments it trusts Apple's root and accepts whatever is signed under it.
    public init(
        policy: VerificationPolicy = .init(),
        trustAnchors: TrustAnchors = .apple,
        playKeys: PlayKeyring = .init(),
        keyCache: VerificationKeyCache = .init(),
        clock: @escaping @Sendable () -> Timestamp = SystemClock.now
    ) {
        self.policy = policy
        self.trustAnchors = trustAnchors
        self.playKeys = playKeys
        self.keyCache = keyCache
        chainPolicy = ChainPolicy(anchors: trustAnchors.anchors)
        validityPolicy = ValidityPolicy(validity: policy.validity, clock: clock)
        claimsPolicy = ClaimsPolicy(policy: policy)
        anchorSet = try? trustAnchors.identity()
    }
}
