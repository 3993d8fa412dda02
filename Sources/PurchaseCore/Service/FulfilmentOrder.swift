/// Something to hand over or to take back.
public struct FulfilmentOrder: Sendable, Hashable {
    /// What is to be done.
    public let fulfilment: Fulfilment
    /// The purchase that it is for, in its latest version.
    public let transaction: Transaction
    /// What makes it the same purchase when it comes again.
    public let key: PurchaseKey

    /// Describes an order.
    public init(fulfilment: Fulfilment, transaction: Transaction, key: PurchaseKey) {
        self.fulfilment = fulfilment
        self.transaction = transaction
        self.key = key
    }
}
