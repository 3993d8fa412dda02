public import ReceiptTypes

/// What goes with a purchase beside the product.
public struct PurchaseOptions: Sendable, Hashable {
    /// The account of the app that the purchase is for; the store signs it into the transaction.
    public var appAccountToken: UUIDText?
    /// How many are bought; only consumables and non-renewing subscriptions can be more than one.
    public var quantity: Int

    /// Makes options; without arguments, one for nobody in particular.
    public init(appAccountToken: UUIDText? = nil, quantity: Int = 1) {
        self.appAccountToken = appAccountToken
        self.quantity = quantity
    }
}
