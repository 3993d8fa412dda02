internal import ReceiptTypes

/// The only map from product ids to entitlements, for purchases, restores and redeliveries alike.
///
/// The catalog is data with a version, so an app can ship or fetch a newer one. Keep a product that is no longer sold
/// in the catalog as long as customers own it: a product that the catalog lacks unlocks nothing and is reported as
/// unknown.
public struct TemplatePriceCatalog: Sendable, Hashable {
    /// The version; a newer catalog has a higher one.
    public let version: Int
    /// The ids of the products that unlock everything: subscriptions of any period, and lifetime purchases.
    public let proProductIDs: Set<String>
    /// The template that a product unlocks, by product id.
    public let templateProductToID: [String: TemplateID]
    /// The duration of each non-renewing subscription, by product id; the store does not provide it.
    public let nonRenewingPeriods: [String: BillingPeriod]
    /// The features of the app, with the products that unlock each.
    public let features: FeatureCatalog
    /// The products that belong to customers with a purchase of the app before one of its versions.
    public let grandfathered: [GrandfatheredProduct]

    /// Creates a catalog.
    public init(
        version: Int,
        proProductIDs: Set<String>,
        templateProductToID: [String: TemplateID] = [:],
        nonRenewingPeriods: [String: BillingPeriod] = [:],
        features: FeatureCatalog = .empty,
        grandfathered: [GrandfatheredProduct] = []
    ) {
        self.version = version
        self.proProductIDs = proProductIDs
        self.templateProductToID = templateProductToID
        self.nonRenewingPeriods = nonRenewingPeriods
        self.features = features
        self.grandfathered = grandfathered
    }

    /// Returns what a product unlocks: several entitlements for a bundle, none for an unknown product.
    public func entitlements(for productID: String) -> Set<Entitlement> {
        var entitlements: Set<Entitlement> = []
        if unlocksPro(productID) { entitlements.insert(.pro) }
        if let template = template(for: productID) { entitlements.insert(.template(template)) }
        for feature in features.features(unlockedBy: productID) { entitlements.insert(.feature(feature)) }
        return entitlements
    }

    /// Returns whether a product unlocks everything.
    public func unlocksPro(_ productID: String) -> Bool {
        // The lookup uses Unicode equivalence; the comparison after it is byte by byte.
        guard let index = proProductIDs.firstIndex(of: productID) else { return false }
        return proProductIDs[index].isIdentical(to: productID)
    }

    /// Returns the template that a product unlocks, if any.
    public func template(for productID: String) -> TemplateID? { Self.value(for: productID, in: templateProductToID) }

    /// Returns the duration of a non-renewing subscription; nil if the catalog has none for it.
    public func nonRenewingPeriod(of productID: String) -> BillingPeriod? {
        Self.value(for: productID, in: nonRenewingPeriods)
    }

    private static func value<Value>(for productID: String, in map: [String: Value]) -> Value? {
        guard let index = map.index(forKey: productID), map[index].key.isIdentical(to: productID) else { return nil }
        return map[index].value
    }
}

extension TemplatePriceCatalog: Codable {
    private enum CodingKeys: CodingKey {
        case version
        case proProductIDs
        case templateProductToID
        case nonRenewingPeriods
        case features
        case grandfathered
    }

    /// Decodes a catalog; the features and the grandfathered products may be absent, as in a catalog of an earlier
    /// version.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            version: try container.decode(Int.self, forKey: .version),
            proProductIDs: try container.decode(Set<String>.self, forKey: .proProductIDs),
            templateProductToID: try container.decode([String: TemplateID].self, forKey: .templateProductToID),
            nonRenewingPeriods: try container.decode([String: BillingPeriod].self, forKey: .nonRenewingPeriods),
            features: try container.decodeIfPresent(FeatureCatalog.self, forKey: .features) ?? .empty,
            grandfathered: try container.decodeIfPresent([GrandfatheredProduct].self, forKey: .grandfathered) ?? [])
    }
}
