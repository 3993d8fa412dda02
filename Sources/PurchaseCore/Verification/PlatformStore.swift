/// A store that verifies what it delivers, with a verifier that takes these verdicts.
///
/// StoreKit verifies every transaction on the device, so an app for Apple's systems needs no other verifier:
///
/// ```swift
/// let store = PlatformStore(StoreKitStore())
/// let service = PurchaseService(store: store, ledger: ledger, verifier: store.verifier)
/// ```
///
/// A delivery without a ``SignedTransaction/objection`` counts as verified. Wrap only a store that checks every
/// signature and reports the ones that fail as objections.
public struct PlatformStore: Store {
    private let store: any Store
    /// The verifier that takes this store's verdicts. Another store's transactions need another verifier.
    public let verifier: PlatformVerifier

    /// Creates a store that delivers what another store delivers, and keeps its verdicts.
    ///
    /// - Parameters:
    ///   - store: The store that verifies what it delivers.
    ///   - trustsLedger: Whether a recorded transaction is verified that this store does not list, such as a finished
    ///     consumable, or any purchase while the customer is signed out of the App Store. If false, such a transaction
    ///     is undecided with the code `platform-verdict-missing` and unlocks nothing.
    public init(_ store: any Store, trustsLedger: Bool = true) {
        self.store = store
        verifier = PlatformVerifier(verdicts: PlatformVerdicts(), trustsLedger: trustsLedger)
    }

    /// Loads the products with these ids; an id that the store does not know is left out.
    public func products(for ids: [String]) async throws(StoreError) -> [Product] { try await store.products(for: ids) }

    /// Asks the customer to buy a product, and returns the store's answer.
    public func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        let answer = try await store.purchase(productID, options: options)
        if case .success(let transaction) = answer { await verifier.verdicts.record(transaction) }
        return answer
    }

    /// Returns a stream of the store's updates.
    public func updates() -> AsyncStream<StoreUpdate> {
        // The stream is created first, so no update from here on is missed.
        let updates = store.updates()
        let (stream, continuation) = AsyncStream.makeStream(of: StoreUpdate.self)
        let forwarding = Task { [verdicts = verifier.verdicts] in
            for await update in updates {
                await verdicts.record(update)
                continuation.yield(update)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in forwarding.cancel() }
        return stream
    }

    /// Returns the transactions that were delivered and not finished.
    public func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
        await recorded(try await store.unfinishedTransactions())
    }

    /// Returns the latest transaction of each product that the customer is entitled to.
    public func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        await recorded(try await store.currentEntitlements())
    }

    /// Returns the status of every current or former subscription of the customer.
    public func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
        let statuses = try await store.subscriptionStatuses()
        for status in statuses { await verifier.verdicts.record(status) }
        return statuses
    }

    /// Returns all purchases that the store remembers.
    public func history() async throws(StoreError) -> [SignedTransaction] {
        await recorded(try await store.history())
    }

    /// Marks a transaction as finished.
    public func finish(transactionID: String) async throws(StoreError) {
        try await store.finish(transactionID: transactionID)
    }

    /// Reloads everything from the store, which may ask for a password.
    public func synchronize() async throws(StoreError) { try await store.synchronize() }

    /// Returns whether the customer is eligible for introductory offers in a subscription group.
    public func isEligibleForIntroductoryOffer(groupID: String) async throws(StoreError) -> Bool? {
        try await store.isEligibleForIntroductoryOffer(groupID: groupID)
    }

    /// Returns the app transaction.
    public func signedAppTransaction() async throws(StoreError) -> SignedAppTransaction? {
        let transaction = try await store.signedAppTransaction()
        if let transaction { await verifier.verdicts.record(transaction) }
        return transaction
    }

    /// Shows a sheet of the store.
    public func present(_ sheet: StoreSheet) async throws(StoreError) -> StoreSheetAnswer {
        try await store.present(sheet)
    }

    /// Returns a stream of purchases that the customer begins outside of the app.
    public func purchaseIntents() -> AsyncStream<PurchaseIntent> { store.purchaseIntents() }

    private func recorded(_ transactions: [SignedTransaction]) async -> [SignedTransaction] {
        for transaction in transactions { await verifier.verdicts.record(transaction) }
        return transactions
    }
}
