internal import ReceiptTypes

/// What each product gives: the only map from product ids to entitlements, for purchases, restores and redeliveries alike.
///
/// It is data with a version, so that a newer one can be shipped or fetched. A product that is no longer sold stays in it
/// as long as somebody owns it; a product that is not in it gives nothing, and is reported as unknown.
public struct TemplatePriceCatalog: Sendable, Hashable, Codable {
    /// The version; a newer catalog has a higher one.
    public let version: Int
    /// The products that give everything: subscriptions of any period, and lifetime purchases.
    public let proProductIDs: Set<String>
    /// The template that a product gives, by product id.
    public let templateProductToID: [String: TemplateID]
    /// How long a non-renewing subscription lasts, by product id; the store does not say.
    public let nonRenewingPeriods: [String: BillingPeriod]

    /// Takes the map.
    public init(
        version: Int,
        proProductIDs: Set<String>,
        templateProductToID: [String: TemplateID],
        nonRenewingPeriods: [String: BillingPeriod] = [:]
    ) {
        self.version = version
        self.proProductIDs = proProductIDs
        self.templateProductToID = templateProductToID
        self.nonRenewingPeriods = nonRenewingPeriods
    }

    /// What a product gives; nothing where the product is unknown. A bundle gives several things.
    public func entitlements(for productID: String) -> Set<Entitlement> {
        var entitlements: Set<Entitlement> = []
        if givesPro(productID) { entitlements.insert(.pro) }
        if let template = template(for: productID) { entitlements.insert(.template(template)) }
        return entitlements
    }

    /// Whether a product gives everything.
    public func givesPro(_ productID: String) -> Bool {
        // Looked up as Swift compares texts, and then compared byte by byte.
        guard let index = proProductIDs.firstIndex(of: productID) else { return false }
        return proProductIDs[index].isIdentical(to: productID)
    }

    /// The template that a product gives; nil where it gives none.
    public func template(for productID: String) -> TemplateID? { Self.value(for: productID, in: templateProductToID) }

    /// How long a non-renewing subscription lasts; nil where the catalog does not say.
    public func nonRenewingPeriod(of productID: String) -> BillingPeriod? {
        Self.value(for: productID, in: nonRenewingPeriods)
    }

    private static func value<Value>(for productID: String, in map: [String: Value]) -> Value? {
        guard let index = map.index(forKey: productID), map[index].key.isIdentical(to: productID) else { return nil }
        return map[index].value
    }
}
