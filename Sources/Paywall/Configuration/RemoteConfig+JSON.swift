public import PurchaseCore
internal import ReceiptTypes

extension RemoteConfig {
    /// The largest document in bytes.
    public static let maximumSize = 262_144
    /// The largest number of nested arrays and objects, unknown fields included.
    public static let maximumDepth = 16
    /// The largest number of plans of an offer, of rules, and of elements of any other list.
    public static let maximumCount = 100
    /// The longest string in bytes of UTF-8.
    public static let maximumStringSize = 256

    /// Reads a configuration in JSON.
    ///
    /// The only required member is `schema` with the value 1; every other one has the default of ``RemoteConfig``.
    /// Unknown members are ignored. <doc:TheRemoteConfiguration> describes all members.
    ///
    /// - Parameter json: The document in UTF-8.
    /// - Throws: `DocumentError` with the first place that is wrong. Nothing of such a document is used.
    public init(json: [UInt8]) throws(DocumentError) {
        self = try Self.reading(json: json).config
    }

    /// Reads a configuration, and the places of the members that it ignores because no configuration has them.
    package static func reading(
        json: [UInt8]
    ) throws(DocumentError) -> (config: RemoteConfig, unknownMembers: [String]) {
        let limits = DocumentLimits(
            size: maximumSize, depth: maximumDepth, count: maximumCount, stringSize: maximumStringSize)
        let document = try DocumentValue(json: json, within: limits)
        let config = try RemoteConfig(document.fields())
        return (config, document.unreadMembers)
    }

    private init(_ fields: DocumentFields) throws(DocumentError) {
        let schema = try fields.required("schema")
        let version = try schema.integer(within: 0...Int.max)
        guard version == 1 else { throw schema.wrongValue("1", "\(version)") }
        var offers: [Offer] = []
        for offer in try fields.elements("offers") { offers.append(try Offer(offer.fields())) }
        let letters = Set(offers.map(\.id))
        guard letters.count == offers.count else {
            throw DocumentError(
                .wrongValue, at: "offers", expected: "a letter of its own for each offer", found: "two offers with one")
        }
        var rules: [OfferRule] = []
        for rule in try fields.elements("rules") { rules.append(try OfferRule(rule.fields(), letters)) }
        let standard = RemoteConfig()
        self.init(
            revision: try fields.optional("revision")?.integer(within: 0...Int.max) ?? standard.revision,
            purchasesEnabled: try fields.optional("purchasesEnabled")?.flag() ?? standard.purchasesEnabled,
            allowsDismissal: try fields.optional("allowsDismissal")?.flag() ?? standard.allowsDismissal,
            viewLimit7d: try fields.optional("viewLimit7d")?.count(),
            offers: offers,
            defaultOfferID: try fields.optional("defaultOffer")?.offerID(of: letters),
            rules: rules,
            experiment: try fields.optional("experiment").map { experiment throws(DocumentError) in
                try OfferExperiment(experiment.fields(), letters)
            },
            featureLayoutVariant: try fields.optional("featureLayout")?.name() ?? standard.featureLayoutVariant)
    }
}

// MARK: - Parts of the document

extension Offer {
    fileprivate init(_ fields: DocumentFields) throws(DocumentError) {
        var plans: [Plan] = []
        for element in try fields.elements("plans") {
            let members = try element.fields()
            let id = try members.required("id")
            let plan = Plan(
                id: try id.name(), displayPrice: "", period: try members.optional("period")?.text() ?? "",
                isBestValue: try members.optional("bestValue")?.flag() ?? false)
            guard !plans.contains(where: { $0.hasID(plan.id) }) else {
                throw id.wrongValue("a product that no other plan of the offer has", plan.id)
            }
            plans.append(plan)
        }
        let defaultPlan = try fields.required("defaultPlan")
        let defaultPlanID = try defaultPlan.name()
        guard plans.contains(where: { $0.hasID(defaultPlanID) }) else {
            throw defaultPlan.wrongValue("the id of a plan of the offer", defaultPlanID)
        }
        self.init(
            id: try fields.required("id").offerID(of: Set(OfferID.allCases)),
            layoutVariant: try fields.required("layout").name(), plans: plans, defaultPlanID: defaultPlanID)
    }
}

extension OfferRule {
    fileprivate init(_ fields: DocumentFields, _ offers: Set<OfferID>) throws(DocumentError) {
        var levels: Set<RiskLevel> = []
        for level in try fields.elements("riskLevels") { levels.insert(try level.riskLevel()) }
        var promises: Set<String> = []
        for promise in try fields.elements("personalPromises") { promises.insert(try promise.name()) }
        self.init(
            name: try fields.required("name").name(),
            offerID: try fields.required("offer").offerID(of: offers),
            minimumViews7d: try fields.optional("minimumViews7d")?.count(),
            maximumViews7d: try fields.optional("maximumViews7d")?.count(),
            minimumTimeOnPaywallSec: try fields.optional("minimumTimeOnPaywallSec")?.count(),
            riskLevels: fields.optional("riskLevels") == nil ? nil : levels,
            personalPromiseKeys: fields.optional("personalPromises") == nil ? nil : promises)
    }
}

extension OfferExperiment {
    fileprivate init(_ fields: DocumentFields, _ offers: Set<OfferID>) throws(DocumentError) {
        var arms: [Arm] = []
        for element in try fields.elements("arms") {
            let arm = try element.fields()
            arms.append(
                Arm(
                    try arm.required("offer").offerID(of: offers),
                    weight: try arm.optional("weight")?.integer(within: 0...Self.maximumWeight) ?? 1))
        }
        self.init(
            id: try fields.required("id").name(),
            holdoutPerMille: try fields.optional("holdoutPerMille")?.integer(within: 0...1000) ?? 0, arms: arms)
    }
}

// MARK: - Values

extension DocumentValue {
    /// Returns a number of views or seconds.
    fileprivate func count() throws(DocumentError) -> Int { try integer(within: 0...1_000_000) }

    fileprivate func riskLevel() throws(DocumentError) -> RiskLevel {
        let name = try text()
        guard let level = RiskLevel(rawValue: name) else {
            throw wrongValue("one of \(RiskLevel.allCases.map(\.rawValue).joined(separator: ", "))", name)
        }
        return level
    }

    /// Returns the letter of one of these offers.
    fileprivate func offerID(of offers: Set<OfferID>) throws(DocumentError) -> OfferID {
        let letter = try text()
        guard let id = OfferID(rawValue: letter), offers.contains(id) else {
            let letters = offers.map(\.rawValue).sorted().joined(separator: ", ")
            throw wrongValue(letters.isEmpty ? "an offer of the configuration" : letters, letter)
        }
        return id
    }
}
