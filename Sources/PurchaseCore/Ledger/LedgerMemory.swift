public import ReceiptTypes

/// The clock marks, pending purchases, absences and listings of Play subscriptions, which a ledger stores besides its
/// entries.
public struct LedgerMemory: Sendable, Hashable {
    /// The latest times seen so far.
    public var clock: ClockMarks
    /// The purchases that await an approval.
    public var pending: [PendingPurchase]
    /// The recorded purchases that the store did not list when it last answered.
    public var absences: [AbsentPurchase]
    /// The last listing of each Google Play subscription, at most one for each purchase token.
    public var playListings: [PlayListing]

    /// Creates a state; without arguments, the initial one.
    public init(
        clock: ClockMarks = .init(), pending: [PendingPurchase] = [], absences: [AbsentPurchase] = [],
        playListings: [PlayListing] = []
    ) {
        self.clock = clock
        self.pending = pending
        self.absences = absences
        self.playListings = playListings
    }
}

/// A purchase that awaits an approval.
///
/// A store never reports that a purchase was declined, so the service forgets it after
/// ``PurchaseService/approvalTimeoutMilliseconds``.
public struct PendingPurchase: Sendable, Hashable {
    /// The id of the product.
    public let productID: String
    /// The last time at which the store reported the purchase as pending.
    public let since: Timestamp
    /// The app's account that bought; nil if the app has no accounts.
    public let account: UUIDText?
    /// The token of the purchase in Google Play, under which it is completed; nil if the store names no pending
    /// purchase.
    public let purchaseToken: String?

    /// Creates a pending purchase.
    public init(productID: String, since: Timestamp, account: UUIDText? = nil, purchaseToken: String? = nil) {
        self.productID = productID
        self.since = since
        self.account = account
        self.purchaseToken = purchaseToken
    }
}
