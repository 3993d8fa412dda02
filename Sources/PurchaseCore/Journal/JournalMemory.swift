public import ReceiptTypes

/// The clock marks, the pending purchases and the listings of Play subscriptions, which a journal stores besides its entries.
public struct JournalMemory: Sendable, Hashable {
    /// The latest times seen so far.
    public var clock: ClockMarks
    /// The purchases that await an approval.
    public var pending: [PendingPurchase]
    /// The last listing of each Google Play subscription, at most one for each purchase token.
    public var playListings: [PlayListing]

    /// Creates a state; without arguments, the initial one.
    public init(clock: ClockMarks = .init(), pending: [PendingPurchase] = [], playListings: [PlayListing] = []) {
        self.clock = clock
        self.pending = pending
        self.playListings = playListings
    }
}

/// A purchase that awaits an approval.
///
/// A store never reports that a purchase was declined, so the service forgets it after ``PurchaseService/approvalTimeout``.
public struct PendingPurchase: Sendable, Hashable {
    /// The id of the product.
    public let productID: String
    /// The time at which the store reported the purchase as pending.
    public let since: Timestamp

    /// Creates a pending purchase.
    public init(productID: String, since: Timestamp) {
        self.productID = productID
        self.since = since
    }
}
