internal import LocalStore
internal import Paywall
internal import PurchaseCore
internal import ReceiptTypes

/// What the app of the preview has: features and offers that are made from the products of a `.storekit` file.
struct ShopCatalog: Sendable {
    let prices: TemplatePriceCatalog
    /// The offers without `--offers`.
    let offers: RemoteConfig

    /// Subscriptions unlock everything. Each other product that lasts unlocks a feature of its own; a non-renewing
    /// subscription does so for the period of the file, or for a month.
    init(_ configuration: StoreConfiguration, texts: ShopTexts) throws {
        let locale = configuration.settings.locale
        let subscriptions = configuration.products.filter { $0.subscription != nil }
        let free = [ShopMessage.writing, .search].map { message in
            FeatureDefinition(id: FeatureID(rawValue: message.rawValue), name: texts[message], level: .free)
        }
        let lasting = configuration.products.filter { $0.type == .nonConsumable || $0.type == .nonRenewingSubscription }
        let single = lasting.map { product in
            let words = product.localization(for: locale)
            return FeatureDefinition(
                id: FeatureID(rawValue: product.id),
                name: Self.name(words?.displayName, product.referenceName, product.id),
                description: words?.description ?? "", level: .premium,
                productIDs: [product.id] + subscriptions.map(\.id))
        }
        let groups = configuration.groups.compactMap { group -> FeatureDefinition? in
            let members = subscriptions.filter { $0.subscription?.groupID == group.id }
            guard !members.isEmpty else { return nil }
            let name = Self.name(group.localization(for: locale)?.displayName, group.name, group.id)
            return FeatureDefinition(
                id: FeatureID(rawValue: "group \(group.id)"), name: name, level: .premium, productIDs: members.map(\.id)
            )
        }
        prices = TemplatePriceCatalog(
            version: 1, proProductIDs: Set(subscriptions.map(\.id)),
            nonRenewingPeriods: Dictionary(
                lasting.filter { $0.type == .nonRenewingSubscription }.map { ($0.id, BillingPeriod.month) },
                uniquingKeysWith: { $1 }
            ).merging(configuration.settings.nonRenewingPeriods) { $1 },
            features: try FeatureCatalog(free + single + groups))
        offers = Self.offers(of: subscriptions.isEmpty ? lasting : subscriptions)
    }

    private static func name(_ names: String?...) -> String {
        names.lazy.compactMap(\.self).first { !$0.isEmpty } ?? ""
    }

    /// One offer with all plans, of which the one with the lowest price for the time is the best value.
    private static func offers(of products: [ConfiguredProduct]) -> RemoteConfig {
        guard let first = products.first else { return RemoteConfig() }
        let best = products.min { pricePerDay(of: $0) < pricePerDay(of: $1) } ?? first
        // Not among plans that all cost the same.
        let hasBest = products.contains { pricePerDay(of: $0) > pricePerDay(of: best) }
        let plans = products.map { product in
            Plan(
                id: product.id, displayPrice: "", period: "",
                isBestValue: hasBest && product.subscription != nil && product.id.isIdentical(to: best.id))
        }
        return RemoteConfig(offers: [Offer(id: .a, layoutVariant: "cards", plans: plans, defaultPlanID: best.id)])
    }

    /// The price of a product for a day of its period, to compare plans; of a product without a period, its price.
    private static func pricePerDay(of product: ConfiguredProduct) -> Double {
        let price = Double(product.price.rawValue)
        guard let period = product.subscription?.period else { return price }
        return price / (Double(period.months) * 30.44 + Double(period.days))
    }
}
