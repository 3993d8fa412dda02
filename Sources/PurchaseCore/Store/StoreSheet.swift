/// A sheet that a store shows to the customer.
///
/// What the customer does in a sheet arrives as a ``StoreUpdate``: a redeemed purchase, a renewal that is switched off,
/// a refund.
public enum StoreSheet: Sendable, Hashable {
    /// The sheet to redeem an offer code.
    case redeemCode
    /// The sheet to manage subscriptions, of one group or of all.
    case manageSubscriptions(groupID: String?)
    /// The sheet to request a refund of a transaction.
    case requestRefund(transactionID: String)
}

/// How a customer left a sheet of the store.
public enum StoreSheetAnswer: Sendable, Hashable {
    /// The customer has done what the sheet is for, or the store does not tell.
    case completed
    /// The customer has cancelled.
    case cancelled
}

/// A purchase that the customer has begun outside of the app, such as a promoted purchase in the App Store.
///
/// The app decides when to make it, with ``PurchaseServicing/purchase(productID:options:)``.
public struct PurchaseIntent: Sendable, Hashable {
    /// The id of the product.
    public let productID: String
    /// The id of the win-back or promotional offer that the customer has seen, if there is one.
    public let offerID: String?

    /// Creates an intent.
    public init(productID: String, offerID: String? = nil) {
        self.productID = productID
        self.offerID = offerID
    }
}

// Defaults, so that a store without sheets and promotions needs no more than its sales.
extension Store {
    /// Returns nil.
    public func isEligibleForIntroductoryOffer(groupID: String) async throws(StoreError) -> Bool? { nil }

    /// Returns nil.
    public func signedAppTransaction() async throws(StoreError) -> SignedAppTransaction? { nil }

    /// Throws an error with the code ``StoreErrorCode/unsupported``.
    public func present(_ sheet: StoreSheet) async throws(StoreError) -> StoreSheetAnswer {
        throw StoreError(.unsupported, "this store has no such sheet")
    }

    /// Returns a stream that ends at once.
    public func purchaseIntents() -> AsyncStream<PurchaseIntent> { AsyncStream { $0.finish() } }
}
