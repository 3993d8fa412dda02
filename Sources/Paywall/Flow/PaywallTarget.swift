internal import PurchaseCore
internal import ReceiptTypes

/// What a paywall sells: one feature, or the plans of an offer.
struct PaywallTarget {
    let offer: Offer
    let featureID: FeatureID?
    let services: PaywallServices

    /// What makes the paywall needless: the feature, everything, or all of its plans; nil if it is needed.
    @MainActor var unlockedEntitlement: Entitlement? {
        let entitlements = services.entitlement.entitlements
        if let featureID { return entitlements.grants(.feature(featureID)) ? .feature(featureID) : nil }
        if entitlements.isPro { return .pro }
        let sold = offer.plans.map { services.entitlements(soldBy: $0.id) }
        guard sold.allSatisfy({ !$0.isEmpty && $0.allSatisfy(entitlements.grants) }) else { return nil }
        return sold.first?.strongestFirst.first
    }
}

extension Set<Entitlement> {
    /// The entitlements in a fixed order, `pro` at the beginning.
    var strongestFirst: [Entitlement] {
        sorted { left, right in
            if left == .pro || right == .pro { return left == .pro && right != .pro }
            return "\(left)" < "\(right)"
        }
    }
}

extension Offer {
    /// Creates the offer for a locked feature: each of its products is a plan, the first one selected.
    ///
    /// Returns nil for a feature that is free, unknown, or has no products.
    init?(for feature: FeatureID, in catalog: TemplatePriceCatalog?, config: RemoteConfig) {
        guard let definition = try? catalog?.features.definition(of: feature), definition.level == .premium else {
            return nil
        }
        var plans: [Plan] = []
        for id in definition.productIDs where !plans.contains(where: { $0.hasID(id) }) {
            plans.append(Plan(id: id, displayPrice: "", period: ""))
        }
        guard let first = plans.first else { return nil }
        self.init(
            id: config.defaultOfferID ?? config.offers.first?.id ?? .a, layoutVariant: config.featureLayoutVariant,
            plans: plans, defaultPlanID: first.id)
    }
}
