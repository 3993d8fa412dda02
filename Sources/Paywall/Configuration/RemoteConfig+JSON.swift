internal import PurchaseCore
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
    /// The only required member is `schema` with the value 1; every other one has the default of ``RemoteConfig``. Unknown
    /// members are ignored.
    ///
    /// ```json
    /// {
    ///   "schema": 1, "revision": 7, "purchasesEnabled": true, "allowsDismissal": true, "viewLimit7d": 10,
    ///   "offers": [{
    ///     "id": "A", "layout": "cards", "defaultPlan": "yearly",
    ///     "plans": [{"id": "yearly", "period": "year", "bestValue": true}, {"id": "weekly", "period": "week"}]
    ///   }],
    ///   "defaultOffer": "A",
    ///   "rules": [{
    ///     "name": "often-seen", "offer": "A", "minimumViews7d": 3, "maximumViews7d": 9, "minimumTimeOnPaywallSec": 20,
    ///     "riskLevels": ["low"], "personalPromises": ["focus"]
    ///   }],
    ///   "experiment": {"id": "offer-1", "holdoutPerMille": 50, "arms": [{"offer": "A", "weight": 1}]},
    ///   "featureLayout": "feature"
    /// }
    /// ```
    ///
    /// - Parameter json: The document in UTF-8.
    /// - Throws: ``RemoteConfigError`` with the first place that is wrong. Nothing of such a document is used.
    public init(json: [UInt8]) throws(RemoteConfigError) {
        guard json.count <= Self.maximumSize else {
            throw RemoteConfigError(
                .tooLarge, expected: "at most \(Self.maximumSize) bytes", found: "\(json.count) bytes")
        }
        // Before the parser, whose recursion could use up the stack.
        guard DecodedJSON.depth(of: json) <= Self.maximumDepth else {
            throw RemoteConfigError(.tooLarge, expected: "at most \(Self.maximumDepth) nested levels", found: "more")
        }
        let value: JSONValue
        do {
            value = try DecodedJSON.value(of: json)
        } catch {
            throw RemoteConfigError(
                .malformed, expected: "a JSON object", found: "text that is not JSON", underlying: error)
        }
        try self.init(ConfigFields(value, at: ""))
    }

    private init(_ fields: ConfigFields) throws(RemoteConfigError) {
        let schema = try fields.required("schema", ConfigFields.integer(within: 0...Int.max))
        guard schema == 1 else {
            throw RemoteConfigError(.wrongValue, at: "schema", expected: "1", found: "\(schema)")
        }
        let offers = try fields.objects("offers").map { fields throws(RemoteConfigError) in try Offer(fields) }
        let letters = Set(offers.map(\.id))
        guard letters.count == offers.count else {
            throw RemoteConfigError(
                .wrongValue, at: "offers", expected: "a letter of its own for each offer", found: "two offers with one")
        }
        let offerID = ConfigFields.offerID(of: letters)
        let standard = RemoteConfig()
        self.init(
            revision: try fields.optional("revision", ConfigFields.integer(within: 0...Int.max)) ?? standard.revision,
            purchasesEnabled: try fields.optional("purchasesEnabled", ConfigFields.flag) ?? standard.purchasesEnabled,
            allowsDismissal: try fields.optional("allowsDismissal", ConfigFields.flag) ?? standard.allowsDismissal,
            viewLimit7d: try fields.optional("viewLimit7d", ConfigFields.count),
            offers: offers,
            defaultOfferID: try fields.optional("defaultOffer", offerID),
            rules: try fields.objects("rules").map { fields throws(RemoteConfigError) in
                try OfferRule(fields, offerID)
            },
            experiment: try fields.optional("experiment") { value, path throws(RemoteConfigError) in
                try OfferExperiment(ConfigFields(value, at: path), offerID)
            },
            featureLayoutVariant: try fields.optional("featureLayout", ConfigFields.name)
                ?? standard.featureLayoutVariant)
    }
}

// MARK: - Parts of the document

extension Offer {
    fileprivate init(_ fields: ConfigFields) throws(RemoteConfigError) {
        let plans = try fields.objects("plans").map { fields throws(RemoteConfigError) in
            Plan(
                id: try fields.required("id", ConfigFields.name), displayPrice: "",
                period: try fields.optional("period", ConfigFields.text) ?? "",
                isBestValue: try fields.optional("bestValue", ConfigFields.flag) ?? false)
        }
        for (index, plan) in plans.enumerated() where plans[..<index].contains(where: { $0.hasID(plan.id) }) {
            throw RemoteConfigError(
                .wrongValue, at: "\(fields.place("plans"))[\(index)].id",
                expected: "a product that no other plan of the offer has", found: plan.id)
        }
        let defaultPlanID = try fields.required("defaultPlan", ConfigFields.name)
        guard plans.contains(where: { $0.hasID(defaultPlanID) }) else {
            throw RemoteConfigError(
                .wrongValue, at: fields.place("defaultPlan"), expected: "the id of a plan of the offer",
                found: defaultPlanID)
        }
        self.init(
            id: try fields.required("id", ConfigFields.offerID(of: Set(OfferID.allCases))),
            layoutVariant: try fields.required("layout", ConfigFields.name), plans: plans,
            defaultPlanID: defaultPlanID)
    }
}

extension OfferRule {
    fileprivate init(
        _ fields: ConfigFields, _ offerID: @escaping ConfigFields.Reader<OfferID>
    ) throws(RemoteConfigError) {
        self.init(
            name: try fields.required("name", ConfigFields.name),
            offerID: try fields.required("offer", offerID),
            minimumViews7d: try fields.optional("minimumViews7d", ConfigFields.count),
            maximumViews7d: try fields.optional("maximumViews7d", ConfigFields.count),
            minimumTimeOnPaywallSec: try fields.optional("minimumTimeOnPaywallSec", ConfigFields.count),
            riskLevels: try fields.set("riskLevels", ConfigFields.riskLevel),
            personalPromiseKeys: try fields.set("personalPromises", ConfigFields.name))
    }
}

extension OfferExperiment {
    fileprivate init(
        _ fields: ConfigFields, _ offerID: @escaping ConfigFields.Reader<OfferID>
    ) throws(RemoteConfigError) {
        self.init(
            id: try fields.required("id", ConfigFields.name),
            holdoutPerMille: try fields.optional("holdoutPerMille", ConfigFields.integer(within: 0...1000)) ?? 0,
            arms: try fields.objects("arms").map { fields throws(RemoteConfigError) in
                Arm(
                    try fields.required("offer", offerID),
                    weight: try fields.optional("weight", ConfigFields.integer(within: 0...Self.maximumWeight)) ?? 1)
            })
    }
}
