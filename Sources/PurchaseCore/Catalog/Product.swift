public import ReceiptTypes

/// Something that a store sells, as it is shown to a customer.
public struct Product: Sendable, Hashable, Identifiable {
    /// The product's id.
    public let id: String
    /// The kind of the product.
    public let type: ProductType
    /// The name in the customer's language.
    public let displayName: String
    /// The description in the customer's language.
    public let description: String
    /// The price in thousandths of the currency.
    public let price: Milliunits
    /// The currency of the price, as ISO 4217 has it.
    public let currency: String
    /// The price as the store writes it for the customer.
    public let displayPrice: String
    /// Whether a family can share it.
    public let isFamilyShareable: Bool
    /// How the product renews; nil for all but auto-renewable subscriptions.
    public let subscription: SubscriptionTerms?

    /// Describes a product.
    public init(
        id: String,
        type: ProductType,
        displayName: String,
        description: String,
        price: Milliunits,
        currency: String,
        displayPrice: String,
        isFamilyShareable: Bool = false,
        subscription: SubscriptionTerms? = nil
    ) {
        self.id = id
        self.type = type
        self.displayName = displayName
        self.description = description
        self.price = price
        self.currency = currency
        self.displayPrice = displayPrice
        self.isFamilyShareable = isFamilyShareable
        self.subscription = subscription
    }
}
