public import ReceiptTypes

/// What the rules need to know of a subscription's renewal, read once from its verified payload.
public struct RenewalInfo: Sendable, Hashable {
    /// The id of the subscription's first transaction.
    public let originalTransactionID: String
    /// The product of the current period.
    public let productID: String?
    /// The product that the subscription renews to.
    public let autoRenewProductID: String?
    /// Whether the subscription renews by itself.
    public let willAutoRenew: Bool
    /// Whether the store is trying to bill an expired subscription.
    public let isInBillingRetry: Bool
    /// When the billing grace period ends.
    public let gracePeriodExpiresDate: Timestamp?
    /// When the store signed this; of two signed texts about one subscription the later one holds.
    public let signedDate: Timestamp

    /// Reads a verified payload; nil where it does not say which subscription it is about or when it was signed.
    public init?(_ payload: JWSRenewalInfoDecodedPayload) {
        guard let id = payload.originalTransactionId, !id.isEmpty, let signedDate = payload.signedDate
        else { return nil }
        originalTransactionID = id
        productID = payload.productId
        autoRenewProductID = payload.autoRenewProductId
        willAutoRenew = payload.autoRenewStatus == .on
        isInBillingRetry = payload.isInBillingRetryPeriod ?? false
        gracePeriodExpiresDate = payload.gracePeriodExpiresDate
        self.signedDate = signedDate
    }
}
