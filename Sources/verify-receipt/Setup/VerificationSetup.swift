internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The policy, the trusted roots and the Google Play keys that the flags or a policy file describe.
struct VerificationSetup {
    let policy: VerificationPolicy
    let anchors: TrustAnchors
    let playKeys: PlayKeyring
    /// The SHA-256 of the policy file; nil without one.
    let fileDigest: SHA256Digest?

    init(_ arguments: Arguments, messages: Messages) throws {
        if let file = try PolicyFile(arguments) {
            let narrowed = try NarrowedPolicy(file, arguments)
            var policy = narrowed.policy
            policy.validity = try Self.validity(arguments)
            try Self.distrust(arguments, in: &policy)
            policy.device = try Self.device(arguments)
            self.policy = policy
            (anchors, playKeys, fileDigest) = (narrowed.anchors, file.configuration.playKeys, file.digest)
            return
        }
        fileDigest = nil
        var policy = try Self.policy(arguments)
        try Self.distrust(arguments, in: &policy)
        self.policy = policy
        anchors = try Self.anchors(arguments)
        playKeys = try Self.playKeys(arguments, messages: messages)
        for anchor in anchors.anchors where !anchor.isBuiltIn && !anchor.role.canBeRoot {
            let spelling = arguments.spelling(of: .root)
            messages.warn(
                "\(Escaped(anchor.subject).quoted) from \(spelling) is \(anchor.role.words), not a root",
                hint: "give the root of the receipts' chain; verify-receipt roots check FILE shows what a file contains"
            )
        }
    }

    func verifier(keyCache: VerificationKeyCache) -> ReceiptVerifier {
        ReceiptVerifier(policy: policy, trustAnchors: anchors, playKeys: playKeys, keyCache: keyCache)
    }

    // MARK: Policy

    private static func policy(_ arguments: Arguments) throws(UsageError) -> VerificationPolicy {
        VerificationPolicy(
            apps: try apps(arguments),
            environments: Set(environments(arguments)),
            kinds: Set(kinds(arguments)),
            productIDs: Set(arguments.values(of: .productID)),
            isStrict: arguments.has(.strict),
            refusesRevokedPurchases: arguments.has(.refuseRevoked),
            device: try device(arguments),
            validity: try validity(arguments)
        )
    }

