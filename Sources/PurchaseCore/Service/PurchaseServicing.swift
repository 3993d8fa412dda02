public import ReceiptTypes

/// Buys, listens and tells what is owned; everything above the store goes through it.
public protocol PurchaseServicing: Sendable {
    /// Loads the products that the store knows among the ids.
    func products(for ids: [String]) async throws(StoreError) -> [Product]

    /// Buys a product; nothing is thrown, since a purchase that went wrong is a result too.
    func purchase(productID: String) async -> PurchaseResult

    /// Takes in what the store delivers by itself, until the task is cancelled.
    ///
    /// The handler is told of each transaction that is new, after it is recorded, and of each that is not verified.
    func listenForTransactions(
        handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never>

    /// The transactions that entitle the customer to something now, each with its verdict.
    func currentEntitlements() async -> [VerificationResult<Transaction>]

    /// Everything by which entitlements are judged, brought up to date with the store where it can be reached.
    func evidence() async throws(JournalError) -> PurchaseEvidence
}

extension PurchaseServicing {
    /// The verified ones of the current entitlements. A service that remembers anything does better with its own.
    public func evidence() async throws(JournalError) -> PurchaseEvidence {
        PurchaseEvidence(transactions: await currentEntitlements().compactMap(\.verifiedPayload))
    }
}
