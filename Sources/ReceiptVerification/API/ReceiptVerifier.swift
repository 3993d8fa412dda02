public import ReceiptTypes

/// Verifies receipts of the App Store and of Google Play.
///
/// Verification is synchronous: it waits for nothing and needs no network. A verifier is a value that is cheap to copy
/// and can be used by any number of threads at once; its copies share one key cache.
///
/// ```swift
/// let policy = VerificationPolicy(apps: [.init(bundleID: "com.example.app")], environments: [.production])
/// let verifier = ReceiptVerifier(policy: policy)
/// switch verifier.verifyTransaction(jws) {
/// case .verified(let transaction): unlock(transaction.productId)
/// case .unverified(let failure): log(failure.code, failure.explanation)
/// }
/// ```
///
/// A copy with another policy or clock is cheap too: it shares the key cache and the workspaces of the verifier.
public struct ReceiptVerifier: Sendable {
    /// The roots that certificate chains may end at.
    public let trustAnchors: TrustAnchors
    /// The public keys of Google Play apps.
    public let playKeys: PlayKeyring

    var rules: VerificationRules
    private let workspaces = WorkspacePool()

    /// Creates a verifier; without arguments it trusts Apple's root and accepts every receipt that is signed under it.
    public init(
        policy: VerificationPolicy = .init(),
        trustAnchors: TrustAnchors = .apple,
        playKeys: PlayKeyring = .init(),
        keyCache: VerificationKeyCache = .init(),
        clock: @escaping @Sendable () -> Timestamp = SystemClock.now
    ) {
        self.trustAnchors = trustAnchors
        self.playKeys = playKeys
        rules = VerificationRules(policy: policy, trustAnchors: trustAnchors, keyCache: keyCache, clock: clock)
    }

    /// The claims that a receipt must have to be accepted.
    public var policy: VerificationPolicy {
        get { rules.policy }
        set { rules.policy = newValue }
    }

    /// The source of the current time.
    public var clock: @Sendable () -> Timestamp {
        get { rules.clock }
        set { rules.clock = newValue }
    }

    /// The validated keys of signers.
    public var keyCache: VerificationKeyCache { rules.keyCache }

    /// Runs `body` with a new session, in a workspace that is kept for the next one.
    func withSession<Result>(
        _ body: (inout VerificationSession) -> Result
    ) throws(CryptoFault) -> Result {
        var session = VerificationSession(rules, try workspaces.take())
        let result = body(&session)
        workspaces.put(session.end())
        return result
    }
}
