public import ReceiptTypes

/// What a verified app receipt says that the core needs.
struct AppReceiptContents: Sendable {
    /// The purchase of the app.
    let app: AppPurchase
    /// The in-app purchases that count.
    ///
    /// Consumables are left out: each was granted when it was bought, and a receipt has one only until the app has
    /// finished it. Until then the store itself delivers it.
    let purchases: [Transaction]
    /// The number of consumables.
    let consumableCount: Int
    /// The in-app purchases that cannot be read.
    let incomplete: [RejectedReceiptPurchase]

    /// Reads a verified receipt; nil if it lacks what identifies the purchase of the app.
    init?(_ receipt: AppReceipt) {
        guard let app = AppPurchase(receipt) else { return nil }
        self.app = app
        var purchases: [Transaction] = []
        var consumableCount = 0
        var incomplete: [RejectedReceiptPurchase] = []
        for purchase in receipt.inApp ?? [] {
            if let transaction = Transaction(purchase, of: app) {
                if transaction.kind == .consumable { consumableCount += 1 } else { purchases.append(transaction) }
            } else {
                incomplete.append(
                    RejectedReceiptPurchase(
                        transactionID: purchase.transactionId, productID: purchase.productId,
                        failure: VerificationFailure(code: .transactionIncomplete)))
            }
        }
        self.purchases = purchases
        self.consumableCount = consumableCount
        self.incomplete = incomplete
    }
}

/// An in-app purchase of an app receipt that does not count.
public struct RejectedReceiptPurchase: Sendable, Hashable {
    /// The id of the transaction; nil if the receipt has none.
    public let transactionID: String?
    /// The id of the product; nil if the receipt has none.
    public let productID: String?
    /// The reason.
    public let failure: VerificationFailure

    /// Creates a value.
    public init(transactionID: String?, productID: String?, failure: VerificationFailure) {
        self.transactionID = transactionID
        self.productID = productID
        self.failure = failure
    }
}
