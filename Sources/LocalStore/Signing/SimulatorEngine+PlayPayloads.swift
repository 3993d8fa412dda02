internal import PurchaseCore
internal import ReceiptTypes

// The data of Google Play purchases, as a device receives it.
extension SimulatorEngine {
    /// Returns a transaction as Google Play purchase data; a renewal has the token of its subscription.
    func playPurchase(of transaction: StoredTransaction) -> PlayPurchase { playPurchase(of: playSale(of: transaction)) }

    /// Returns the data of a completed or cancelled purchase.
    func playPurchase(of sale: PlaySale) -> PlayPurchase {
        var purchase = PlayPurchase()
        purchase.orderId = Self.orderID(of: sale)
        purchase.packageName = state.app.bundleID
        purchase.productId = sale.last.productID
        purchase.purchaseTime = sale.date
        purchase.purchaseState = sale.last.isRevoked ? .cancelled : .purchased
        purchase.purchaseToken = playToken(sale.tokenNumber)
        purchase.quantity = Int32(clamping: sale.last.quantity)
        purchase.acknowledged = sale.isAcknowledged
        if sale.last.groupID != nil, let index = state.subscriptionIndex(original: sale.last.originalNumber) {
            purchase.autoRenewing = state.subscriptions[index].willAutoRenew
        }
        purchase.obfuscatedAccountId = sale.last.appAccountToken?.rawValue
        purchase.obfuscatedProfileId = sale.obfuscatedProfileID
        return purchase
    }

    /// Returns the data of a purchase whose payment is not complete; it has no order id yet.
    func playPurchase(of pending: PendingOrder) -> PlayPurchase {
        var purchase = PlayPurchase()
        purchase.packageName = state.app.bundleID
        purchase.productId = pending.productID
        purchase.purchaseTime = pending.date
        purchase.purchaseState = .pendingOnDevice
        purchase.purchaseToken = playToken(pending.order.play?.tokenNumber ?? pending.number)
        purchase.quantity = Int32(clamping: pending.order.quantity)
        purchase.acknowledged = false
        purchase.obfuscatedAccountId = pending.order.appAccountToken?.rawValue
        purchase.obfuscatedProfileId = pending.order.play?.obfuscatedProfileID
        return purchase
    }

    /// Returns an order identifier in Google Play's notation: `GPA.` with 4, 4, 4 and 5 digits, and `..` with the
    /// number of the renewal, from 0.
    private static func orderID(of sale: PlaySale) -> String {
        let number = sale.replacement?.tokenNumber ?? sale.first.number
        let digits = "\(number)".utf8.suffix(17)
        let padded = [UInt8](repeating: UInt8(ascii: "0"), count: 17 - digits.count) + digits
        func group(_ range: Range<Int>) -> String { String(decoding: padded[range], as: UTF8.self) }
        let order = "GPA.\(group(0..<4))-\(group(4..<8))-\(group(8..<12))-\(group(12..<17))"
        return sale.renewalCount == 0 ? order : "\(order)..\(sale.renewalCount - 1)"
    }
}
