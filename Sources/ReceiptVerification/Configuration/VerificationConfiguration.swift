public import ReceiptTypes

/// The policy, the roots and the Google Play keys of a policy file.
///
/// The file is JSON; <doc:PolicyFiles> describes it. It is read completely or not at all: an unknown or repeated
/// member, a wrong type, a file that cannot be read, or a root or key that cannot be used is an error, never a more
/// lenient policy.
///
/// ```swift
/// let configuration = try VerificationConfiguration(json: text) { name in try contents("policies/\(name)") }
/// let verifier = ReceiptVerifier(configuration: configuration)
/// ```
///
/// The command-line tool `verify-receipt` reads the same file with `--config`.
public struct VerificationConfiguration: Sendable {
    /// The name of the file's schema, which is the value of its member `schema`.
    public static let schemaName = "verify-receipt/config-1"

    /// The policy: each app with its rules, and the rules for receipts that name no app.
    ///
    /// A receipt that names no app, such as a renewal info, may have the environment and the product of any app, and is
    /// rejected if one of the apps is strict. An app with a bundle ID and a package name is two apps of the policy, one
    /// for each platform.
    public var policy: VerificationPolicy
    /// The roots, each with the environments whose receipts it may sign.
    public var trustAnchors: TrustAnchors
    /// The public keys of the Google Play apps.
    public var playKeys: PlayKeyring
    /// What the file distrusts, in words: digests, and certificates by their subjects and SHA-256.
    package let distrusted: [String]

    /// Reads a policy file that names no other file: its roots and keys are in it.
    ///
    /// - Throws: ``VerificationConfigurationError``, which names the place, what was expected and what was found.
    public init(json: [UInt8]) throws(VerificationConfigurationError) {
        try self.init(json: json) { throw FileError(code: .unreadable, path: $0) }
    }

    /// Reads a policy file.
    ///
    /// - Parameters:
    ///   - json: The contents of the file.
    ///   - readFile: Returns the contents of a file of roots or of a key. Its argument is the name in the policy file,
    ///     which is relative to the folder of that file or absolute.
    /// - Throws: ``VerificationConfigurationError``, which names the place, what was expected and what was found.
    public init(
        json: [UInt8],
        readFile: @escaping (String) throws -> [UInt8]
    ) throws(VerificationConfigurationError) {
        var reader = ConfigurationReader(readingFilesWith: readFile)
        try reader.read(json)
        policy = reader.policy
        trustAnchors = reader.anchors
        playKeys = reader.playKeys
        distrusted = reader.distrusted
    }
}

extension ReceiptVerifier {
    /// Creates a verifier by a policy file.
    public init(
        configuration: VerificationConfiguration,
        keyCache: VerificationKeyCache = .init(),
        clock: @escaping @Sendable () -> Timestamp = SystemClock.now
    ) {
        self.init(
            policy: configuration.policy, trustAnchors: configuration.trustAnchors, playKeys: configuration.playKeys,
            keyCache: keyCache, clock: clock)
    }
}

extension VerificationPolicy {
    /// Sets the rules for receipts that name no app to what the apps accept together.
    ///
    /// Such a receipt can be one of any app, so a rule of one app must not be avoided by leaving the name of the app
    /// out.
    package mutating func summarizeApps() {
        if apps.contains(where: { $0.isStrict == true }) { isStrict = true }
        let apps = appStoreApps
        guard !apps.isEmpty else { return }
        environments = apps.reduce(into: []) { $0.formUnion($1.environments ?? []) }
        guard apps.allSatisfy({ $0.productIDs?.isEmpty == false }) else { return }
        productIDs = apps.reduce(into: []) { $0.formUnion($1.productIDs ?? []) }
    }
}
