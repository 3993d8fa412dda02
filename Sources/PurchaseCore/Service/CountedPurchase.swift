/// The result of one call that buys a product, with what is needed to count each sale once.
public struct CountedPurchase: Sendable {
    /// The result of the purchase.
    public let result: PurchaseResult
    /// Whether the store has sold the product in this purchase, and not in an earlier one.
    public let isSale: Bool
    /// Whether another call has begun the purchase, and this one has joined it.
    public let isShared: Bool

    /// The transaction that the result is about; nil if there is none, or the service does not say.
    public let transactionID: String?

    /// Creates the result of a call.
    ///
    /// - Parameters:
    ///   - result: The result of the purchase.
    ///   - isSale: By default, whether a result alone looks like a sale: a success, or a purchase that is
    ///     ``PendingReason/notHandedOver``.
    ///   - isShared: Whether another call has begun the purchase.
    ///   - transactionID: The transaction that the result is about.
    public init(
        _ result: PurchaseResult, isSale: Bool? = nil, isShared: Bool = false, transactionID: String? = nil
    ) {
        self.result = result
        self.isSale = isSale ?? result.looksLikeSale
        self.isShared = isShared
        self.transactionID = transactionID
    }

    /// The purchase for a call that has joined it.
    var shared: CountedPurchase {
        CountedPurchase(result, isSale: isSale, isShared: true, transactionID: transactionID)
    }
}

extension PurchaseResult {
    fileprivate var looksLikeSale: Bool {
        switch self {
        case .success, .deferred(.notHandedOver): true
        case .alreadyOwned, .userCancelled, .pending, .deferred, .failed: false
        }
    }
}
