internal import PurchaseCore
internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// Walks once through a file: what it takes is the configuration, and what it stumbles over are the findings.
///
/// Reading and linting are this one walk, so they cannot disagree about the format.
struct ConfigurationReader {
    private let walk = ConfigurationWalk()
    private var configuration = StoreConfiguration()

    /// Reads a file, or tells the one thing for which nothing of it can be read.
    static func read(
        _ bytes: [UInt8]
    ) throws(StoreConfigurationError) -> (configuration: StoreConfiguration, findings: [LintFinding]) {
        let root = try SourceValue.parse(bytes)
        var reader = ConfigurationReader()
        if SourceText.hasByteOrderMark(bytes) {
            reader.walk.report(
                .warning, .byteOrderMark, at: 0, path: "", "the file begins with a byte order mark",
                hint: "save it as UTF-8 without one"
            )
        }
        reader.read(root)
        return (reader.configuration, reader.walk.findings(in: bytes))
    }

    private mutating func read(_ root: SourceValue) {
        // Whether a key is there already depends on the version, wherever that stands.
        configuration.version = VersionReader(walk: walk).version(of: root)
        walk.formatVersion = max(configuration.version.major, FormatRecord.versions.lowerBound)
        guard let file = RecordReader(root, .root, walk) else { return }
        configuration.identifier = file.text(.identifier) ?? ""
        readPolicies(file)
        readProducts(file)
        readGroups(file)
        readKey(file)
        if let settings = file.record(.settings, .settings) {
            configuration.settings = SettingsReader(reader: settings).settings()
        }
    }

    // MARK: Products

    private mutating func readProducts(_ file: RecordReader) {
        let limit = ConfigurationBudget.productCount
        for (key, list) in [
            (FormatKey.products, ProductReader.List.products), (.nonRenewingSubscriptions, .nonRenewing),
        ] {
            let reader = ProductReader(list: list, walk: walk)
            let room = limit - configuration.products.count
            for place in file.elements(key, atMost: room) {
                if let product = reader.product(place) { configuration.products.append(product) }
            }
        }
    }

    private mutating func readGroups(_ file: RecordReader) {
        for group in file.records(.subscriptionGroups, .group, atMost: ConfigurationBudget.groupCount) {
            readGroup(group)
        }
        // A subscription that stands among the products may belong to a group that is nowhere else.
        var known = Set(configuration.groups.map { Array($0.id.utf8) })
        for product in configuration.products {
            guard let id = product.subscription?.groupID, known.insert(Array(id.utf8)).inserted else { continue }
            configuration.groups.append(SubscriptionGroup(id: id, name: id))
        }
    }

    private mutating func readGroup(_ group: RecordReader) {
        let id = group.text(.id) ?? ""
        if group[.id] != nil, id.isEmpty {
            group.report(.error, .emptyText, at: .id, "the group's id is empty")
        }
        let localizations = group.localizations(.groupLocalization)
        if let first = walk.groupIDs.insert(id, at: group.place.path) {
            group.report(
                .error, .duplicateGroupID, at: .id, "two groups have one id", found: group[.id]?.found,
                hint: "its subscriptions belong to \(first)"
            )
        } else {
            configuration.groups.append(
                SubscriptionGroup(id: id, name: group.text(.name) ?? "", localizations: localizations)
            )
        }
        let reader = ProductReader(list: .group(id), walk: walk)
        let room = ConfigurationBudget.productCount - configuration.products.count
        let places = group.elements(.subscriptions, atMost: room)
        if places.isEmpty, room > 0 {
            group.report(.warning, .emptyGroup, at: .subscriptions, "the group holds no subscription")
        }
        for place in places {
            if let product = reader.product(place) { configuration.products.append(product) }
        }
    }

    // MARK: The rest

    private func readPolicies(_ file: RecordReader) {
        // A store has no use for them; they are only looked through.
        guard let policies = file.record(.appPolicies, .appPolicies) else { return }
        let limit = ConfigurationBudget.localizationCount
        for policy in policies.records(.policies, .policy, atMost: limit) { _ = policy.locale(.locale) }
    }

    private mutating func readKey(_ file: RecordReader) {
        guard let pair = file.record(.subscriptionOffersKeyPair, .keyPair) else { return }
        guard let privateKey = pair.text(.privateKey) else { return }
        configuration.offersKey = OffersKey(id: pair.text(.id) ?? "", privateKey: privateKey)
        let der = Base64.standard.decode(privateKey)
        guard der.flatMap({ BareSigner(pkcs8: $0) }) == nil else { return }
        pair.report(
            .error, .malformedPrivateKey, at: .privateKey, "the private key cannot sign",
            expected: "base64 of a PKCS#8 key on P-256",
            found: der == nil ? "a text that is no base64" : "base64 of something else",
            hint: "leave out the lines that begin and end a PEM file, and join the others"
        )
    }
}
