public import ReceiptTypes

/// An order to grant or to revoke a purchase.
public struct FulfilmentOrder: Sendable, Hashable {
    /// Whether to grant or to revoke the purchase.
    public let fulfilment: Fulfilment
    /// The latest version of the purchase.
    public let transaction: Transaction
    /// The identity of the purchase, which is the same in a repeated order.
    public let key: PurchaseKey
    /// The app's account that the purchase belongs to; nil if it belongs to none.
    ///
    /// Credit this account and not the one that is signed in: the user can change while an order is carried out.
    public let account: UUIDText?

    /// The number of items of the purchase that the customer has after the order: zero if it is revoked.
    ///
    /// After a refund of some of the items, another order grants the purchase with the number that is left. To carry
    /// out every order right, credit the difference to the number that was credited for the ``key`` before, or to zero
    /// if nothing was.
    public var quantity: Int { fulfilment == .granted ? transaction.remainingQuantity : 0 }

    /// What the customer has of the purchase after the order.
    var amount: FulfilledAmount {
        fulfilment == .granted ? .granted(productID: transaction.productID, quantity: quantity) : .revoked
    }

    /// Creates an order.
    public init(fulfilment: Fulfilment, transaction: Transaction, key: PurchaseKey, account: UUIDText? = nil) {
        self.fulfilment = fulfilment
        self.transaction = transaction
        self.key = key
        self.account = account
    }
}
