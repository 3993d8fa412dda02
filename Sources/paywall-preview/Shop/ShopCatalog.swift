internal import LocalStore
internal import Paywall
internal import PurchaseCore
internal import ReceiptTypes

/// What the app of the preview has: features and offers that are made from the products of a `.storekit` file.
struct ShopCatalog: Sendable {
    let prices: TemplatePriceCatalog
    /// The offers without `--offers`.
    let offers: RemoteConfig

    /// Subscriptions unlock everything. Each other product that lasts unlocks a feature of its own.
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
            nonRenewingPeriods: configuration.settings.nonRenewingPeriods,
            features: try FeatureCatalog(free + single + groups))
        offers = Self.offers(of: subscriptions.isEmpty ? lasting : subscriptions)
    }

    private static func name(_ names: String?...) -> String {
        names.lazy.compactMap(\.self).first { !$0.isEmpty } ?? ""
    }

    /// One offer with all plans, of which the one with the longest period is the best value.
    private static func offers(of products: [ConfiguredProduct]) -> RemoteConfig {
        let longest = products.max { length(of: $0) < length(of: $1) }
        guard let longest else { return RemoteConfig() }
        let plans = products.map { product in
            Plan(
                id: product.id, displayPrice: "", period: "",
                isBestValue: products.count > 1 && product.subscription != nil && product.id == longest.id)
        }
        return RemoteConfig(offers: [Offer(id: .a, layoutVariant: "cards", plans: plans, defaultPlanID: longest.id)])
    }

    /// The length of a product's period in days, to compare lengths.
    private static func length(of product: ConfiguredProduct) -> Int {
        guard let period = product.subscription?.period else { return 0 }
        return period.months * 30 + period.days
    }
}
