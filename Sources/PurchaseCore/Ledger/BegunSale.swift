public import ReceiptTypes

/// A sale that this device has begun, noted before the store is asked, so that a purchase that is paid while the process
/// is killed counts as begun here.
///
/// It is removed when the transaction is recorded, or when the store says that nothing was sold.
public struct BegunSale: Sendable, Hashable {
    /// The id of the product.
    public let productID: String
    /// The time at which the store was asked, by the device's clock, but not before the latest signature.
    public let since: Timestamp
    /// The latest signature of the store that was known; nil if there was none. Only a later purchase is the answer.
    public let latestSignature: Timestamp?
    /// The app's account that buys; nil if the app has no accounts.
    public let account: UUIDText?

    /// Creates a begun sale.
    public init(
        productID: String, since: Timestamp, latestSignature: Timestamp? = nil, account: UUIDText? = nil
    ) {
        self.productID = productID
        self.since = since
        self.latestSignature = latestSignature
        self.account = account
    }
}
