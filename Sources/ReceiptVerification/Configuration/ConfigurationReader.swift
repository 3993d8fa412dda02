internal import ReceiptTypes

/// Reads the values of a policy file.
///
/// Every value that cannot be used ends the reading: a policy that lacks a part of the file could accept more than it.
struct ConfigurationReader {
    private static let environments: [StoreEnvironment] = [.production, .sandbox, .xcode, .localTesting]

    /// Returns the contents of a file that the policy file names.
    let readFile: (String) throws -> [UInt8]

    private(set) var policy = VerificationPolicy()
    private(set) var anchors = TrustAnchors()
    private(set) var playKeys = PlayKeyring()
    /// What is distrusted, in words.
    private(set) var distrusted: [String] = []
    /// The roots that are for all apps.
    private var sharedRoots: Set<SHA256Digest> = []
    private var packages: [String: String] = [:]
    private var bundleIDs: [String: String] = [:]

    init(readingFilesWith readFile: @escaping (String) throws -> [UInt8]) {
        self.readFile = readFile
    }

    mutating func read(_ text: [UInt8]) throws(VerificationConfigurationError) {
        let file = try ConfigurationValue(parsing: text).members([
            "$schema", "schema", "apps", "roots", "onlyGivenRoots", "kinds", "strict", "refuseRevoked", "distrust",
        ])
        let name = VerificationConfiguration.schemaName
        _ = try file.required("schema", hint: "write \"schema\": \"\(name)\"").word(of: [name])
        _ = try file.optional("$schema")?.text()
        policy.isStrict = try file.optional("strict")?.flag() ?? false
        policy.refusesRevokedPurchases = try file.optional("refuseRevoked")?.flag() ?? false
        if let kinds = file.optional("kinds") {
            let words = ReceiptKind.allCases.map(\.rawValue)
            policy.kinds = Set(
                try kinds.distinct(atMost: words.count) { (kind) throws(VerificationConfigurationError) in
                    try kind.word(of: words)
                }.compactMap(ReceiptKind.init(rawValue:)))
        }
        if let distrusted = file.optional("distrust") {
            try distrusted.distinct(atMost: ConfigurationLimits.distrusted) {
                (element) throws(VerificationConfigurationError) in try distrust(element)
            }
        }
        if try file.optional("onlyGivenRoots")?.flag() != true { anchors = .apple }
        for anchor in anchors.anchors { sharedRoots.insert(anchor.fingerprint) }
        if let roots = file.optional("roots") { sharedRoots.formUnion(try addRoots(roots)) }
        var hasOwnRoots = false
        for app in try file.required("apps").elements(atMost: ConfigurationLimits.apps) {
            if try readApp(app) { hasOwnRoots = true }
        }
        policy.summarizeApps()
        guard hasOwnRoots else { return }
        for place in policy.apps.indices where policy.apps[place].platform == .ios {
            policy.apps[place].roots = sharedRoots.union(policy.apps[place].roots ?? [])
        }
    }

    // MARK: Apps

