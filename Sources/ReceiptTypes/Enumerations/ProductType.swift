/// The kind of a product in the App Store.
public struct ProductType: OpenEnum {
    /// The value as the store sends it.
    public let rawValue: String

    /// Takes any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `Auto-Renewable Subscription`
    public static let autoRenewableSubscription = Self(rawValue: "Auto-Renewable Subscription")
    /// `Non-Consumable`
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    /// `Consumable`
    public static let consumable = Self(rawValue: "Consumable")
    /// `Non-Renewing Subscription`
    public static let nonRenewingSubscription = Self(rawValue: "Non-Renewing Subscription")

    /// The documented values.
    public static let known: [Self] = [
        .autoRenewableSubscription, .nonConsumable, .consumable, .nonRenewingSubscription,
    ]
}
