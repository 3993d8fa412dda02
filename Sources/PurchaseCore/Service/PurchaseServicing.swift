public import ReceiptTypes

/// A service that sells products and returns what the customer owns.
public protocol PurchaseServicing: Sendable {
    /// Loads the products with these ids; an id that the store does not know is left out.
    func products(for ids: [String]) async throws(StoreError) -> [Product]

    /// Buys a product. A failed purchase is a result, not a thrown error.
    func purchase(productID: String) async -> PurchaseResult

    /// Processes the store's updates until the task is cancelled.
    ///
    /// The handler receives each new transaction after it is recorded, and each transaction that is rejected. For a
    /// subscription status, it receives the transaction only if that is verified.
    func listenForTransactions(
        handler: @escaping @Sendable (VerificationResult<Transaction>) async -> Void
    ) -> Task<Void, Never>

    /// Returns the transactions of the store's current entitlements, each with its verification result.
    func currentEntitlements() async -> [VerificationResult<Transaction>]

    /// Waits until a purchase that was ``PendingReason/notHandedOver`` is handed over.
    ///
    /// - Returns: Whether the customer has the purchase; false if it was refunded or rejected, or if the service cannot tell.
    func waitUntilHandedOver(productID: String) async -> Bool

    /// Returns the input of an ``EntitlementProjection``, updated from the store if it can be reached.
    func evidence() async throws(JournalError) -> PurchaseEvidence
}

extension PurchaseServicing {
    /// Returns false, because a service that hands nothing over cannot tell.
    public func waitUntilHandedOver(productID: String) async -> Bool { false }

    /// Returns the verified current entitlements. A service with a journal provides its own implementation.
    public func evidence() async throws(JournalError) -> PurchaseEvidence {
        PurchaseEvidence(transactions: await currentEntitlements().compactMap(\.verifiedPayload))
    }
}

/// The result of a purchase, as a service returns it.
public enum PurchaseResult: Sendable {
    /// The store has sold the product; it is unlocked only if the signature is verified.
    ///
    /// A service that knows why a purchase is not verified reports the failure instead: in ``deferred(_:)`` if a retry can
    /// help, otherwise in ``failed(_:)``.
    case success(verified: Bool)
    /// The customer has cancelled.
    case userCancelled
    /// The purchase awaits an approval; if it is approved, the transaction arrives as an update.
    case pending
    /// The store has accepted the purchase or has not answered, and something is left to do.
    case deferred(PendingReason)
    /// The purchase has failed.
    case failed(any Error)
}

/// The input of an ``EntitlementProjection`` and a ``TrialManager``: verified transactions, renewal infos and times.
public struct PurchaseEvidence: Sendable, Hashable {
    /// The verified transactions; several can be versions of one purchase.
    public let transactions: [Transaction]
    /// The verified renewal infos.
    public let renewalInfos: [RenewalInfo]
    /// The latest times seen so far.
    public let clock: ClockMarks
    /// Whether the store has answered, so the evidence is complete.
    public let isStoreReachable: Bool

    /// Creates evidence.
    public init(
        transactions: [Transaction],
        renewalInfos: [RenewalInfo] = [],
        clock: ClockMarks = .init(),
        isStoreReachable: Bool = true
    ) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.clock = clock
        self.isStoreReachable = isStoreReachable
    }
}
