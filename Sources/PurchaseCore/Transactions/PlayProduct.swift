public import ReceiptTypes

/// A product that the app sells on Google Play, with the facts that the store does not sign.
///
/// The signed data of a Play purchase names the product, and neither its type nor its billing period. Both decide what
/// the purchase unlocks and for how long, so they come from the app and never from a delivery.
public struct PlayProduct: Sendable, Hashable {
    /// The product's id.
    public let id: String
    /// The kind of the product. Google Play calls consumables and non-consumables one-time products.
    public let type: ProductType
    /// The time between two renewals of an auto-renewable subscription; nil for other products.
    public let period: BillingPeriod?
    /// The group of a subscription, of which a customer has at most one at a time; nil if it belongs to none.
    public let subscriptionGroupID: String?

    /// Creates a product that is not an auto-renewable subscription.
    public init(id: String, type: ProductType) {
        self.id = id
        self.type = type
        period = nil
        subscriptionGroupID = nil
    }

    /// Creates an auto-renewable subscription.
    public init(subscription id: String, period: BillingPeriod, groupID: String? = nil) {
        self.id = id
        type = .autoRenewableSubscription
        self.period = period
        subscriptionGroupID = groupID
    }
}
