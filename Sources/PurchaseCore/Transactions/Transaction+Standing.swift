internal import ReceiptTypes

extension Transaction {
    /// Whether a store would hold the customer entitled by it, as far as the transaction alone can tell.
    func stands(at now: Timestamp) -> Bool {
        guard !isRevoked, !isUpgraded else { return false }
        switch kind {
        case .nonConsumable, .nonRenewing: return true
        case .autoRenewable: return expiresDate.map { now <= $0 } ?? false
        case .consumable, .other: return false
        }
    }
}
