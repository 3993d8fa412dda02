internal import ReceiptTypes

extension Transaction {
    /// Whether a store would hold the customer entitled by it, as far as the transaction alone can tell.
    func stands(at now: Timestamp) -> Bool {
        guard !isRevoked, !isUpgraded else { return false }
        switch type {
        case .nonConsumable, .nonRenewingSubscription: return true
        case .autoRenewableSubscription: return expiresDate.map { now <= $0 } ?? false
        default: return false
        }
    }
}

extension Sequence<Transaction> {
    /// The latest text about each purchase, in no order.
    func latestVersions() -> Dictionary<PurchaseKey, Transaction>.Values {
        var latest: [PurchaseKey: Transaction] = [:]
        for transaction in self {
            let key = transaction.purchaseKey
            if latest[key].map(transaction.isLater) ?? true { latest[key] = transaction }
        }
        return latest.values
    }
}
