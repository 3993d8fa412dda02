public import ReceiptTypes

/// What goes with a purchase beside account and product.
public struct PurchaseOrder: Codable, Sendable, Hashable {
    /// How many are bought.
    public var quantity: Int
    /// The account of the app that the purchase is for.
    public var appAccountToken: UUIDText?
    /// The offer that is asked for; an introductory one applies by itself.
    public var offer: RequestedOffer?

    /// Makes an order; without arguments, one for one at the usual price.
    public init(quantity: Int = 1, appAccountToken: UUIDText? = nil, offer: RequestedOffer? = nil) {
        self.quantity = quantity
        self.appAccountToken = appAccountToken
        self.offer = offer
    }

    /// The most that can be bought at once, as in the App Store.
    static let quantities = 1...10
}
