/// Hands over what was bought, where that is more than an entitlement: coins to a wallet, a receipt to a server.
public protocol PurchaseFulfilling: Sendable {
    /// Carries an order out; when it throws, the transaction stays unfinished and the order comes again.
    ///
    /// It comes again too when the process ends before the order is noted as done. The order's key is the same then, and
    /// whoever carries it out does nothing the second time. A purchase waits for it: what needs a network sets itself a limit.
    func fulfil(_ order: FulfilmentOrder) async throws
}

/// Hands nothing over: entitlements and balances follow from what is recorded, and many apps need no more.
public struct NoFulfilment: PurchaseFulfilling {
    /// There is nothing to set up.
    public init() {}

    /// Does nothing.
    public func fulfil(_ order: FulfilmentOrder) async throws {}
}
