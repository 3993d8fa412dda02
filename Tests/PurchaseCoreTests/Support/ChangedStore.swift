import PurchaseCore

/// A store of which some answers are replaced or held back.
struct ChangedStore: Store {
    let base: any Store
    /// Where each answer to a purchase waits.
    var purchaseGate: Gate?
    /// Where each list of the entitlements waits; if the task is cancelled there, the list is cut short, as StoreKit's
    /// are.
    var listGate: Gate?
    /// What the products are answered with.
    var productsFailure: StoreError?
    var isEligible: Bool?
    /// The product that each request for products is answered with.
    var onlyProduct: Product?

    func products(for ids: [String]) async throws(StoreError) -> [Product] {
        if let productsFailure { throw productsFailure }
        if let onlyProduct { return [onlyProduct] }
        return try await base.products(for: ids)
    }

    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        let answer = try await base.purchase(productID, options: options)
        await purchaseGate?.pass()
        return answer
    }

    func updates() -> AsyncStream<StoreUpdate> { base.updates() }

    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
        try await base.unfinishedTransactions()
    }

    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        let answer = try await base.currentEntitlements()
        await listGate?.pass()
        return Task.isCancelled ? [] : answer
    }

    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
        try await base.subscriptionStatuses()
    }

    func history() async throws(StoreError) -> [SignedTransaction] {
        let answer = try await base.history()
        return Task.isCancelled ? [] : answer
    }

    func finish(transactionID: String) async throws(StoreError) { try await base.finish(transactionID: transactionID) }

    func synchronize() async throws(StoreError) { try await base.synchronize() }

    func isEligibleForIntroductoryOffer(groupID: String) async throws(StoreError) -> Bool? {
        if let isEligible { return isEligible }
        return try await base.isEligibleForIntroductoryOffer(groupID: groupID)
    }
}