    /// Reads an app; returns whether it has roots of its own.
    private mutating func readApp(_ value: ConfigurationValue) throws(VerificationConfigurationError) -> Bool {
        let app = try value.members([
            "bundleId", "appAppleId", "environments", "products", "playPackage", "playKey", "playKeyFile", "roots",
            "strict",
        ])
        guard app.has("bundleId") || app.has("playPackage") else {
            throw VerificationConfigurationError(
                .missingMember, at: value.path, expected: "bundleId, playPackage or both", found: "neither")
        }
        try app.require("environments", besides: "bundleId")
        for name in ["appAppleId", "environments", "roots"] { try app.require("bundleId", besides: name) }
        for name in ["playKey", "playKeyFile"] { try app.require("playPackage", besides: name) }

        let strict = try app.optional("strict")?.flag() ?? policy.isStrict
        var products: Set<String> = []
        if let value = app.optional("products") {
            products = Set(
                try value.distinct(atMost: ConfigurationLimits.products) {
                    (product) throws(VerificationConfigurationError) in
                    try product.identifier(of: "printable ASCII characters without blanks") {
                        (0x21...0x7E).contains($0)
                    }
                })
        }
        if let id = app.optional("bundleId") {
            let bundleID = try Self.identifier(id)
            try Self.claim(bundleID, id, in: &bundleIDs)
            var roots: Set<SHA256Digest>?
            if let value = app.optional("roots") { roots = try addRoots(value) }
            policy.apps.append(
                .init(
                    bundleID: bundleID,
                    appAppleID: try app.optional("appAppleId")?.integer(within: 1...ConfigurationLimits.appAppleID),
                    platform: .ios, environments: try Self.environments(app.required("environments")),
                    productIDs: products, isStrict: strict, roots: roots))
        }
        if let package = app.optional("playPackage") {
            let name = try Self.identifier(package)
            try Self.claim(name, package, in: &packages)
            try addKey(app.either("playKey", "playKeyFile"), isFile: app.has("playKeyFile"), forPackage: name)
            policy.apps.append(
                .init(bundleID: name, platform: .android, environments: [], productIDs: products, isStrict: strict))
        }
        return app.has("roots")
    }

    /// Requires that a name is in the file once.
    private static func claim(
        _ name: String, _ value: ConfigurationValue, in places: inout [String: String]
    ) throws(VerificationConfigurationError) {
        if let place = places.updateValue(value.path, forKey: name) {
            throw value.wrongValue("a name that no other app has", "\"\(name)\", which is that of \(place)")
        }
    }

