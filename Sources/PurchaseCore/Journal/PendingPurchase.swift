public import ReceiptTypes

/// A purchase that the store has begun and somebody has to approve.
///
/// That it was declined is never told, so it is forgotten after a time.
public struct PendingPurchase: Sendable, Hashable {
    /// The id of the product.
    public let productID: String
    /// When the store said that it is pending.
    public let since: Timestamp

    /// Describes a pending purchase.
    public init(productID: String, since: Timestamp) {
        self.productID = productID
        self.since = since
    }
}
