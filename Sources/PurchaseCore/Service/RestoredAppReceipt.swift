/// The result of restoring an app receipt.
///
/// It says what the receipt has, and not what the customer may use: refunded and expired purchases are included.
public struct RestoredAppReceipt: Sendable, Hashable {
    /// The purchase of the app itself, with the version that the customer first obtained.
    public let app: AppPurchase
    /// The in-app purchases that were not recorded before; each renewal of a subscription is one.
    public let restored: [Transaction]
    /// The in-app purchases that were recorded before, from this receipt, another one or the store.
    public let known: [Transaction]
    /// The number of consumables, which are not granted again.
    public let consumableCount: Int
    /// The in-app purchases that do not count, each with the reason.
    public let rejected: [RejectedReceiptPurchase]

    /// Creates a result.
    public init(
        app: AppPurchase, restored: [Transaction] = [], known: [Transaction] = [], consumableCount: Int = 0,
        rejected: [RejectedReceiptPurchase] = []
    ) {
        self.app = app
        self.restored = restored
        self.known = known
        self.consumableCount = consumableCount
        self.rejected = rejected
    }
}
