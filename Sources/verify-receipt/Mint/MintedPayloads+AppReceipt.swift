internal import ReceiptTestAuthority
internal import ReceiptTypes

extension MintedPayloads {
    /// Returns an app receipt with the purchases of the requested product, as the App Store would have made it.
    var appReceipt: AppReceipt {
        let isSandbox = request.environment == .sandbox
        var receipt = AppReceipt()
        receipt.receiptType = AppReceiptType(request.environment)
        // The sandbox writes 0 in place of the App Store ID, and always the same first version.
        receipt.appAppleId = isSandbox ? 0 : request.appAppleID
        receipt.bundleId = request.bundleID
        receipt.applicationVersion = "42"
        receipt.receiptCreationDate = now
        receipt.originalPurchaseDate = later(by: -3 * Self.month)
        receipt.originalApplicationVersion = isSandbox ? "1.0" : "1"
        receipt.inApp =
            request.type == .autoRenewableSubscription
            ? [
                inAppPurchase(originalTransactionID, monthsAgo: 2), inAppPurchase(middleTransactionID, monthsAgo: 1),
                inAppPurchase(transactionID, monthsAgo: 0),
            ]
            : [inAppPurchase(transactionID, monthsAgo: 0)]
        return receipt
    }

    private func inAppPurchase(_ transactionID: String, monthsAgo: Int64) -> AppReceiptPurchase {
        let isSubscription = request.type == .autoRenewableSubscription
        var purchase = AppReceiptPurchase()
        purchase.quantity = 1
        purchase.productId = request.productID
        purchase.productType = AppReceiptProductType(request.type)
        purchase.transactionId = transactionID
        purchase.originalTransactionId = isSubscription ? originalTransactionID : transactionID
        purchase.purchaseDate = later(by: -monthsAgo * Self.month)
        purchase.originalPurchaseDate = later(by: isSubscription ? -2 * Self.month : 0)
        purchase.expiresDate = isSubscription ? later(by: (1 - monthsAgo) * Self.month) : nil
        purchase.webOrderLineItemId = isSubscription ? serial - monthsAgo : 0
        return purchase
    }
}
