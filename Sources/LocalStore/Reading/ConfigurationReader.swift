internal import PurchaseCore
internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// Reads a `.storekit` file into a configuration and collects the findings in the same pass.
///
/// Reading and linting share this code, so they cannot disagree about the format.
struct ConfigurationReader {
    private let context = ReadingContext()
    private var configuration = StoreConfiguration()

    /// Reads a file; throws the finding that makes the file unreadable.
    static func read(
        _ bytes: [UInt8]
    ) throws(StoreConfigurationError) -> (configuration: StoreConfiguration, findings: [LintFinding]) {
        let root = try SourceValue.parse(bytes)
        var reader = ConfigurationReader()
        if SourceText.hasByteOrderMark(bytes) {
            reader.context.report(
                .warning, .byteOrderMark, at: 0, path: "", "the file begins with a byte order mark",
                hint: "save it as UTF-8 without a byte order mark"
            )
        }
        reader.read(root)
        return (reader.configuration, reader.context.findings(in: bytes))
    }

    private mutating func read(_ root: SourceValue) {
        // The version comes first, because it decides which keys are too new.
        configuration.version = VersionReader(context: context).version(of: root)
        context.formatVersion = max(configuration.version.major, FormatRecord.versions.lowerBound)
        guard let file = RecordReader(root, .root, context) else { return }
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
            let reader = ProductReader(list: list, context: context)
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
        // A subscription in the list of products can name a group that the file does not define.
        var known = Set(configuration.groups.map { Array($0.id.utf8) })
        for product in configuration.products {
            guard let id = product.subscription?.groupID, known.insert(Array(id.utf8)).inserted else { continue }
            configuration.groups.append(SubscriptionGroup(id: id, name: id))
        }
    }

    private mutating func readGroup(_ group: RecordReader) {
        let id = group.text(.id) ?? ""
        if group[.id] != nil, id.isEmpty {
            group.report(.error, .emptyText, at: .id, "the group has an empty id")
        }
        let localizations = group.localizations(.groupLocalization)
        if let first = context.groupIDs.insert(id, at: group.place.path) {
            group.report(
                .error, .duplicateGroupID, at: .id, "two groups have the same id", found: group[.id]?.found,
                hint: "its subscriptions are added to \(first)"
            )
        } else {
            configuration.groups.append(
                SubscriptionGroup(id: id, name: group.text(.name) ?? "", localizations: localizations)
            )
        }
        let reader = ProductReader(list: .group(id), context: context)
        let room = ConfigurationBudget.productCount - configuration.products.count
        let places = group.elements(.subscriptions, atMost: room)
        if places.isEmpty, room > 0 {
            group.report(.warning, .emptyGroup, at: .subscriptions, "the group has no subscriptions")
        }
        for place in places {
            if let product = reader.product(place) { configuration.products.append(product) }
        }
    }

    // MARK: Policies and key

    private func readPolicies(_ file: RecordReader) {
        // Checked for findings only; the simulator does not use the policies.
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
            .error, .malformedPrivateKey, at: .privateKey, "privateKey cannot be used for signing",
            expected: "the base64 of a P-256 key in PKCS#8",
            found: der == nil ? "a string that is not base64" : "the base64 of other data",
            hint: "join the lines of the PEM file without its first and last line"
        )
    }
}
