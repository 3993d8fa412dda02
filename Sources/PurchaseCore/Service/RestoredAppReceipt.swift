internal import ReceiptTypes

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

extension RestoredAppReceipt {
    /// Creates the result of restoring a receipt.
    ///
    /// - Parameters:
    ///   - contents: What the receipt has.
    ///   - recorded: The transactions that were recorded for the user before.
    ///   - foreign: The ids of the purchases that the store has delivered for another user.
    init(_ contents: AppReceiptContents, recorded: [Transaction], foreign: Set<ExactString>) {
        let known = KnownPurchases(recorded)
        let (own, others) = contents.purchases.partitioned { !foreign.contains(ExactString($0.id)) }
        let (old, new) = own.partitioned { known.includes($0) }
        self.init(
            app: contents.app, restored: new, known: old, consumableCount: contents.consumableCount,
            rejected: contents.incomplete
                + others.map {
                    RejectedReceiptPurchase(
                        transactionID: $0.id, productID: $0.productID,
                        failure: VerificationFailure(code: .accountMismatch))
                })
    }
}

/// The purchases that were recorded before a receipt.
private struct KnownPurchases {
    private let keys: Set<PurchaseKey>
    private let nonConsumables: Set<ExactString>

    init(_ recorded: [Transaction]) {
        keys = Set(recorded.map(\.purchaseKey))
        nonConsumables = Set(recorded.filter { $0.kind == .nonConsumable }.map { ExactString($0.originalID) })
    }

    func includes(_ purchase: Transaction) -> Bool {
        keys.contains(purchase.purchaseKey)
            || purchase.kind == .nonConsumable && nonConsumables.contains(ExactString(purchase.originalID))
    }
}

extension [Transaction] {
    /// Returns the elements that meet a condition, and those that do not, each in their order.
    fileprivate func partitioned(by condition: (Transaction) -> Bool) -> (met: [Transaction], other: [Transaction]) {
        var parts: (met: [Transaction], other: [Transaction]) = ([], [])
        for transaction in self {
            if condition(transaction) { parts.met.append(transaction) } else { parts.other.append(transaction) }
        }
        return parts
    }
}
