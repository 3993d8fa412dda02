public import ReceiptTypes

/// Something that a local store sells.
public struct ConfiguredProduct: Sendable, Hashable, Identifiable {
    /// The product's id.
    public var id: String
    /// The name that only its makers see.
    public var referenceName: String
    /// The kind of the product.
    public var type: ProductType
    /// The price in thousandths of the storefront's currency.
    public var price: Milliunits
    /// Whether a family can share it.
    public var isFamilyShareable: Bool
    /// The id within the file.
    public var internalID: String
    /// Names and descriptions by language.
    public var localizations: [Localization]
    /// How it renews; nil for all but auto-renewable subscriptions.
    public var subscription: ConfiguredSubscription?

    /// Describes a product.
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
