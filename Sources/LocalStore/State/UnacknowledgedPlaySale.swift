internal import PurchaseCore
internal import ReceiptTypes

/// A purchase that was ordered in Google Play and is neither acknowledged nor replaced by another one.
struct UnacknowledgedPlaySale {
    /// The end of the time for an acknowledgement.
    let deadline: Timestamp
    /// Its periods that are not refunded; of a one-time purchase, its transaction.
    fileprivate(set) var periods: [StoredTransaction] = []
    fileprivate var isReplaced = false

    fileprivate init(_ first: StoredTransaction) {
        deadline = first.purchaseDate.adding(milliseconds: PlayFacts.acknowledgementTimeMilliseconds)
    }
}

extension [StoredTransaction] {
    /// The purchases in Google Play that will be refunded because they are not acknowledged.
    var unacknowledgedPlaySales: [UnacknowledgedPlaySale] {
        var sales: [UnacknowledgedPlaySale] = []
        // The present purchase of a subscription by the number of its first transaction, if it is not acknowledged.
        var current: [Int64: Int] = [:]
        for transaction in self where transaction.sharedFrom == nil {
            if transaction.reason == .purchase {
                current[transaction.originalNumber] = nil
                if let play = transaction.play, !play.isAcknowledged {
                    current[transaction.originalNumber] = sales.endIndex
                    sales.append(UnacknowledgedPlaySale(transaction))
                }
            }
            guard let place = current[transaction.originalNumber] else { continue }
            // A replaced purchase is not listed any more, so the app can only acknowledge the other one.
            if transaction.isUpgraded || transaction.playReplacement?.isAcknowledged ?? false {
                sales[place].isReplaced = true
            }
            if !transaction.isRevoked { sales[place].periods.append(transaction) }
        }
        return sales.filter { !$0.isReplaced && !$0.periods.isEmpty }
    }
}
