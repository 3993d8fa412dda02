internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The policy file of `--config`.
struct PolicyFile {
    let path: String
    let configuration: VerificationConfiguration
    /// The SHA-256 of the file's contents.
    let digest: SHA256Digest

    /// Reads the file of `--config`; nil if the flag is not given.
    init?(_ arguments: Arguments) throws {
        guard let path = arguments.value(of: .config) else { return nil }
        try self.init(path, hint: "check the value of \(arguments.spelling(of: .config))")
    }

    /// - Parameter hint: What to do if there is no such file.
    init(_ path: String, hint: String) throws {
        guard let bytes = try FileAccess.readIfPresent(path) else {
            throw UsageError("no such file: \(path)", hint: Escaped(hint))
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        do throws(VerificationConfigurationError) {
            configuration = try VerificationConfiguration(json: bytes) { name in
                let file = name.hasPrefix("/") ? name : folder + name
                guard let bytes = try FileAccess.readIfPresent(file) else {
                    throw UsageError("there is no file \(file)")
                }
                return bytes
            }
        } catch {
            let reason = (error.underlying as? UsageError)?.message
            throw UsageError(
                "\(path): \(error.message)", hint: error.hint.map { Escaped($0) } ?? reason)
        }
        self.path = path
        digest = try SHA256Digest.of(bytes: bytes)
    }
}

/// A policy file together with the flags that narrow it.
///
/// A flag beside a policy file can only make the policy stricter; one that would add an app, a root or a key, or turn a
/// requirement off, is an error.
struct NarrowedPolicy {
    private(set) var policy: VerificationPolicy
    private(set) var anchors: TrustAnchors
    private let path: String
    private let arguments: Arguments

    init(_ file: PolicyFile, _ arguments: Arguments) throws(UsageError) {
        policy = file.configuration.policy
        anchors = file.configuration.trustAnchors
        path = "\(Escaped(file.path))"
        self.arguments = arguments
        for flag in [Flag.root, .playKey] where arguments.mentions(flag) {
            throw UsageError(
                "\(spelling(flag)) cannot be used with \(spelling(.config))", hint: "add the file to \(path)")
        }
        if let flag = switchedOff.first {
            let spelling = arguments.variable(of: flag).map { "\($0)=0" } ?? "--no-\(flag.name)"
            throw UsageError(
                "\(spelling) would loosen the policy of \(path)",
                hint: "leave it out, or change the file")
        }
        if arguments.has(.onlyGivenRoots) { anchors.removeBuiltIn() }
        // Other commands than those that verify read the roots only.
        guard Flag.bundleID.commands.contains(arguments.command) else { return }
        if arguments.has(.refuseRevoked) { policy.refusesRevokedPurchases = true }
        if arguments.has(.strict) {
            policy.isStrict = true
            for place in policy.apps.indices { policy.apps[place].isStrict = true }
        }
        try narrowApps()
        try narrowEnvironments()
        try narrowProducts()
        try narrowKinds()
        policy.summarizeApps()
    }

    private func spelling(_ flag: Flag) -> String { arguments.spelling(of: flag) }

    /// The switches that are turned off, and on in the file.
    private var switchedOff: [Flag] {
        let isOn: [(Flag, Bool)] = [
            (.strict, policy.apps.contains { $0.isStrict == true }), (.refuseRevoked, policy.refusesRevokedPurchases),
            (.onlyGivenRoots, !anchors.anchors.contains(where: \.isBuiltIn)),
        ]
        return isOn.filter { $0.1 && arguments.mentions($0.0) && !arguments.has($0.0) }.map { $0.0 }
    }

    private func conflict(_ flag: Flag, _ value: String, names: [String] = []) -> UsageError {
        UsageError(
            "\(spelling(flag)) \(Escaped(value).quoted) is not accepted by the policy of \(path)",
            hint: WordSearch.nearest(to: value, in: names).map { "did you mean \(Escaped($0))" }
                ?? "a flag can narrow the policy, and not widen it")
    }

    // MARK: Narrowing

    private mutating func narrowApps() throws(UsageError) {
        let named = try VerificationSetup.apps(arguments)
        guard !named.isEmpty else { return }
        var apps: [VerificationPolicy.App] = []
        for name in named {
            let found = policy.apps.filter { $0.bundleID.isIdentical(to: name.bundleID) }
            guard !found.isEmpty else { throw conflict(.bundleID, name.bundleID, names: policy.apps.map(\.bundleID)) }
            for var app in found {
                if let number = name.appAppleID, app.platform != .android {
                    guard app.appAppleID == nil || app.appAppleID == number else {
                        throw conflict(arguments.mentions(.appAppleID) ? .appAppleID : .bundleID, "\(number)")
                    }
                    app.appAppleID = number
                }
                apps.append(app)
            }
        }
        policy.apps = apps
    }

    private mutating func narrowEnvironments() throws(UsageError) {
        let wanted = Set(VerificationSetup.environments(arguments))
        guard !wanted.isEmpty else { return }
        let hasAppStore = !policy.appStoreApps.isEmpty
        policy.apps = policy.apps.compactMap { app in
            var app = app
            // Google Play has no environments, so a strict policy cannot check them.
            app.environments = app.platform == .android ? wanted : (app.environments ?? []).intersection(wanted)
            return app.environments?.isEmpty == true ? nil : app
        }
        guard !policy.appStoreApps.isEmpty || !hasAppStore else {
            throw conflict(.environment, wanted.map(\.rawValue).sorted().joined(separator: ", "))
        }
    }

    private mutating func narrowProducts() throws(UsageError) {
        let wanted = Set(arguments.values(of: .productID))
        guard !wanted.isEmpty else { return }
        policy.apps = policy.apps.compactMap { app in
            var app = app
            let accepted = app.productIDs ?? []
            app.productIDs = accepted.isEmpty ? wanted : accepted.intersection(wanted)
            return app.productIDs?.isEmpty == true ? nil : app
        }
        guard !policy.apps.isEmpty else { throw conflict(.productID, wanted.sorted().joined(separator: ", ")) }
    }

    private mutating func narrowKinds() throws(UsageError) {
        let wanted = Set(VerificationSetup.kinds(arguments))
        guard !wanted.isEmpty else { return }
        let kinds = policy.kinds.isEmpty ? wanted : policy.kinds.intersection(wanted)
        guard !kinds.isEmpty else { throw conflict(.kind, wanted.map(\.rawValue).sorted().joined(separator: ", ")) }
        policy.kinds = kinds
    }
}