    private static func identifier(_ value: ConfigurationValue) throws(VerificationConfigurationError) -> String {
        try value.identifier(of: "ASCII letters, digits, dots, hyphens and underscores") { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    private static func environments(
        _ value: ConfigurationValue
    ) throws(VerificationConfigurationError) -> Set<StoreEnvironment> {
        let words = Self.environments.map(\.rawValue)
        return Set(
            try value.distinct(atMost: words.count) { (environment) throws(VerificationConfigurationError) in
                try environment.word(of: words)
            }.map(StoreEnvironment.init(rawValue:)))
    }

    /// Distrusts what an element of `distrust` names, a digest or a certificate; returns the element as a text.
    private mutating func distrust(_ value: ConfigurationValue) throws(VerificationConfigurationError) -> String {
        guard value.json.object != nil else {
            let text = try value.text()
            guard let digest = SHA256Digest(hexadecimal: text) else {
                throw value.wrongValue(
                    "the SHA-256 of a certificate or of a key in 64 hexadecimal digits, or an object with file or pem",
                    ConfigurationValue.quoted(text))
            }
            policy.distrustedCertificates.insert(digest)
            distrusted.append("the digest \(digest)")
            // In one spelling, by which a repeated digest is found.
            return "\(digest)"
        }
        let certificate = try value.members(["file", "pem"])
        let isFile = certificate.has("file")
        let source = try certificate.either("file", "pem")
        let bytes = try bytes(of: source, isFile: isFile)
        do throws(TrustAnchorError) {
            for certificate in try policy.distrust(certificatesIn: bytes) {
                distrusted.append("\"\(certificate.subject)\" (\(certificate.fingerprint)) and its key")
            }
        } catch {
            throw try Self.unusable(.invalidCertificate, "a certificate in PEM or DER", source, isFile: isFile, error)
        }
        return "\(isFile ? "file" : "pem") \(try source.text())"
    }

    // MARK: Roots and keys

    /// Adds the roots of a list; returns their digests.
    private mutating func addRoots(
        _ list: ConfigurationValue
    ) throws(VerificationConfigurationError) -> Set<SHA256Digest> {
        var digests: Set<SHA256Digest> = []
        for value in try list.elements(atMost: ConfigurationLimits.roots) {
            let root = try value.members(["file", "pem", "environments"])
            let environments = try Self.environments(root.required("environments"))
            let source = try root.either("file", "pem")
            for anchor in try addRoot(source, isFile: root.has("file"), for: environments) {
                digests.insert(anchor.fingerprint)
            }
        }
        return digests
    }

    private mutating func addRoot(
        _ source: ConfigurationValue, isFile: Bool, for environments: Set<StoreEnvironment>
    ) throws(VerificationConfigurationError) -> [TrustAnchor] {
        let bytes = try bytes(of: source, isFile: isFile)
        var given = TrustAnchors()
        try Self.add(bytes, of: source, isFile: isFile, for: environments, to: &given)
        for anchor in given.anchors {
            try Self.requireRoot(anchor, source, environments)
            // One certificate has one limit, so a second one would change the first, or be ignored.
            if let known = anchors.anchors.first(where: { $0 == anchor }), known.environments != environments {
                throw VerificationConfigurationError(
                    .invalidRoot, at: source.path, expected: "the same environments for the same root everywhere",
                    found: known.isBuiltIn
                        ? "a root that is built in"
                        : "\"\(anchor.subject)\" with others, \(Self.list(known.environments))")
            }
        }
        try Self.add(bytes, of: source, isFile: isFile, for: environments, to: &anchors)
        guard anchors.anchors.count <= ConfigurationLimits.certificates else {
            throw VerificationConfigurationError(
                .tooLarge, at: source.path, expected: "at most \(ConfigurationLimits.certificates) roots in all",
                found: "more")
        }
        return given.anchors
    }

    private static func add(
        _ bytes: [UInt8], of source: ConfigurationValue, isFile: Bool, for environments: Set<StoreEnvironment>,
        to anchors: inout TrustAnchors
    ) throws(VerificationConfigurationError) {
        do throws(TrustAnchorError) {
            try anchors.add(bytes, environments: environments)
        } catch {
            throw try unusable(.invalidRoot, "a root certificate in PEM or DER", source, isFile: isFile, error)
        }
    }

    private static func unusable(
        _ code: VerificationConfigurationError.Code, _ expected: String, _ source: ConfigurationValue, isFile: Bool,
        _ error: TrustAnchorError
    ) throws(VerificationConfigurationError) -> VerificationConfigurationError {
        let name = isFile ? ConfigurationValue.quoted(try source.text()) : "a text"
        return VerificationConfigurationError(
            code, at: source.path, expected: expected, found: "\(name): \(error.message)", underlying: error)
    }

    private static func requireRoot(
        _ anchor: TrustAnchor, _ source: ConfigurationValue, _ environments: Set<StoreEnvironment>
    ) throws(VerificationConfigurationError) {
        guard anchor.isSelfIssued else {
            throw VerificationConfigurationError(
                .invalidRoot, at: source.path, expected: "a root certificate",
                found: "\"\(anchor.subject)\", which another certificate has issued",
                hint: "give the certificate at the end of the receipts' chain")
        }
        guard anchor.mayIssue || environments.isSubset(of: [.xcode, .localTesting]) else {
            throw VerificationConfigurationError(
                .invalidRoot, at: source.path,
                expected: "the environments Xcode and LocalTesting for a certificate that is no CA",
                found: list(environments))
        }
    }

    private mutating func addKey(
        _ source: ConfigurationValue, isFile: Bool, forPackage package: String
    ) throws(VerificationConfigurationError) {
        let bytes = try bytes(of: source, isFile: isFile)
        if let problem = PlayKeyring.problem(ofKey: bytes) {
            throw VerificationConfigurationError(
                .invalidKey, at: source.path, expected: "the app's public key from the Play Console", found: problem)
        }
        playKeys.add(bytes, forPackage: package)
    }

    private func bytes(
        of source: ConfigurationValue, isFile: Bool
    ) throws(VerificationConfigurationError) -> [UInt8] {
        let text = try source.text()
        guard isFile else { return [UInt8](text.utf8) }
        do {
            return try readFile(text)
        } catch {
            throw VerificationConfigurationError(
                .unreadableFile, at: source.path, expected: "the name of a file that can be read",
                found: ConfigurationValue.quoted(text), underlying: error)
        }
    }

    private static func list(_ environments: Set<StoreEnvironment>?) -> String {
        environments.map { $0.map(\.rawValue).sorted().joined(separator: ", ") } ?? "all environments"
    }
}