    /// Returns the apps of `--bundle-id ID` or `ID=NUMBER`; `--app-apple-id` sets the number of a single one.
    static func apps(_ arguments: Arguments) throws(UsageError) -> [VerificationPolicy.App] {
        var apps: [VerificationPolicy.App] = []
        for text in arguments.values(of: .bundleID) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let id = parts.first, !id.isEmpty else {
                throw UsageError(
                    "\(arguments.spelling(of: .bundleID)) \(Escaped(text).quoted) has no bundle ID",
                    hint: "write ID=NUMBER")
            }
            apps.append(
                .init(
                    bundleID: id,
                    appAppleID: parts.count == 2 ? try number(parts[1], arguments.spelling(of: .bundleID)) : nil))
        }
        guard let text = arguments.value(of: .appAppleID) else { return apps }
        guard apps.count == 1 else {
            throw UsageError(
                apps.isEmpty
                    ? "\(arguments.spelling(of: .appAppleID)) needs a --bundle-id"
                    : "\(arguments.spelling(of: .appAppleID)) cannot be used with several bundle IDs",
                hint: apps.isEmpty ? "add --bundle-id ID" : "write --bundle-id ID=NUMBER for each app"
            )
        }
        apps[0].appAppleID = try number(text, arguments.spelling(of: .appAppleID))
        return apps
    }

    private static func number(_ text: String, _ spelling: String) throws(UsageError) -> Int64 {
        guard let number = Int64(text), number > 0 else {
            throw UsageError(
                "\(spelling): \(Escaped(text).quoted) is not an App Store ID",
                hint: "use a number such as 1234567890")
        }
        return number
    }

    static func environments(_ arguments: Arguments) -> [StoreEnvironment] {
        let names = Flag.environment.definition.acceptedWords ?? []
        return arguments.values(of: .environment).compactMap { WordSearch.match($0, in: names) }
            .map(StoreEnvironment.init(rawValue:))
    }

    static func kinds(_ arguments: Arguments) -> [ReceiptKind] {
        arguments.values(of: .kind).compactMap(ReceiptKind.init(name:))
    }

    static func device(_ arguments: Arguments) throws(UsageError) -> DeviceID? {
        guard let text = arguments.value(of: .deviceID) else { return nil }
        guard let device = DeviceID(text) else {
            throw UsageError(
                "--device-id does not take \(Escaped(text).quoted)",
                hint: "it takes a UUID (identifierForVendor) or a MAC address such as 3c:22:fb:0a:91:5e")
        }
        return device
    }

    private static func validity(_ arguments: Arguments) throws(UsageError) -> VerificationPolicy.Validity {
        switch arguments.value(of: .validAt) {
        case nil, "signing": return .signing
        case "now": return .now
        case let text?:
            guard let time = Timestamp(rfc3339: text) else {
                throw UsageError(
                    "--at does not take \(Escaped(text).quoted)",
                    hint: "it takes signing, now, or a time such as 2024-05-01T12:00:00Z"
                )
            }
            return .at(time)
        }
    }

    private static func distrust(_ arguments: Arguments, in policy: inout VerificationPolicy) throws(UsageError) {
        for (text, flag) in arguments.spelledValues(of: .distrust) {
            try policy.distrust(text) { (path) throws(UsageError) in
                try FileAccess.read(path, from: flag)
            } failingWith: { reason in
                .cannotDistrust(text, from: flag, reason)
            }
        }
    }

    // MARK: Trust

    /// Returns the roots of `--config`, or those of the flags.
    static func anchors(_ arguments: Arguments) throws -> TrustAnchors {
        if let file = try PolicyFile(arguments) { return try NarrowedPolicy(file, arguments).anchors }
        var anchors = arguments.has(.onlyGivenRoots) ? TrustAnchors() : TrustAnchors.apple
        for text in arguments.values(of: .root) {
            let (path, environments) = try root(text, arguments.spelling(of: .root))
            let bytes = try FileAccess.read(path, from: arguments.spelling(of: .root))
            do throws(TrustAnchorError) {
                try anchors.add(bytes, environments: environments)
            } catch {
                throw UsageError(
                    "\(path) cannot be used as a root: \(error.message)",
                    hint: "\(arguments.spelling(of: .root)) takes DER or PEM")
            }
        }
        return anchors
    }

    /// Splits `FILE=ENVIRONMENT,…` into the file and the environments; nil for a file alone.
    ///
    /// A plus sign separates environments too, because commas separate the files of `VERIFY_RECEIPT_ROOT`.
    ///
    /// A file whose own name ends like that is still a file. If both readings name a file, the choice would be a guess.
    private static func root(
        _ text: String, _ spelling: String
    ) throws(UsageError) -> (path: String, environments: Set<StoreEnvironment>?) {
        guard let sign = text.lastIndex(of: "=") else { return (text, nil) }
        let path = String(text[..<sign])
        let words = text[text.index(after: sign)...].split(omittingEmptySubsequences: false) { ",+".contains($0) }
        let names = Flag.environment.definition.acceptedWords ?? []
        let environments = words.compactMap { WordSearch.match(String($0), in: names) }
        guard !path.isEmpty, environments.count == words.count else {
            if !SystemCalls.exists(text), SystemCalls.exists(path) {
                throw UsageError(
                    "\(spelling) does not take \(Escaped(text).quoted)",
                    hint: "after FILE= write Production, Sandbox, Xcode or LocalTesting, with commas between them"
                )
            }
            return (text, nil)
        }
        guard SystemCalls.exists(text) else { return (path, Set(environments.map(StoreEnvironment.init(rawValue:)))) }
        guard !SystemCalls.exists(path) else {
            throw UsageError(
                "\(spelling) \(Escaped(text).quoted) names two files, with and without the environments",
                hint: "rename one of them"
            )
        }
        return (text, nil)
    }

    private static func playKeys(_ arguments: Arguments, messages: Messages) throws(UsageError) -> PlayKeyring {
        var keys = PlayKeyring()
        for text in arguments.values(of: .playKey) {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw UsageError(
                    "\(arguments.spelling(of: .playKey)) does not take \(Escaped(text).quoted)",
                    hint: "write PACKAGE=FILE, such as com.example.app=play-key.txt"
                )
            }
            let bytes = try FileAccess.read(parts[1], from: arguments.spelling(of: .playKey))
            if let problem = PlayKeyring.problem(ofKey: bytes) {
                messages.warn(
                    "\(parts[1]) cannot be used as a key: \(problem)",
                    hint: "\(arguments.spelling(of: .playKey)) takes the app's licence key from the Play Console"
                )
            }
            keys.add(bytes, forPackage: parts[0])
        }
        return keys
    }
}
