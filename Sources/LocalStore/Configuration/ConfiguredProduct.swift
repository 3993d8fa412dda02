public import ReceiptTypes

/// A product that the simulated store sells.
public struct ConfiguredProduct: Sendable, Hashable, Identifiable {
    /// The product identifier.
    public var id: String
    /// The internal name, which customers do not see.
    public var referenceName: String
    /// The product type.
    public var type: ProductType
    /// The price in thousandths of the storefront's currency unit.
    public var price: Milliunits
    /// Whether Family Sharing is available for the product.
    public var isFamilyShareable: Bool
    /// The identifier inside the `.storekit` file.
    public var internalID: String
    /// The display names and descriptions by locale.
    public var localizations: [Localization]
    /// The subscription terms; nil for every type but auto-renewable subscriptions.
    public var subscription: ConfiguredSubscription?

    /// Creates a product.
    public init(
        id: String,
        referenceName: String = "",
        type: ProductType,
        price: Milliunits,
        isFamilyShareable: Bool = false,
        internalID: String = "",
        localizations: [Localization] = [],
        subscription: ConfiguredSubscription? = nil
    ) {
        self.id = id
        self.referenceName = referenceName
        self.type = type
        self.price = price
        self.isFamilyShareable = isFamilyShareable
        self.internalID = internalID
        self.localizations = localizations
        self.subscription = subscription
    }
}

extension ConfiguredProduct {
    /// Returns the price as a customer of a storefront sees it.
    public func displayPrice(in storefront: Storefront) -> String { storefront.currency.displayPrice(price) }
}
