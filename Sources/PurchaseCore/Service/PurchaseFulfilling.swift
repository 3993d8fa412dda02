/// The port that hands over a purchase that is more than an entitlement, such as coins for a wallet.
public protocol PurchaseFulfilling: Sendable {
    /// Carries out an order. If it throws, the transaction stays unfinished and the order is repeated later.
    ///
    /// The order is also repeated if the process ends before the journal records it. A repeated order has the same
    /// ``FulfilmentOrder/key``, so an implementation can recognize and skip it. The purchase waits for this call: an
    /// implementation that uses the network needs its own timeout.
    func fulfil(_ order: FulfilmentOrder) async throws
}

/// An order to hand a purchase over or to take it back.
public struct FulfilmentOrder: Sendable, Hashable {
    /// Whether to hand the purchase over or to take it back.
    public let fulfilment: Fulfilment
    /// The latest version of the purchase.
    public let transaction: Transaction
    /// The identity of the purchase, which is the same in a repeated order.
    public let key: PurchaseKey

    /// Creates an order.
    public init(fulfilment: Fulfilment, transaction: Transaction, key: PurchaseKey) {
        self.fulfilment = fulfilment
        self.transaction = transaction
        self.key = key
    }
}

/// A fulfiller for apps that need only entitlements and balances, which follow from the journal. It does nothing.
public struct NoFulfilment: PurchaseFulfilling {
    /// Creates the fulfiller.
    public init() {}

    /// Returns at once.
    public func fulfil(_ order: FulfilmentOrder) async throws {}
}
