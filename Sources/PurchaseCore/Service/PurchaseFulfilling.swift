/// The port that grants what is not an entitlement, such as coins, and takes it back after a refund.
///
/// It receives an order for every purchase of every product: for a subscription also for its free trial and each
/// renewal, for a restored purchase, and for a refund. So look at the product first, and return for products with
/// nothing to grant:
///
/// ```swift
/// struct CoinFulfiller: PurchaseFulfilling {
///     let server: any CoinServer
///
///     func fulfil(_ order: FulfilmentOrder) async throws {
///         guard order.transaction.productID == "com.example.coins100" else { return }
///         // The server credits the difference to what it has credited for the key before: an order can be repeated.
///         try await server.credit(100 * order.quantity, to: order.account, for: order.key.description)
///     }
/// }
/// ```
///
/// A refund of some items is another order with the number that is left. In Google Play a change of plan is a purchase
/// with a key of its own, also if the customer takes it back and has paid once: an order is not a payment.
///
/// A refund has an order even without a grant in the ledger: the database may have been lost since, and on another
/// device the purchase is first seen refunded. So take back only what was granted for the ``FulfilmentOrder/key``,
/// which may be nothing.
public protocol PurchaseFulfilling: Sendable {
    /// Carries out an order. If it throws, the transaction stays unfinished and the order is repeated later.
    ///
    /// The order is also repeated if the process ends before the ledger records it. A repeated order has the same
    /// ``FulfilmentOrder/key`` and ``FulfilmentOrder/quantity``, so an implementation can recognize and skip it. The
    /// call is cancelled at the deadline ``PurchaseDeadlines/fulfilmentMilliseconds``; the next call for the same
    /// purchase begins after this one has ended. Another process of the app does not wait for it, so a call that was
    /// cancelled must not take effect later.
    func fulfil(_ order: FulfilmentOrder) async throws
}

/// A fulfiller for apps that need only entitlements and balances, which follow from the ledger. It does nothing.
public struct NoFulfilment: PurchaseFulfilling {
    /// Creates the fulfiller.
    public init() {}

    /// Returns at once.
    public func fulfil(_ order: FulfilmentOrder) async throws {}
}
